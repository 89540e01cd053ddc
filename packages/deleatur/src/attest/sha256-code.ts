// SHA-256 (FIPS 180-4), HMAC and the tokens of laid messages as WebAssembly: one call for a whole batch. Its bytes are held against Node's own by tests, and by a look before each use.
import {
  add,
  and,
  call,
  type Code,
  constant,
  copy,
  copyFixed,
  type Func,
  get,
  isEqual,
  isLess,
  load,
  loadByte,
  loopWhile,
  moduleOf,
  or,
  rotateLeft,
  rotateRight,
  set,
  shiftLeft,
  shiftRight,
  storeByte,
  storeWord,
  subtract,
  when,
  xor,
  zeroFixed,
} from "./wasm-code.ts";
import { OP, OP_BITS } from "./laid-messages.ts";

/** Where things stand in the module's memory. What is not named here is the caller's, from `FREE` on. */
export const AT = {
  /** The eight words that a hash begins with. */
  initial: 0,
  /** Of the name key and of the surface's: the state behind the inner padded key, then behind the outer. */
  names: 32,
  surface: 96,
  state: 160,
  /** A message's last block or two. */
  last: 192,
  /** The inner hash of an HMAC. */
  inner: 320,
  /** A kind and a name: what a token is made of. */
  name: 352,
  token: 392,
  /** The last artifact's plain token. */
  plain: 424,
  leaf: 512,
  pair: 576,
  /** Where `tokens` has ended in both lists. */
  ends: 640,
} as const;
export const FREE = 1024;

const BLOCK = 64;
const HASH = 32;

/** FIPS 180-4 §4.2.2. */
// prettier-ignore
const K: readonly number[] = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
/** FIPS 180-4 §5.3.3. */
// prettier-ignore
export const INITIAL: readonly number[] = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const rotated = (value: Code, ...by: readonly [number, number, number]): Code => {
  const [first, second, third] = by.map((bits) => rotateRight(value, constant(bits)));
  return xor(xor(first ?? [], second ?? []), third ?? []);
};
const shifted = (value: Code, first: number, second: number, out: number): Code =>
  xor(xor(rotateRight(value, constant(first)), rotateRight(value, constant(second))), shiftRight(value, constant(out)));

/** A word's bytes the other way round. */
const swapped = (value: Code): Code =>
  or(
    and(rotateLeft(value, constant(8)), constant(0x00ff00ff)),
    and(rotateRight(value, constant(8)), constant(0xff00ff00)),
  );

/** The working variables of FIPS 180-4 §6.2.2. */
const [A, B, C, D, E, F, G, H] = [0, 1, 2, 3, 4, 5, 6, 7];
const STATE = 0;
/** Locals: the eight working variables from `working` on. `wordOf` has each round's word made, or is a constant. */
function rounds(working: number, wordOf: (round: number) => { readonly make: Code; readonly addend: Code }): Code {
  const code: number[] = [];
  const variable = (name: number, round: number): number => working + ((name - round + 64) % 8);
  for (let word = 0; word < 8; word += 1) code.push(...set(working + word, load(get(STATE), 4 * word)));
  for (let round = 0; round < 64; round += 1) {
    const of = (name: number): Code => get(variable(name, round));
    const { make, addend } = wordOf(round);
    const choice = xor(of(G), and(of(E), xor(of(F), of(G))));
    const majority = or(and(of(A), of(B)), and(of(C), or(of(A), of(B))));
    code.push(
      ...make,
      // h takes T1, d its sum with it, and then h the new a: the names move on by one.
      ...set(variable(H, round), add(add(of(H), rotated(of(E), 6, 11, 25)), add(choice, addend))),
      ...set(variable(D, round), add(of(D), of(H))),
      ...set(variable(H, round), add(of(H), add(rotated(of(A), 2, 13, 22), majority))),
    );
  }
  for (let word = 0; word < 8; word += 1)
    code.push(...storeWord(get(STATE), add(load(get(STATE), 4 * word), get(working + word)), 4 * word));
  return code;
}

