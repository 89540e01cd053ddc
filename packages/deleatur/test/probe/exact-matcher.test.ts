// Shows that a whole text is found again under each encoding of DESIGN §6, one by one, and that short texts are no evidence.
import { deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentField } from "../../src/model/artifact.ts";
import { createExactMatcher } from "../../src/probe/exact-matcher.ts";
import { createExcerptMatcher } from "../../src/probe/excerpt-matcher.ts";
import { createRunFilter, explainNeedles } from "../../src/probe/run-filter.ts";
import { vectorBytes } from "../../src/probe/vector-bytes.ts";
import type { MatcherFinding } from "../../src/probe/matcher.ts";
import { bytesField, makeNeedle, makePassage, textField, vectorField } from "./make-needle.ts";

const TEXT = 'Zoë wrote: "the safe\'s code is 4711/ü"\nand left at 10:30.';
const matcher = createExactMatcher([makeNeedle(3, TEXT)]);

function encodingsIn(field: string | ContentField): string[] {
  return matcher.match(makePassage(field)).flatMap(({ needle, match }) => {
    expect(needle).toBe(3);
    return match.how === "exact" ? [match.encoding] : [];
  });
}

function swapped(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

const padded = `before it ${TEXT} behind it`;
const cases: readonly (readonly [encoding: string, field: string | ContentField])[] = [
  ["plain", TEXT],
  ["plain", padded],
  ["plain", bytesField(Buffer.from(padded))],
  ["json", JSON.stringify({ a: [padded] })],
  [
    "json",
    JSON.stringify({ a: padded }).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  ],
  ["json+json", JSON.stringify({ a: JSON.stringify({ b: TEXT }) })],
  ["url", `https://x.test/?q=${encodeURIComponent(TEXT)}&r=1`],
  ["url", `q=${new URLSearchParams({ a: TEXT }).toString()}`],
  ["hex", Buffer.from(padded).toString("hex")],
  ["hex", `\\x${Buffer.from(padded).toString("hex").toUpperCase()}`],
  ["utf-16le", bytesField(Buffer.from(padded, "utf16le"))],
  ["utf-16be", bytesField(swapped(padded))],
  ["gzip", bytesField(gzipSync(padded))],
  ["gzip", bytesField(Buffer.concat([Buffer.from("head"), gzipSync(padded)]))],
  ["deflate", bytesField(deflateSync(padded))],
  ["base64+gzip", gzipSync(padded).toString("base64")],
  ["base64+json", Buffer.from(JSON.stringify({ t: TEXT })).toString("base64")],
  ["base64+utf-16le", Buffer.from(padded, "utf16le").toString("base64")],
  ["base64", `data:text/plain;base64,${Buffer.from(padded).toString("base64")}`],
  ["base64", Buffer.from(padded).toString("base64url")],
  [
    "base64",
    (
      Buffer.from(padded.repeat(3))
        .toString("base64")
        .match(/.{1,76}/g) ?? []
    ).join("\r\n"),
  ],
];

describe("createExactMatcher", () => {
  it.each(cases.map(([encoding, field], at) => ({ encoding, field, at })))(
    "VERDICT-1: finds a whole text under $encoding (case $at)",
    ({ encoding, field }) => {
      expect(encodingsIn(field)).toEqual([encoding]);
    },
  );

  it("VERDICT-1: finds a text in base64 whatever stands before and behind it, glued or not", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 9 }),
        fc.uint8Array({ maxLength: 9 }),
        fc.stringMatching(/^[A-Za-z0-9]{0,5}$/),
        (before, after, glue) => {
          const encoded = Buffer.concat([before, Buffer.from(TEXT), after]).toString("base64");
          expect(encodingsIn(glue + encoded)).toEqual(["base64"]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("VERDICT-1: finds a text in msgpack whatever its length, and in bytes that are no text", () => {
    for (const length of [20, 31, 32, 65, 90, 127, 150, 255, 256, 321, 70_000]) {
      const text = "lorem ipsum dolor sit amet ".repeat(3000).slice(0, length - 1) + ".";
      const head = Buffer.alloc(5);
      const header =
        length < 32
          ? Buffer.from([0xa0 | length])
          : length < 256
            ? Buffer.from([0xd9, length])
            : length < 65_536
              ? Buffer.from([0xda, length >> 8, length & 255])
              : head.fill(0xdb, 0, 1).fill(0, 1) && (head.writeUInt32BE(length, 1), head);
      const packed = Buffer.concat([Buffer.from([0x82, 0xff]), header, Buffer.from(text), Buffer.from([0xc3, 0x00])]);
      expect(createExactMatcher([makeNeedle(0, text)]).match(makePassage(bytesField(packed)))).toHaveLength(1);
    }
  });

  it("finds nothing in unrelated text, bytes and encodings", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.uint8Array({ maxLength: 400 }), (text, bytes) => {
        expect(encodingsIn(text)).toEqual([]);
        expect(encodingsIn(bytesField(bytes))).toEqual([]);
        expect(encodingsIn(Buffer.from(bytes).toString("base64"))).toEqual([]);
      }),
    );
  });

  it("counts a very short text as an equal field only", () => {
    const short = createExactMatcher([makeNeedle(0, "likes tea")]);
    expect(short.match(makePassage(" likes tea\n"))).toHaveLength(1);
    expect(short.match(makePassage("everybody here likes tea"))).toEqual([]);
    expect(createExactMatcher([makeNeedle(0, "a b c d")]).match(makePassage("x a b c d y"))).toEqual([]);
    expect(createExactMatcher([makeNeedle(0, "")]).match(makePassage(""))).toEqual([]);
  });

  it("ATTEST-6: finds an identical vector as vector, as bytes, as JSON numbers and in base64", () => {
    const values = [0.1, -2.5, 3e-7, 42];
    const vectors = createExactMatcher([makeNeedle(5, [vectorField(values)])]);
    const bytes = vectorBytes(Float32Array.from(values));
    const fields: readonly ContentField[] = [
      vectorField(values),
      bytesField(bytes),
      bytesField(Buffer.concat([Buffer.from([1, 2, 3]), bytes, Buffer.from("tail")])),
      textField(`{"v": [0.1, -2.5, 3e-7, 42]}`),
      textField(JSON.stringify([...Float32Array.from(values)])),
      textField(Buffer.from(bytes).toString("base64")),
      textField(Buffer.from(bytes).toString("hex")),
    ];
    for (const field of fields) {
      expect(vectors.match(makePassage(field)).map(({ match }) => match)).toEqual([
        { how: "vector", distance: 0, identical: true },
      ]);
    }
    expect(vectors.match(makePassage(vectorField([0.1, -2.5, 3e-7, 42.1])))).toEqual([]);
    expect(
      createExactMatcher([makeNeedle(0, [vectorField([0, 0, 0, 0])])]).match(makePassage(vectorField([0, 0, 0, 0]))),
    ).toEqual([]);
  });

  it("finds bytes that are no text again, equal or contained", () => {
    const bytes = Uint8Array.from({ length: 40 }, (_, i) => (i * 37 + 200) & 255);
    const binary = createExactMatcher([makeNeedle(0, [bytesField(bytes)])]);
    expect(binary.match(makePassage(bytesField(bytes)))).toHaveLength(1);
    expect(
      binary.match(makePassage(bytesField(Buffer.concat([Buffer.from("x"), bytes, Buffer.from("y")])))),
    ).toHaveLength(1);
    expect(binary.match(makePassage(bytesField(bytes.slice(1))))).toEqual([]);
  });

  it("names every needle that has the text", () => {
    const twice = createExactMatcher([makeNeedle(1, TEXT), makeNeedle(2, TEXT, "control")]);
    expect(twice.match(makePassage(padded)).map(({ needle }) => needle)).toEqual([1, 2]);
  });

  it("explains a text, bytes and a vector that a survivor also had", () => {
    const bytes = Uint8Array.from({ length: 40 }, (_, i) => (i * 37 + 200) & 255);
    const content = [
      textField("open"),
      textField("Customer called about billing."),
      bytesField(bytes),
      vectorField([1, 2, 3, 4]),
    ];
    const needle = makeNeedle(0, content);
    const filter = createRunFilter([needle]);
    filter.add("open");
    filter.add("Note: Customer called about billing. Solved.");
    filter.add(bytesField(bytes));
    filter.add(vectorField([1, 2, 3, 4]));
    const explained = createExactMatcher(explainNeedles([needle], filter));
    for (const field of content) {
      expect(createExactMatcher([needle]).match(makePassage(field))).toHaveLength(1);
      expect(explained.match(makePassage(field))).toEqual([]);
    }
  });
});

