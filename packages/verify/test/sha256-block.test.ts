// Holds the small hashes against @noble/hashes: short messages of every length, pairs, and HMACs.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { MAX_SHORT, sha256Pair, sha256Short, shortHmac } from "../src/sha256-block.ts";

const half = fc.uint8Array({ minLength: 32, maxLength: 32 });

it("hashes every message of up to 55 bytes as SHA-256 does, and refuses a longer one", () => {
  for (let length = 0; length <= MAX_SHORT; length += 1) {
    const message = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 255);
    expect(sha256Short(message)).toEqual(sha256(message));
  }
  expect(() => sha256Short(new Uint8Array(MAX_SHORT + 1))).toThrow(RangeError);
});

it("hashes pairs as SHA-256 does, whatever was hashed before", () => {
  fc.assert(
    fc.property(half, half, fc.uint8Array({ maxLength: MAX_SHORT }), (left, right, other) => {
      sha256Short(other);
      expect(sha256Pair(left, right)).toEqual(sha256(Uint8Array.from([...left, ...right])));
      expect(sha256Short(other)).toEqual(sha256(other));
    }),
  );
});

it("makes HMACs as RFC 2104 does, under two keys by turns", () => {
  fc.assert(
    fc.property(half, half, fc.uint8Array({ maxLength: MAX_SHORT }), (one, two, message) => {
      const [byOne, byTwo] = [shortHmac(one), shortHmac(two)];
      expect(byOne(message)).toEqual(hmac(sha256, one, message));
      expect(byTwo(message)).toEqual(hmac(sha256, two, message));
      expect(byOne(message)).toEqual(hmac(sha256, one, message));
    }),
  );
  expect(() => shortHmac(new Uint8Array(31))).toThrow(RangeError);
});
