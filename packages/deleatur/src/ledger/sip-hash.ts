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

/** Hashes the first `length` bytes of `message` into `into`, which is given so that nothing is allocated for each word of a text. */
export function sipHash(key: SipKey, message: Uint8Array, length: number, into: SipHash): void {
  const state: State = [
    key[0] ^ 0x70736575,
    key[1] ^ 0x736f6d65,
    key[2] ^ 0x6e646f6d,
    key[3] ^ 0x646f7261,
    key[0] ^ 0x6e657261,
    key[1] ^ 0x6c796765,
    key[2] ^ 0x79746573,
    key[3] ^ 0x74656462,
  ];
  const whole = length - (length % 8);
  for (let at = 0; at < whole; at += 8) absorb(state, word(message, at), word(message, at + 4));
  // The last block: what is left, and the length modulo 256 in its highest byte (§2.1 of the paper).
  let low = 0;
  let high = (length & 0xff) << 24;
  for (let at = whole; at < length; at += 1) {
    const byte = message[at] ?? 0;
    const place = at - whole;
    if (place < 4) low |= byte << (8 * place);
    else high |= byte << (8 * (place - 4));
  }
  absorb(state, low, high);
  state[4] ^= 0xff;
  for (let times = 0; times < 4; times += 1) round(state);
  into.low = (state[0] ^ state[2] ^ state[4] ^ state[6]) >>> 0;
  into.high = (state[1] ^ state[3] ^ state[5] ^ state[7]) >>> 0;
}

/** v0 to v3, each as low and high half. */
type State = [number, number, number, number, number, number, number, number];

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

function absorb(state: State, low: number, high: number): void {
  state[6] ^= low;
  state[7] ^= high;
  round(state);
  round(state);
  state[0] ^= low;
  state[1] ^= high;
}

function round(state: State): void {
  let [al, ah, bl, bh, cl, ch, dl, dh] = state;
  let held: number;
  // v0 += v1; v1 = rotl(v1, 13) ^ v0; v0 = rotl(v0, 32)
  held = (al >>> 0) + (bl >>> 0);
  al = held | 0;
  ah = (ah + bh + (held > 0xffffffff ? 1 : 0)) | 0;
  held = (bl << 13) | (bh >>> 19);
  bh = ((bh << 13) | (bl >>> 19)) ^ ah;
  bl = held ^ al;
  [al, ah] = [ah, al];
  // v2 += v3; v3 = rotl(v3, 16) ^ v2
  held = (cl >>> 0) + (dl >>> 0);
  cl = held | 0;
  ch = (ch + dh + (held > 0xffffffff ? 1 : 0)) | 0;
  held = (dl << 16) | (dh >>> 16);
  dh = ((dh << 16) | (dl >>> 16)) ^ ch;
  dl = held ^ cl;
  // v0 += v3; v3 = rotl(v3, 21) ^ v0
  held = (al >>> 0) + (dl >>> 0);
  al = held | 0;
  ah = (ah + dh + (held > 0xffffffff ? 1 : 0)) | 0;
  held = (dl << 21) | (dh >>> 11);
  dh = ((dh << 21) | (dl >>> 11)) ^ ah;
  dl = held ^ al;
  // v2 += v1; v1 = rotl(v1, 17) ^ v2; v2 = rotl(v2, 32)
  held = (cl >>> 0) + (bl >>> 0);
  cl = held | 0;
  ch = (ch + bh + (held > 0xffffffff ? 1 : 0)) | 0;
  held = (bl << 17) | (bh >>> 15);
  bh = ((bh << 17) | (bl >>> 15)) ^ ch;
  bl = held ^ cl;
  [cl, ch] = [ch, cl];
  state[0] = al;
  state[1] = ah;
  state[2] = bl;
  state[3] = bh;
  state[4] = cl;
  state[5] = ch;
  state[6] = dl;
  state[7] = dh;
}
