// Shows that an excerpt of five words is found wherever it stands, that nothing else is, and that what survivors also had is explained.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createExcerptMatcher } from "../../src/probe/excerpt-matcher.ts";
import { createRunFilter } from "../../src/probe/run-filter.ts";
import { bytesField, makeNeedle, makePassage } from "./make-needle.ts";

const word = fc.stringMatching(/^[a-zäöüß]{1,9}[0-9]{0,2}$/);
const own = fc.array(
  word.map((text) => `q${text}`),
  { minLength: 5, maxLength: 60 },
);
const other = fc.array(
  word.map((text) => `z${text}`),
  { maxLength: 40 },
);

function runWords(matcher: ReturnType<typeof createExcerptMatcher>, text: string): number[] {
  return matcher.match(makePassage(text)).flatMap(({ match }) => (match.how === "run" ? [match.words] : []));
}

describe("createExcerptMatcher", () => {
  it("VERDICT-1: finds every run of at least five words, pasted anywhere, with its length", () => {
    fc.assert(
      fc.property(
        own,
        other,
        other,
        fc.nat(),
        fc.nat(),
        fc.constantFrom(" ", "\n", ", ", " — "),
        (words, before, after, a, b, gap) => {
          const length = 5 + (b % (words.length - 4));
          const start = a % (words.length - length + 1);
          const run = words.slice(start, start + length);
          const found = runWords(
            createExcerptMatcher([makeNeedle(0, words.join(" "))]),
            [...before, ...run, ...after].join(gap).toUpperCase(),
          );
          expect(found).toHaveLength(1);
          expect(found[0]).toBeGreaterThanOrEqual(length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("finds nothing in text that shares no run", () => {
    fc.assert(
      fc.property(own, other, (words, text) => {
        expect(runWords(createExcerptMatcher([makeNeedle(0, words.join(" "))]), text.join(" "))).toEqual([]);
      }),
    );
  });

  it("does not count four shared words, nor the same words in another order", () => {
    const matcher = createExcerptMatcher([makeNeedle(0, "one two three four five six seven eight nine ten")]);
    expect(runWords(matcher, "zero one two three four zero")).toEqual([]);
    expect(runWords(matcher, "ten nine eight seven six five four three two one")).toEqual([]);
  });

  it("keeps the longest run, and one finding for each needle", () => {
    const matcher = createExcerptMatcher([
      makeNeedle(7, "one two three four five six seven eight"),
      makeNeedle(9, "alpha beta gamma delta epsilon"),
    ]);
    const found = matcher.match(
      makePassage("one two three four five x two three four five six seven; alpha beta gamma delta epsilon"),
    );
    expect(found.map(({ needle, match }) => [needle, match])).toEqual([
      [7, { how: "run", words: 6 }],
      [9, { how: "run", words: 5 }],
    ]);
  });

  it("looks into JSON, msgpack and base64 on either side", () => {
    const text = 'Grüße, she said: "meet me\\nat the old mill tonight"';
    const packed = Buffer.concat([
      Buffer.from([0x81, 0xa4]),
      Buffer.from("text"),
      Buffer.from([0xd9, Buffer.byteLength(text)]),
      Buffer.from(text),
    ]);
    const fromPacked = createExcerptMatcher([makeNeedle(0, [bytesField(packed)])]);
    expect(runWords(fromPacked, JSON.stringify({ note: text }))[0]).toBeGreaterThanOrEqual(9);
    const fromJson = createExcerptMatcher([makeNeedle(0, JSON.stringify({ text }))]);
    expect(runWords(fromJson, Buffer.from(`xx ${text} yy`).toString("base64"))[0]).toBeGreaterThanOrEqual(9);
    expect(fromJson.match(makePassage(bytesField(packed)))).toHaveLength(1);
  });

  it("finds an excerpt in a script that is written without spaces", () => {
    const matcher = createExcerptMatcher([makeNeedle(0, "昨日彼女は新しい仕事について話しました")]);
    expect(runWords(matcher, "要約:新しい仕事について、と。")[0]).toBeGreaterThanOrEqual(8);
  });
});

describe("createRunFilter", () => {
  const needle = makeNeedle(
    0,
    "please note that this call is recorded my number is five five five nine eight seven six",
  );

  it("explains a run that a survivor also had, and not what goes beyond it", () => {
    const explained = createRunFilter([needle]);
    explained.add("Hello! Please note that this call is recorded. Bye.");
    const matcher = createExcerptMatcher([needle], { explained });
    expect(runWords(matcher, "please note that this call is recorded thank you")).toEqual([]);
    expect(runWords(matcher, "note that this call is recorded my number is five")).toEqual([8]);
  });

  it("never explains a control away", () => {
    const control = { ...needle, fate: "control" } as const;
    const explained = createRunFilter([needle]);
    explained.add("please note that this call is recorded my number is five five five nine eight seven six");
    expect(
      createExcerptMatcher([control], { explained }).match(makePassage("note that this call is recorded")),
    ).toHaveLength(1);
  });

  it("explains nothing by texts that only share single words", () => {
    const explained = createRunFilter([needle]);
    explained.add("please call my number this is recorded note that five");
    expect(explained.explains(["please", "note", "that", "this", "call"])).toBe(false);
    expect(explained.explainsText("please")).toBe(false);
  });

  it.each([
    ["bytes", (text: string) => bytesField(Buffer.from(text))],
    [
      "bytes of msgpack",
      (text: string) => bytesField(Buffer.concat([Buffer.from([0x81, 0xd9, text.length]), Buffer.from(text)])),
    ],
    ["UTF-16", (text: string) => bytesField(Buffer.from(text, "utf16le"))],
    ["UTF-16 in the other order", (text: string) => bytesField(Buffer.from(text, "utf16le").swap16())],
    [
      "UTF-16 of Cyrillic",
      (text: string) =>
        bytesField(
          Buffer.from(
            text.replaceAll(/[a-z]/g, (c) => String.fromCharCode(0x3cf + c.charCodeAt(0))),
            "utf16le",
          ),
        ),
    ],
  ])("finds no run in the letters that two documents share by their form (%s)", (_, field) => {
    const [one, other] = ["a quarter past nine", "the blue teapot here"].map((said) =>
      field(`[{"additional_kwargs":{"content":"${said}"}}]`),
    );
    if (one === undefined || other === undefined) throw new Error("no fields");
    const matcher = createExcerptMatcher([makeNeedle(0, [one])]);
    expect(matcher.match(makePassage(other))).toEqual([]);
    const filter = createRunFilter([makeNeedle(0, [one])]);
    filter.add(other);
    expect(filter.explains(["additional", "kwargs", "content", "a", "quarter"])).toBe(false);
  });

  it.each([
    ["Chinese", "她把那只紫色手风琴放在了地窖里面"],
    ["German", "Das violette Akkordeon riecht noch nach Kardamom"],
    ["Russian", "Фиолетовый аккордеон до сих пор пахнет кардамоном весной"],
  ])("VERDICT-1: finds a run in UTF-16 of either order, in %s", (_, said) => {
    for (const turn of [(bytes: Buffer) => bytes, (bytes: Buffer) => bytes.swap16()]) {
      const matcher = createExcerptMatcher([makeNeedle(0, said)]);
      const found = matcher.match(makePassage(bytesField(turn(Buffer.from(`> ${said} <`, "utf16le")))));
      expect(found).toMatchObject([{ needle: 0, match: { how: "run" } }]);
    }
  });
});
