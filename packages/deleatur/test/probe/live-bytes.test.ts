// Shows that what lives is seen content by content when much of it is laid together, and that nothing is explained by two contents that happen to lie side by side.
import { array, assert, integer, oneof, property, string, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { createByteMatcher } from "../../src/probe/byte-matcher.ts";
import { STRIDE } from "../../src/probe/byte-patterns.ts";
import { createLiveBytes, type LiveBytes } from "../../src/probe/live-bytes.ts";
import { makeNeedle } from "./make-needle.ts";

type Content = string | Uint8Array;

function bytesOf(content: Content): Buffer {
  return Buffer.from(content);
}

/** Every run of so many bytes from a place that `STRIDE` divides, with the whole content around it, as a look sees them. */
function runsSeen(contents: readonly Content[], room: number, size: number): readonly string[] {
  const seen: string[] = [];
  const look = (live: LiveBytes): void => {
    for (let at = 0; at < live.length; at += STRIDE) {
      if (!live.isWithin(at, size)) continue;
      const [start, end] = live.rangeAt(at);
      seen.push(`${at - start} ${Buffer.from(live.bytes.subarray(start, end)).toString("hex")}`);
    }
  };
  const writer = createLiveBytes(look, room);
  for (const content of contents) writer.add(content);
  writer.flush();
  return seen;
}

describe("live bytes", () => {
  const content = oneof(string({ unit: "grapheme", maxLength: 60 }), uint8Array({ maxLength: 90 }));

  it("VERDICT-1: each content is seen whole and by itself, whatever room there is and whatever was laid there before", () => {
    assert(
      property(
        array(content, { maxLength: 12 }),
        integer({ min: 16, max: 400 }),
        integer({ min: 1, max: 20 }),
        (contents, room, size) => {
          const expected = contents.map(bytesOf).flatMap((bytes) =>
            Array.from({ length: Math.ceil(bytes.length / STRIDE) }, (_, place) => place * STRIDE)
              .filter((at) => at + size <= bytes.length)
              .map((at) => `${at} ${bytes.toString("hex")}`),
          );
          expect(runsSeen(contents, room, size)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("VERDICT-1: two contents side by side explain no run that goes from one into the other", () => {
    const text = "sixteen characters and then thirty-two more, all of one person";
    for (let cut = 0; cut <= 32; cut += 1) {
      const lives = [text.slice(0, cut), text.slice(cut)];
      const found = createByteMatcher([makeNeedle(0, text)], { explained: lives }).scanChunk(Buffer.from(text), 0);
      // The pieces of sixteen bytes that lie in neither of them are fifteen: enough to be nobody else's.
      const expected = cut < 4 ? [] : [{ needle: 0, file: "", offset: 0, bytes: Math.min(cut, 15) + 15 }];
      expect({ cut, found }).toEqual({ cut, found: expected });
    }
  });
});
