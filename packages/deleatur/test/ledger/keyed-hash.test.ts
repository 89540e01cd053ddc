// The prepared HMAC and the seal of artifact keys, each against the library's own.
import { createCipheriv, createHmac, randomBytes } from "node:crypto";
import { array, assert, oneof, property, string, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { createKeyedHash } from "../../src/ledger/keyed-hash.ts";
import { createKeySeal } from "../../src/ledger/key-seal.ts";

const key = randomBytes(32);
const hashOf = createKeyedHash(key);

function plainHmac(prefix: Uint8Array, parts: readonly (string | Uint8Array)[]): string {
  const message: Uint8Array[] = [prefix];
  for (const part of parts) {
    const bytes = new Uint8Array(typeof part === "string" ? new TextEncoder().encode(part) : part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    message.push(length, bytes);
  }
  return createHmac("sha256", key).update(Buffer.concat(message)).digest("hex");
}

test("the prepared HMAC is HMAC-SHA-256 over the length-prefixed parts, whatever they are", () => {
  const part = oneof(string({ unit: "binary" }), string({ minLength: 1_000, maxLength: 6_000 }), uint8Array());
  assert(
    property(uint8Array({ maxLength: 80 }), array(part, { maxLength: 4 }), (prefix, parts) => {
      expect(hashOf(prefix, parts)).toBe(plainHmac(prefix, parts));
    }),
  );
  // At the edge of what fits the prepared block, and half a surrogate.
  for (const parts of [["x".repeat(4_000)], ["\ud800"], ["ä".repeat(1_365)], [new Uint8Array(4_092)]])
    expect(hashOf(new Uint8Array(), parts)).toBe(plainHmac(new Uint8Array(), parts));
});

test("the seal of a key is AES-256 in counter mode from the digest on, padded to whole blocks", () => {
  const seal = createKeySeal(key);
  for (const text of ["", "e1", "x".repeat(15), "x".repeat(16), "x".repeat(9_000), "Zoë/é/\u{1f600}"]) {
    for (const digest of [randomBytes(32), Buffer.alloc(32, 0xff)]) {
      const sealed = seal.seal(digest, text);
      const bytes = Buffer.from(text, "utf8");
      const padded = Buffer.alloc((Math.floor(bytes.length / 16) + 1) * 16);
      bytes.copy(padded);
      padded[bytes.length] = 0x80;
      const cipher = createCipheriv("aes-256-ctr", key, digest.subarray(0, 16));
      expect(Buffer.from(sealed)).toEqual(cipher.update(padded));
      expect(seal.open(digest, sealed)).toBe(text);
    }
  }
});

test("the seal opens nothing that has no end mark or no whole blocks", () => {
  const seal = createKeySeal(key);
  const digest = randomBytes(32);
  expect(seal.open(digest, new Uint8Array())).toBeUndefined();
  expect(seal.open(digest, new Uint8Array(15))).toBeUndefined();
  const sealed = Buffer.from(seal.seal(digest, "a".repeat(15)));
  // The last byte is the mark; without it there is none.
  sealed[15] = (sealed[15] ?? 0) ^ 0x80;
  expect(seal.open(digest, sealed)).toBeUndefined();
});
