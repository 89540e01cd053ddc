// Holds the first look against the byte matcher: over whatever stands in a file, what the sifted patterns find is what all patterns find.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ContentField } from "../../src/model/artifact.ts";
import { StoreError } from "../../src/model/errors.ts";
import type { Needle } from "../../src/model/needle.ts";
import { createPatternMatcher } from "../../src/probe/byte-matcher.ts";
import { bytePatterns } from "../../src/probe/byte-patterns.ts";
import { createByteSift } from "../../src/probe/byte-sift.ts";
import { vectorBytes } from "../../src/probe/vector-bytes.ts";
import { bytesField, makeNeedle, vectorField } from "./make-needle.ts";

const directory = mkdtempSync(join(tmpdir(), "deleatur-sift-"));
afterAll(() => rmSync(directory, { recursive: true }));
const signal = new AbortController().signal;

/** Few words, so that much is shared by chance; some with letters that need more than a byte. */
const word = fc.constantFrom(
  "the",
  "Blue",
  "stone",
  "behind",
  "mill",
  "Zoë",
  "nobody",
  "else",
  "knows",
  '"key"',
  "ein",
  "日本",
);
const text = fc.array(word, { minLength: 1, maxLength: 25 }).map((words) => words.join(" "));
const vector = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 4, maxLength: 40 });
const field: fc.Arbitrary<ContentField> = fc.oneof(
  { weight: 5, arbitrary: text.map((value): ContentField => ({ type: "text", name: "text", text: value })) },
  { weight: 2, arbitrary: vector.map((values) => vectorField(values.map((value) => value / 7))) },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => bytesField(Buffer.from(bytes))),
  },
);
const ENCODINGS: readonly ((value: string) => Uint8Array)[] = [
  (value) => Buffer.from(value),
  (value) => Buffer.from(value.toLowerCase()),
  (value) => Buffer.from(JSON.stringify(value)),
  (value) => Buffer.from(value, "utf16le"),
  (value) => Buffer.from(value, "utf16le").swap16(),
  (value) => Buffer.from(Buffer.from(value).toString("base64")),
  (value) => Buffer.from(Buffer.from(`x${value}`).toString("base64")),
  (value) => Buffer.from(Buffer.from(`xy${value}`).toString("base64url")),
];

function written(one: ContentField, encoding: number): Uint8Array {
  if (one.type === "vector") return vectorBytes(one.vector);
  return one.type === "bytes" ? one.bytes : (ENCODINGS[encoding % ENCODINGS.length]?.(one.text) ?? new Uint8Array());
}

interface Planted {
  readonly which: number;
  readonly encoding: number;
  readonly from: number;
  readonly length: number;
  readonly gap: Uint8Array;
}

const planted: fc.Arbitrary<Planted> = fc.record({
  which: fc.nat({ max: 9 }),
  encoding: fc.nat({ max: 7 }),
  from: fc.nat({ max: 30 }),
  length: fc.nat({ max: 200 }),
  gap: fc.uint8Array({ maxLength: 19 }),
});

function fileOf(fields: readonly ContentField[], parts: readonly Planted[]): Uint8Array {
  return Buffer.concat(
    parts.flatMap(({ which, encoding, from, length, gap }) => {
      const one = fields[which % fields.length];
      return one === undefined ? [gap] : [gap, written(one, encoding).subarray(from, from + length)];
    }),
  );
}

describe("createByteSift", () => {
  it("VERDICT-1: keeps every pattern of which the matcher would find a run, whatever stands in the file and lives beside it", () => {
    fc.assert(
      fc.property(
        fc.array(field, { minLength: 1, maxLength: 8 }),
        fc.array(planted, { minLength: 1, maxLength: 8 }),
        fc.array(text, { maxLength: 3 }),
        fc.nat({ max: 8 }),
        (fields, parts, explained, control) => {
          const needles = fields.map((one, index): Needle =>
            makeNeedle(index, [one], index === control ? "control" : "erased"),
          );
          const bytes = fileOf(fields, parts);
          const patterns = bytePatterns(needles);
          const sift = createByteSift(patterns);
          sift.read(bytes);
          const found = createPatternMatcher(sift.kept(), { explained }).scanChunk(bytes, 0);
          expect(found).toEqual(createPatternMatcher(patterns, { explained }).scanChunk(bytes, 0));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("VERDICT-1: keeps a vector that is zero but for one number, wherever the number and the vector stand", () => {
    for (let place = 0; place < 64; place += 1) {
      const field = vectorField(Array.from({ length: 64 }, (_, at) => (at === place ? 0.1234567 : 0)));
      const patterns = bytePatterns([makeNeedle(0, [field])]);
      for (let offset = 0; offset < 8; offset += 1) {
        const bytes = Buffer.concat([Buffer.alloc(offset, 7), written(field, 0), Buffer.alloc(20, 9)]);
        const sift = createByteSift(patterns);
        sift.read(bytes);
        const found = createPatternMatcher(sift.kept()).scanChunk(bytes, 0);
        expect(found).toEqual(createPatternMatcher(patterns).scanChunk(bytes, 0));
      }
    }
  });

  it("keeps nothing of what stands nowhere in the file, and takes what begins in one chunk and ends in the next", async () => {
    const path = join(directory, "store.bin");
    const needles = Array.from({ length: 200 }, (_, at) =>
      makeNeedle(at, `needle ${at} says ${at * 7919} and ${at ** 3} twice`),
    );
    const patterns = bytePatterns(needles);
    const file = Buffer.alloc((1 << 22) + 500, 0);
    writeFileSync(path, file);
    const empty = createByteSift(patterns);
    await empty.readFile(path, signal);
    expect(empty.kept()).toEqual([]);
    for (let at = (1 << 22) - 24; at <= (1 << 22) + 1; at += 1) {
      file.fill(0);
      Buffer.from("needle 77 says 609763 and 456533 twice").copy(file, at, 3, 26);
      writeFileSync(path, file);
      const sift = createByteSift(patterns);
      await sift.readFile(path, signal);
      expect(sift.kept().map((pattern) => pattern.needles)).toEqual([[77]]);
    }
  });

  it("is a StoreError where the file cannot be read, and stops when it is told to", async () => {
    const sift = createByteSift(bytePatterns([makeNeedle(0, "a needle of more than twelve bytes")]));
    await expect(sift.readFile(join(directory, "absent"), signal)).rejects.toThrow(StoreError);
    writeFileSync(join(directory, "there"), "x");
    await expect(sift.readFile(join(directory, "there"), AbortSignal.abort())).rejects.toThrow("aborted");
  });
});