/** `compress(state, block)` */
function compressCode(): Code {
  const WORDS = 2;
  const wordAt = (round: number): Code => get(WORDS + (round & 15));
  return rounds(WORDS + 16, (round) => ({
    make: set(
      WORDS + (round & 15),
      round < 16
        ? swapped(load(get(1), 4 * round))
        : add(
            add(wordAt(round), shifted(wordAt(round + 1), 7, 18, 3)),
            add(wordAt(round + 9), shifted(wordAt(round + 14), 17, 19, 10)),
          ),
    ),
    addend: add(wordAt(round), constant(K[round] ?? 0)),
  }));
}

function turned(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

/** `compressEnd(state)`: the block behind a message of 64 bytes, which is always the same. */
function compressEndCode(): Code {
  const words = [1 << 31, ...Array.from({ length: 14 }, () => 0), 8 * BLOCK];
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [words[at - 15] ?? 0, words[at - 2] ?? 0];
    const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words.push(((words[at - 16] ?? 0) + first + (words[at - 7] ?? 0) + second) | 0);
  }
  return rounds(1, (round) => ({ make: [], addend: constant(((words[round] ?? 0) + (K[round] ?? 0)) | 0) }));
}

const COMPRESS = 0;
const COMPRESS_END = 1;
const PUT = 2;
const DIGEST = 3;
const HMAC = 4;

/** `put(target)`: the state as 32 bytes. */
const putCode: Code = Array.from({ length: 8 }, (_, word) =>
  storeWord(get(0), swapped(load(constant(AT.state), 4 * word)), 4 * word),
).flat();

/** `digest(start, before, message, length, target)`: on from a state that has taken so many bytes. */
function digestCode(): Code {
  const [START, BEFORE, MESSAGE, LENGTH, TARGET, LEFT, BITS] = [0, 1, 2, 3, 4, 5, 6];
  const [state, last] = [constant(AT.state), constant(AT.last)];
  const bitLength = (at: number): Code => [
    ...storeWord(last, swapped(get(BITS)), at - 4),
    ...storeWord(last, swapped(shiftRight(add(get(BEFORE), get(LENGTH)), constant(29))), at - 8),
  ];
  return [
    ...copyFixed(state, get(START), HASH),
    ...set(LEFT, get(LENGTH)),
    ...set(BITS, shiftLeft(add(get(BEFORE), get(LENGTH)), constant(3))),
    ...loopWhile(isLess(constant(BLOCK - 1), get(LEFT)), [
      ...call(COMPRESS, state, get(MESSAGE)),
      ...set(MESSAGE, add(get(MESSAGE), constant(BLOCK))),
      ...set(LEFT, subtract(get(LEFT), constant(BLOCK))),
    ]),
    ...zeroFixed(last, 2 * BLOCK),
    ...copy(last, get(MESSAGE), get(LEFT)),
    ...storeByte(add(last, get(LEFT)), constant(0x80)),
    ...when(
      isLess(get(LEFT), constant(BLOCK - 8)),
      [...bitLength(BLOCK), ...call(COMPRESS, state, last)],
      [...bitLength(2 * BLOCK), ...call(COMPRESS, state, last), ...call(COMPRESS, state, constant(AT.last + BLOCK))],
    ),
    ...call(PUT, get(TARGET)),
  ];
}

/** `hmac(states, message, length, target)` */
const hmacCode: Code = [
  ...call(DIGEST, get(0), constant(BLOCK), get(1), get(2), constant(AT.inner)),
  ...call(DIGEST, add(get(0), constant(HASH)), constant(BLOCK), constant(AT.inner), constant(HASH), get(3)),
];

/** `leaf(key, target)`: H(0x00 || key). The block stands ready but for the key. */
const leafCode: Code = [
  ...copyFixed(constant(AT.leaf + 1), get(0), HASH),
  ...copyFixed(constant(AT.state), constant(AT.initial), HASH),
  ...call(COMPRESS, constant(AT.state), constant(AT.leaf)),
  ...call(PUT, get(1)),
];

