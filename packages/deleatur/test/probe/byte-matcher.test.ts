// Shows that every run of at least 23 bytes of a needle is found in a file at any offset, in the forms in which stores keep text, and nothing else is.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { StoreError } from "../../src/model/errors.ts";
import type { Needle } from "../../src/model/needle.ts";
import { createByteMatcher } from "../../src/probe/byte-matcher.ts";
import type { ByteHit, ByteMatcher } from "../../src/probe/matcher.ts";
import { vectorBytes } from "../../src/probe/vector-bytes.ts";
import { bytesField, makeNeedle, vectorField } from "./make-needle.ts";

const directory = mkdtempSync(join(tmpdir(), "deleatur-bytes-"));
afterAll(() => rmSync(directory, { recursive: true }));
const signal = new AbortController().signal;
const TEXT = 'Zoë keeps the "second key" under the blue stone\nbehind the mill; nobody else knows of it.';

async function scan(matcher: ByteMatcher, bytes: Uint8Array): Promise<ByteHit[]> {
  const path = join(directory, "store.bin");
  writeFileSync(path, bytes);
  return collect(matcher.scanFile(path, signal));
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

function noise(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 7919) & 255));
}

function inNoise(part: Uint8Array, before: number, after = 40): Buffer {
  return Buffer.concat([noise(before), part, noise(after)]);
}

function hits(
  needles: readonly Needle[],
  bytes: Uint8Array,
  explained: readonly (string | Uint8Array)[] = [],
): readonly ByteHit[] {
  return createByteMatcher(needles, { explained }).scanChunk(bytes, 0);
}

