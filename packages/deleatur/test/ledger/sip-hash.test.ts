// SipHash against the vectors of the reference implementation (key 00 … 0f, message 00, 01, …), which OpenSSL's SIPHASH gives as well.
import { expect, it } from "vitest";
import { type SipHash, sipHash, sipHash64, sipKey } from "../../src/ledger/sip-hash.ts";

const counting = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at);

function hashOf(key: Uint8Array, message: Uint8Array): string {
  const into: SipHash = { low: 0, high: 0 };
  sipHash(sipKey(key), message, into);
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(into.low, 0);
  bytes.writeUInt32LE(into.high, 4);
  return bytes.toString("hex");
}

it.each([
  [0, "310e0edd47db6f72"],
  [1, "fd67dc93c539f874"],
  [2, "5a4fa9d909806c0d"],
  [3, "2d7efbd796666785"],
  [7, "37d1018bf50002ab"],
  [8, "6224939a79f5f593"],
  [15, "e545be4961ca29a1"],
  [63, "724506eb4c328a95"],
])("a message of %i bytes has the hash of the reference implementation", (length, expected) => {
  expect(hashOf(counting(16), counting(length))).toBe(expected);
});

it("another key gives another hash; eight bytes as two words have the hash of eight bytes", () => {
  expect(hashOf(counting(17).subarray(1), counting(15))).not.toBe("e545be4961ca29a1");
  const into: SipHash = { low: 0, high: 0 };
  sipHash64(sipKey(counting(16)), 0x03020100, 0x07060504, into);
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(into.low, 0);
  bytes.writeUInt32LE(into.high, 4);
  expect(bytes.toString("hex")).toBe("6224939a79f5f593");
});