/** `node(left, right, target)`: H(left || right) */
const nodeCode: Code = [
  ...copyFixed(constant(AT.pair), get(0), HASH),
  ...copyFixed(constant(AT.pair + HASH), get(1), HASH),
  ...copyFixed(constant(AT.state), constant(AT.initial), HASH),
  ...call(COMPRESS, constant(AT.state), constant(AT.pair)),
  ...call(COMPRESS_END, constant(AT.state)),
  ...call(PUT, get(2)),
];

/** `tokens(from, to, members, edges)`: what laid messages come to, behind each other in two lists of keys (`laid-messages.ts`). */
function tokensCode(): Code {
  const [FROM, TO, MEMBERS, EDGES, HEAD, LENGTH, SKIP] = [0, 1, 2, 3, 4, 5, 6];
  const [name, token, plain] = [constant(AT.name), constant(AT.token), constant(AT.plain)];
  const kindIs = (kind: number): Code => isEqual(and(get(HEAD), constant((1 << OP_BITS) - 1)), constant(kind));
  const digests = add(get(FROM), subtract(get(LENGTH), constant(HASH)));
  return [
    ...loopWhile(isLess(get(FROM), get(TO)), [
      ...set(HEAD, load(get(FROM))),
      ...set(LENGTH, shiftRight(get(HEAD), constant(OP_BITS))),
      ...set(SKIP, get(LENGTH)),
      ...set(FROM, add(get(FROM), constant(4))),
      ...when(kindIs(OP.whole), [
        // Digests of fields stand where theirs should: in front of them, how many bytes.
        ...set(SKIP, load(get(FROM))),
        ...set(FROM, add(get(FROM), constant(4))),
        ...call(DIGEST, constant(AT.initial), constant(0), digests, get(SKIP), digests),
        ...when(isLess(get(SKIP), constant(HASH)), set(SKIP, constant(HASH))),
        ...set(SKIP, add(get(SKIP), subtract(get(LENGTH), constant(HASH)))),
      ]),
      ...storeByte(name, loadByte(get(FROM))),
      ...call(HMAC, constant(AT.names), get(FROM), get(LENGTH), constant(AT.name + 1)),
      ...set(FROM, add(get(FROM), get(SKIP))),
      ...call(HMAC, constant(AT.surface), name, constant(HASH + 1), token),
      ...when(
        kindIs(OP.edge),
        [
          ...copyFixed(get(EDGES), token, HASH / 2),
          ...copyFixed(add(get(EDGES), constant(HASH / 2)), plain, HASH / 2),
          ...set(EDGES, add(get(EDGES), constant(HASH))),
        ],
        [
          ...copyFixed(get(MEMBERS), token, HASH),
          ...set(MEMBERS, add(get(MEMBERS), constant(HASH))),
          ...when(kindIs(OP.plain), copyFixed(plain, token, HASH)),
        ],
      ),
    ]),
    ...storeWord(constant(AT.ends), get(MEMBERS)),
    ...storeWord(constant(AT.ends), get(EDGES), 4),
  ];
}

/** The module; its exports are `HashExports`. */
export function hashModule(): Uint8Array<ArrayBuffer> {
  // In the order of the numbers by which they call each other.
  const functions: readonly Func[] = [
    { name: "compress", parameters: 2, locals: 24, body: compressCode() },
    { name: "compressEnd", parameters: 1, locals: 8, body: compressEndCode() },
    { name: "put", parameters: 1, locals: 0, body: putCode },
    { name: "digest", parameters: 5, locals: 2, body: digestCode() },
    { name: "hmac", parameters: 4, locals: 0, body: hmacCode },
    { name: "leaf", parameters: 2, locals: 0, body: leafCode },
    { name: "node", parameters: 3, locals: 0, body: nodeCode },
    { name: "tokens", parameters: 4, locals: 3, body: tokensCode() },
  ];
  return moduleOf(functions, 1);
}