describe("createByteMatcher", () => {
  it("VERDICT-1: finds every run of at least 23 bytes at any offset, with its place and length", () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 12, maxLength: 40 })
      .map((list) => list.join(" "));
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), fc.nat({ max: 200 }), (text, a, b, before) => {
        const bytes = Buffer.from(text);
        fc.pre(bytes.length >= 23);
        const length = 23 + (b % (bytes.length - 22));
        const start = a % (bytes.length - length + 1);
        const part = bytes.subarray(start, start + length);
        const found = hits([makeNeedle(4, text)], inNoise(part, before));
        expect(
          found.some((hit) => hit.needle === 4 && hit.offset <= before && hit.offset + hit.bytes >= before + length),
        ).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("VERDICT-1: finds a run across the border of two chunks, once, at every split", async () => {
    const matcher = createByteMatcher([makeNeedle(0, TEXT)]);
    const part = Buffer.from(TEXT).subarray(10, 33);
    const file = Buffer.alloc((1 << 20) + 400);
    for (let at = (1 << 20) - 24; at <= (1 << 20) + 1; at++) {
      file.fill(0);
      part.copy(file, at);
      expect(await scan(matcher, file)).toEqual([{ needle: 0, file: "store.bin", offset: at, bytes: 23 }]);
    }
  });

  it("finds nothing in unrelated text and noise", () => {
    const needle = makeNeedle(0, "the subject's words are these and no others, as far as this test knows");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.lorem({ maxCount: 80 }), (bytes, text) => {
        expect(hits([needle], bytes)).toEqual([]);
        expect(hits([needle], Buffer.from(text))).toEqual([]);
      }),
    );
  });

  const forms: Readonly<Record<string, Uint8Array>> = {
    plain: Buffer.from(TEXT),
    "lower-cased": Buffer.from(TEXT.toLowerCase()),
    "JSON-escaped": Buffer.from(JSON.stringify({ t: TEXT })),
    "JSON-escaped in ASCII": Buffer.from(JSON.stringify({ t: TEXT }).replaceAll("ë", "\\u00eb")),
    "UTF-16LE": Buffer.from(TEXT, "utf16le"),
    "UTF-16BE": Buffer.from(TEXT, "utf16le").swap16(),
    base64: Buffer.from(Buffer.from(TEXT).toString("base64")),
    "base64 behind one byte": Buffer.from(Buffer.from(`x${TEXT}`).toString("base64")),
    "base64 behind two bytes": Buffer.from(Buffer.from(`xy${TEXT}`).toString("base64url")),
  };
  it.each(Object.keys(forms))("VERDICT-1: finds a text that is left %s", (name) => {
    for (const before of [0, 1, 5, 8, 13]) {
      const found = hits([makeNeedle(0, TEXT)], inNoise(forms[name] ?? new Uint8Array(), before));
      expect(Math.max(0, ...found.map(({ bytes }) => bytes))).toBeGreaterThan(60);
    }
  });

  it("finds a short text as a whole, and says nothing of what is shorter still", () => {
    expect(hits([makeNeedle(0, "Ada Lovelace")], inNoise(Buffer.from("Ada Lovelace"), 9))).toHaveLength(1);
    expect(hits([makeNeedle(0, "Ada Lovelace")], inNoise(Buffer.from("Ada Lovelac"), 9))).toEqual([]);
    expect(hits([makeNeedle(0, "open")], inNoise(Buffer.from("open"), 9))).toEqual([]);
  });

  it("finds any window of 64 bytes of a vector, and no shorter part", () => {
    const values = Array.from({ length: 384 }, (_, i) => Math.sin(i + 1) / 3);
    const needle = makeNeedle(0, [vectorField(values)]);
    const bytes = vectorBytes(Float32Array.from(values));
    for (const at of [0, 400, 1001, 1536 - 64])
      expect(hits([needle], inNoise(bytes.subarray(at, at + 64), 3))).toHaveLength(1);
    expect(hits([needle], inNoise(bytes.subarray(100, 163), 3))).toEqual([]);
  });

  it("finds text that a needle hides in bytes", () => {
    const packed = Buffer.concat([Buffer.from([0xd9, Buffer.byteLength(TEXT)]), Buffer.from(TEXT)]);
    expect(
      hits([makeNeedle(0, [bytesField(packed)])], inNoise(Buffer.from(TEXT).subarray(0, 40), 3)).length,
    ).toBeGreaterThan(0);
  });

  it("explains what lives on, keeps what goes beyond it, and explains no control", () => {
    const live = "please note that this call is recorded for training";
    const own = `${live}; my number is five five five nine eight seven six`;
    expect(hits([makeNeedle(0, own)], inNoise(Buffer.from(live), 3))).toHaveLength(1);
    expect(hits([makeNeedle(0, own)], inNoise(Buffer.from(live), 3), [live])).toEqual([]);
    expect(hits([makeNeedle(0, own, "control")], inNoise(Buffer.from(live), 3), [live])).toHaveLength(1);
    const [beyond] = hits([makeNeedle(0, own)], inNoise(Buffer.from(own), 3), [live]);
    expect(beyond?.bytes).toBe(own.length - live.length + 15);
    expect(hits([makeNeedle(0, "Ada Lovelace")], Buffer.from("Ada Lovelace"), ["with Ada Lovelace"])).toEqual([]);
  });

  it("finds what stands twice, and names every needle that had it", () => {
    const found = hits([makeNeedle(0, TEXT), makeNeedle(1, `she said: ${TEXT}`)], Buffer.from(`${TEXT} - ${TEXT}`));
    expect(new Set(found.map(({ needle, offset }) => `${needle} ${offset}`)).size).toBe(4);
  });

  it("is a StoreError, and not silence, where the file cannot be read", async () => {
    const look = collect(createByteMatcher([makeNeedle(0, TEXT)]).scanFile(join(directory, "absent"), signal));
    await expect(look).rejects.toThrow(StoreError);
  });

  it("stops when it is told to", async () => {
    const stopped = AbortSignal.abort();
    writeFileSync(join(directory, "store.bin"), "x");
    await expect(
      collect(createByteMatcher([makeNeedle(0, TEXT)]).scanFile(join(directory, "store.bin"), stopped)),
    ).rejects.toThrow("aborted");
  });
});
