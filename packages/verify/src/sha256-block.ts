// SHA-256 (FIPS 180-4) of messages of at most a block, and of a tree's nodes: for the many small hashes of a receipt, without an object for each. What is
// longer goes to @noble/hashes, against which this is tested.

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4 §4.2.2), and of the square roots of eight (§5.3.3). */
const PRIMES: readonly number[] = (() => {
  const found: number[] = [];
  for (let n = 2; found.length < 64; n += 1) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
})();

/** The fraction of a root, exact: whole numbers only, by bisection of the scaled root. */
function rootFraction(prime: number, degree: 2 | 3): number {
  const scaled = BigInt(prime) << BigInt(32 * degree);
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(degree) <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn) | 0;
}

const K = Int32Array.from(PRIMES, (prime) => rootFraction(prime, 3));
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => rootFraction(prime, 2));

const BLOCK = 64;
/** The longest message that ends, with its padding, in one block. */
export const MAX_SHORT = 55;
const W = new Int32Array(64);
const STATE = new Int32Array(8);

/** Takes the sixteen words in `W` into a state. */
function compress(state: Int32Array): void {
  for (let t = 16; t < 64; t += 1) {
    const w15 = W[t - 15] ?? 0;
    const w2 = W[t - 2] ?? 0;
    const s0 = ((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3);
    const s1 = ((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10);
    W[t] = ((W[t - 16] ?? 0) + s0 + (W[t - 7] ?? 0) + s1) | 0;
  }
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let t = 0; t < 64; t += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[t] ?? 0) + (W[t] ?? 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = ((state[0] ?? 0) + a) | 0;
  state[1] = ((state[1] ?? 0) + b) | 0;
  state[2] = ((state[2] ?? 0) + c) | 0;
  state[3] = ((state[3] ?? 0) + d) | 0;
  state[4] = ((state[4] ?? 0) + e) | 0;
  state[5] = ((state[5] ?? 0) + f) | 0;
  state[6] = ((state[6] ?? 0) + g) | 0;
  state[7] = ((state[7] ?? 0) + h) | 0;
}

/** Lays 32 bytes into `W` from word `at` on. */
function putHalf(bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 8; i += 1) {
    const from = 4 * i;
    W[at + i] =
      ((bytes[from] ?? 0) << 24) |
      ((bytes[from + 1] ?? 0) << 16) |
      ((bytes[from + 2] ?? 0) << 8) |
      (bytes[from + 3] ?? 0);
  }
}

/** Lays a short message and its padding into `W`; `before`: how many bytes were hashed before it. */
function putShort(message: Uint8Array, before: number): void {
  if (message.length > MAX_SHORT) throw new RangeError("a short message has at most 55 bytes");
  W.fill(0, 0, 16);
  for (let i = 0; i < message.length; i += 1) W[i >> 2] = (W[i >> 2] ?? 0) | ((message[i] ?? 0) << (24 - 8 * (i & 3)));
  const end = message.length;
  W[end >> 2] = (W[end >> 2] ?? 0) | (0x80 << (24 - 8 * (end & 3)));
  W[15] = 8 * (before + message.length);
}

function bytesOf(state: Int32Array): Uint8Array {
  const bytes = new Uint8Array(32);
  for (let i = 0; i < 8; i += 1) {
    const word = state[i] ?? 0;
    bytes[4 * i] = word >>> 24;
    bytes[4 * i + 1] = word >>> 16;
    bytes[4 * i + 2] = word >>> 8;
    bytes[4 * i + 3] = word;
  }
  return bytes;
}

/** SHA-256 of at most 55 bytes. @throws RangeError where there are more */
export function sha256Short(message: Uint8Array): Uint8Array {
  STATE.set(INITIAL);
  putShort(message, 0);
  compress(STATE);
  return bytesOf(STATE);
}

/** SHA-256 of two times 32 bytes, one after the other. */
export function sha256Pair(left: Uint8Array, right: Uint8Array): Uint8Array {
  STATE.set(INITIAL);
  putHalf(left, 0);
  putHalf(right, 8);
  compress(STATE);
  W.fill(0, 0, 16);
  W[0] = 0x80 << 24;
  W[15] = 8 * BLOCK;
  compress(STATE);
  return bytesOf(STATE);
}

/** HMAC-SHA-256 (RFC 2104) of at most 55 bytes under one key of 32, whose two blocks are taken in once. */
export function shortHmac(key: Uint8Array): (message: Uint8Array) => Uint8Array {
  if (key.length !== 32) throw new RangeError("a key is not 32 bytes");
  const taken = (mask: number): Int32Array => {
    const state = INITIAL.slice();
    W.fill(Math.imul(mask, 0x01010101), 0, 16);
    for (const [i, byte] of key.entries()) W[i >> 2] = (W[i >> 2] ?? 0) ^ (byte << (24 - 8 * (i & 3)));
    compress(state);
    return state;
  };
  const [inner, outer] = [taken(0x36), taken(0x5c)];
  return (message) => {
    STATE.set(inner);
    putShort(message, BLOCK);
    compress(STATE);
    W.set(STATE);
    W.fill(0, 8, 16);
    W[8] = 0x80 << 24;
    W[15] = 8 * (BLOCK + 32);
    STATE.set(outer);
    compress(STATE);
    return bytesOf(STATE);
  };
}