const byNeedle = (list: readonly MatcherFinding[]): readonly MatcherFinding[] =>
  list.toSorted((a, b) => a.needle - b.needle);

it("the excerpt matcher's answer hides no text that is contained, however it stands there", () => {
  const word = fc.constantFrom("Heron", "heron", "tea", "o'clock", "ümlaut", "x7", "likes", "昨日", "A");
  const gap = fc.constantFrom(" ", ", ", "-", "\n", "' ", "…");
  const wording = fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 14 }).map((parts) => parts.flat().join(""));
  const edge = fc.constantFrom("", "x", "9", ".", " and ", "é", "'");
  let contained = 0;
  fc.assert(
    fc.property(
      fc.array(wording, { minLength: 1, maxLength: 4 }),
      wording,
      edge,
      edge,
      fc.nat(),
      fc.boolean(),
      (texts, other, before, after, pick, isBytes) => {
        const needles = texts.map((text, index) =>
          makeNeedle(index, isBytes ? [bytesField(Buffer.from(text, "utf8"))] : text),
        );
        const alone = createExactMatcher(needles);
        const helped = createExactMatcher(needles, createExcerptMatcher(needles));
        for (const text of [other, `${other}${before}${texts[pick % texts.length] ?? ""}${after}${other}`]) {
          const found = byNeedle(alone.match(makePassage(text)));
          contained += found.length;
          expect(byNeedle(helped.match(makePassage(text)))).toEqual(found);
        }
      },
    ),
    { numRuns: 2_000 },
  );
  expect(contained).toBeGreaterThan(500);
});
