// SipHash-2-4 (Aumasson and Bernstein 2012) in 32-bit halves: a keyed hash that is fast on short input. It must not be used where 64 bits are too few.

/** A 128-bit key as four little-endian words. */
export type SipKey = readonly [number, number, number, number];

/** The first 16 bytes of a secret as a key. */
export function sipKey(secret: Uint8Array): SipKey {
  return [word(secret, 0), word(secret, 4), word(secret, 8), word(secret, 12)];
}

/** Low and high half of the hash, each in 0 … 2³²−1. */
export interface SipHash {
  low: number;
  high: number;
}

/** Hashes a message into `into`, which is given so that nothing is allocated for each. */
export function sipHash(key: SipKey, message: Uint8Array, into: SipHash): void {
  const whole = message.length >>> 3;
  const tail = message.subarray(8 * whole);
  // The last block: what is left, and the length modulo 256 in its highest byte (§2.1 of the paper).
  const last = new Uint8Array(8);
  last.set(tail);
  last[7] = message.length & 0xff;
  const blocks = new Int32Array(2 * whole + 2);
  for (let at = 0; at < 2 * whole; at += 1) blocks[at] = word(message, 4 * at);
  blocks[2 * whole] = word(last, 0);
  blocks[2 * whole + 1] = word(last, 4);
  hashBlocks(key, blocks, into);
}

const OF_EIGHT = new Int32Array(4);

/** The same for a message of eight bytes, given as two little-endian words. */
export function sipHash64(key: SipKey, low: number, high: number, into: SipHash): void {
  OF_EIGHT[0] = low;
  OF_EIGHT[1] = high;
  OF_EIGHT[2] = 0;
  OF_EIGHT[3] = 0x08000000;
  hashBlocks(key, OF_EIGHT, into);
}

/** The same for a message that is words already, an even number of them, the first `length` of `words`: no two messages of the caller's may be the same words. */
export function sipHashWords(key: SipKey, words: Int32Array, length: number, into: SipHash): void {
  hashBlocks(key, words, into, length);
}

/** `blocks`: the whole message, its last block included. v0 to v3 stand in variables of their own, as low and high half; an array of them is twice as slow. */
function hashBlocks(key: SipKey, blocks: Int32Array, into: SipHash, mixing: number = blocks.length): void {
  let al = key[0] ^ 0x70736575;
  let ah = key[1] ^ 0x736f6d65;
  let bl = key[2] ^ 0x6e646f6d;
  let bh = key[3] ^ 0x646f7261;
  let cl = key[0] ^ 0x6e657261;
  let ch = key[1] ^ 0x6c796765;
  let dl = key[2] ^ 0x79746573;
  let dh = key[3] ^ 0x74656462;
  // Two rounds for each block, four more at the end; a block goes in before its rounds, and again after them.
  let low = 0;
  let high = 0;
  for (let round = 0; round < mixing + 4; round += 1) {
    if ((round & 1) === 0 && round <= mixing) {
      al ^= low;
      ah ^= high;
      if (round === mixing) cl ^= 0xff;
      else {
        low = blocks[round] ?? 0;
        high = blocks[round + 1] ?? 0;
        dl ^= low;
        dh ^= high;
      }
    }
    // v0 += v1; v1 = rotl(v1, 13) ^ v0; v0 = rotl(v0, 32). The carry of a + b is (a & b | (a | b) & ~sum) at its highest bit.
    let sum = (al + bl) | 0;
    let held = (ah + bh + (((al & bl) | ((al | bl) & ~sum)) >>> 31)) | 0;
    al = held;
    ah = sum;
    held = ((bl << 13) | (bh >>> 19)) ^ ah;
    bh = ((bh << 13) | (bl >>> 19)) ^ al;
    bl = held;
    // v2 += v3; v3 = rotl(v3, 16) ^ v2
    sum = (cl + dl) | 0;
    ch = (ch + dh + (((cl & dl) | ((cl | dl) & ~sum)) >>> 31)) | 0;
    cl = sum;
    held = ((dl << 16) | (dh >>> 16)) ^ cl;
    dh = ((dh << 16) | (dl >>> 16)) ^ ch;
    dl = held;
    // v0 += v3; v3 = rotl(v3, 21) ^ v0
    sum = (al + dl) | 0;
    ah = (ah + dh + (((al & dl) | ((al | dl) & ~sum)) >>> 31)) | 0;
    al = sum;
    held = ((dl << 21) | (dh >>> 11)) ^ al;
    dh = ((dh << 21) | (dl >>> 11)) ^ ah;
    dl = held;
    // v2 += v1; v1 = rotl(v1, 17) ^ v2; v2 = rotl(v2, 32)
    sum = (cl + bl) | 0;
    held = (ch + bh + (((cl & bl) | ((cl | bl) & ~sum)) >>> 31)) | 0;
    cl = held;
    ch = sum;
    held = ((bl << 17) | (bh >>> 15)) ^ ch;
    bh = ((bh << 17) | (bl >>> 15)) ^ cl;
    bl = held;
  }
  into.low = (al ^ bl ^ cl ^ dl) >>> 0;
  into.high = (ah ^ bh ^ ch ^ dh) >>> 0;
}

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}
