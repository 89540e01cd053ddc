// Holds the keyed hash that lays its messages into one room against Node's own, and the sort of tree keys against the definition.
import { createHmac } from "node:crypto";
import { array, assert, constantFrom, integer, oneof, property, string, tuple, uint8Array } from "fast-check";
import { compareBytes, concatBytes, equalBytes, lp, toHex, utf8 } from "@deleatur/verify";
import { describe, expect, it } from "vitest";
import { KeyedHash } from "../../src/attest/fast-hash.ts";
import { sortKeys } from "../../src/attest/sort-keys.ts";

const key = uint8Array({ minLength: 1, maxLength: 64 });

describe("the keyed hash", () => {
  const part = oneof(
    tuple(constantFrom("bytes" as const), uint8Array({ maxLength: 400 })),
    tuple(constantFrom("text" as const), string({ unit: "binary", maxLength: 300 })),
    tuple(constantFrom("short" as const), string({ unit: "grapheme", maxLength: 300 })),
  );

  it("ATTEST-1: is HMAC-SHA256, whatever was laid before and however long it is", () => {
    assert(
      property(key, array(array(part, { maxLength: 4 }), { maxLength: 4 }), (secret, messages) => {
        const hash = new KeyedHash(secret);
        for (const parts of messages) {
          const target = new Uint8Array(40);
          hash.begin();
          for (const [how, value] of parts) {
            if (how === "bytes") hash.putBytes(value);
            else if (how === "text") hash.putText(value);
            else hash.putShortText(value);
          }
          hash.into(target, 5);
          const bytes = parts.map(([how, value]) =>
            how === "bytes" ? value : how === "text" ? utf8(value) : lp(value),
          );
          const expected = createHmac("sha256", secret)
            .update(concatBytes(...bytes))
            .digest("hex");
          expect(toHex(target)).toBe(`0000000000${expected}000000`);
        }
      }),
    );
  });

  it("ATTEST-1: refuses half a surrogate and a text that its length cannot say", () => {
    const hash = new KeyedHash(new Uint8Array(32));
    expect(() => hash.putText("a\ud800")).toThrow(RangeError);
    hash.begin();
    expect(() => hash.putShortText("é".repeat(40_000))).toThrow(RangeError);
  });
});

describe("the sort of tree keys", () => {
  it("VERIFY-3: gives distinct keys in ascending order, also where they share what is compared first", () => {
    const like = integer({ min: 0, max: 32 }).chain((shared) =>
      uint8Array({ minLength: 32 - shared, maxLength: 32 - shared }).map((rest) =>
        concatBytes(new Uint8Array(shared).fill(0xab), rest),
      ),
    );
    assert(
      property(array(like, { maxLength: 60 }), (keys) => {
        const sorted = sortKeys(concatBytes(...keys, ...keys.slice(0, 3)));
        const expected = keys
          .toSorted(compareBytes)
          .filter((one, at, all) => at === 0 || !equalBytes(one, all[at - 1] ?? one));
        expect(toHex(sorted)).toBe(toHex(concatBytes(...expected)));
      }),
      { numRuns: 300 },
    );
  });
});
