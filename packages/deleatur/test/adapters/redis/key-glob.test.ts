// Proves that keys and patterns are read as the server reads them, for random ones too, and that every key has one spelling.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyGlob } from "../../../src/adapters/redis/key-glob.ts";
import { spellKey, unspellKey } from "../../../src/adapters/redis/key-text.ts";
import { keyPattern, overlaps } from "../../../src/boundary/key-pattern.ts";
import { isRedisMissing, startRedis } from "../../servers/redis-server.ts";

const ALPHABET = ["a", "b", ":", "*", "?", "[", "]", "^", "-", "\\", "ä"] as const;
const anyText = fc.array(fc.constantFrom(...ALPHABET), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));

describe("keys", () => {
  it("C14: no two keys have one spelling, and each comes back from its own", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.uint8Array({ maxLength: 12 }), (one, other) => {
        const [a, b] = [Buffer.from(one), Buffer.from(other)];
        expect(unspellKey(spellKey(a))).toEqual(a);
        expect(spellKey(a) === spellKey(b)).toBe(a.equals(b));
      }),
    );
    for (const none of ["", "bytes:zz", "bytes:6", "bytes:61"]) expect(unspellKey(none)).toBeUndefined();
  });

  it("a prefix means what begins with it, whatever characters it has; overlapping ones are told", () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, key) => {
        const pattern = keyPattern({ prefix }) ?? "";
        expect(keyGlob(pattern)(Buffer.from(key))).toBe(key.startsWith(prefix));
        expect(keyGlob(pattern)(Buffer.from(prefix + key))).toBe(true);
        const other = keyPattern({ prefix: key }) ?? "";
        expect(overlaps(pattern, other)).toBe(key.startsWith(prefix) || prefix.startsWith(key));
      }),
    );
  });
});

describe.skipIf(isRedisMissing)("patterns", () => {
  it("match what the server's own MATCH matches", async () => {
    const server = await startRedis({ persistence: "none" });
    const keys = new Set(fc.sample(anyText, { numRuns: 300, seed: 7 }));
    for (const key of keys) await server.send("SET", key, "x");
    for (const pattern of fc.sample(anyText, { numRuns: 400, seed: 11 })) {
      const found = await server.send("KEYS", pattern);
      const theirs = (Array.isArray(found) ? found : []).map(String).toSorted();
      const means = keyGlob(pattern);
      const ours = [...keys].filter((key) => means(Buffer.from(key))).toSorted();
      expect({ pattern, found: ours }).toEqual({ pattern, found: theirs });
    }
  });
});
