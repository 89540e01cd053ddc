// The kernel that hashes batches: an instance of `sha256-code.ts` with its memory. It hands no key out; where it cannot be had, or does not hash as Node does, there is none.
import { createHmac } from "node:crypto";
import { HASH_BYTES, sha256 } from "./fast-hash.ts";
import { hashInto, type KeyHashes, type TreeHasher, workBytes } from "./hash-tree.ts";
import type { LaidPart } from "./laid-messages.ts";
import { AT, FREE, hashModule, INITIAL } from "./sha256-code.ts";

/** What of the engine's WebAssembly is used; the compiler's own types of it come with a browser's. */
interface Engine {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** What each does is said in `sha256-code.ts`. All numbers are places in the memory, or lengths. */
interface HashExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly compress: (state: number, block: number) => void;
  readonly digest: (start: number, before: number, message: number, length: number, target: number) => void;
  readonly hmac: (states: number, message: number, length: number, target: number) => void;
  readonly leaf: (key: number, target: number) => void;
  readonly node: (left: number, right: number, target: number) => void;
  readonly tokens: (from: number, to: number, members: number, edges: number) => void;
}

const PAGE = 1 << 16;
const BLOCK = 64;
const INNER = 0x36;
const OUTER = 0x5c;

/** Lays what the messages of a part come to into both lists, from these places on. */
export type TokenHasher = (
  part: LaidPart,
  members: Uint8Array,
  membersAt: number,
  edges: Uint8Array,
  edgesAt: number,
) => void;

export interface HashKernel {
  /** The keys of the messages that come, of at most a block each. */
  setKeys(names: Uint8Array, surface: Uint8Array): void;
  readonly tokens: TokenHasher;
  hashTree(keys: Uint8Array): KeyHashes;
}

let module: object | undefined;
let isRefused = false;

/** A kernel with a memory of its own, which goes with it. */
export function openKernel(): HashKernel | undefined {
  if (isRefused) return undefined;
  try {
    // A global of every engine that we run on, unless it was started without.
    const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;
    module ??= new Module(hashModule());
    // The module is ours, and exports this.
    const kernel = createKernel(new Instance(module).exports as HashExports);
    if (kernel !== undefined) return kernel;
  } catch {
    // No WebAssembly here: Node's own hash does it.
  }
  isRefused = true;
  return undefined;
}

function createKernel(code: HashExports): HashKernel | undefined {
  let bytes = new Uint8Array(code.memory.buffer);
  const words = new DataView(code.memory.buffer);
  for (const [at, word] of INITIAL.entries()) words.setInt32(AT.initial + 4 * at, word, true);
  // The padding of a message of 33 bytes.
  bytes[AT.leaf + 1 + HASH_BYTES] = 0x80;
  words.setUint16(AT.leaf + BLOCK - 2, 8 * (1 + HASH_BYTES));

  const reserve = (end: number): void => {
    if (end > bytes.length) code.memory.grow(Math.ceil((end - bytes.length) / PAGE));
    bytes = new Uint8Array(code.memory.buffer);
  };
  const setKey = (states: number, key: Uint8Array): void => {
    if (key.length > BLOCK) throw new RangeError("a key of more than one block must be hashed first");
    for (const [place, mask] of [INNER, OUTER].entries()) {
      for (let at = 0; at < BLOCK; at += 1) bytes[AT.last + at] = (key[at] ?? 0) ^ mask;
      bytes.copyWithin(states + place * HASH_BYTES, AT.initial, AT.initial + HASH_BYTES);
      code.compress(states + place * HASH_BYTES, AT.last);
    }
    bytes.fill(0, AT.last, AT.last + BLOCK);
  };
  const hasher: TreeHasher = {
    leaf: (_key, at, _target, targetAt) => code.leaf(at, targetAt),
    node: (_left, leftAt, _right, rightAt, _target, targetAt) => code.node(leftAt, rightAt, targetAt),
  };

  const laid = (length: number): Uint8Array => bytes.slice(FREE, FREE + length);

  /** Whether it hashes as Node does: messages that end in one, two and three blocks, a leaf and a node. */
  function isSound(): boolean {
    reserve(FREE + 256);
    const target = FREE + 160;
    const isSame = (expected: Uint8Array): boolean =>
      Buffer.compare(expected, bytes.subarray(target, target + HASH_BYTES)) === 0;
    const key = Uint8Array.from({ length: HASH_BYTES }, (_, at) => 7 * at);
    setKey(AT.names, key);
    for (let at = 0; at < 130; at += 1) bytes[FREE + at] = at * at;
    const areMessagesSame = [0, 33, 55, 56, 64, 130].every((length) => {
      code.digest(AT.initial, 0, FREE, length, target);
      const isHash = isSame(sha256(laid(length)));
      code.hmac(AT.names, FREE, length, target);
      return isHash && isSame(createHmac("sha256", key).update(laid(length)).digest());
    });
    code.leaf(FREE, target);
    const isLeafSame = isSame(sha256(Buffer.concat([Uint8Array.of(0), laid(HASH_BYTES)])));
    code.node(FREE, FREE + HASH_BYTES, target);
    return areMessagesSame && isLeafSame && isSame(sha256(laid(2 * HASH_BYTES)));
  }

  if (!isSound()) return undefined;
  return {
    setKeys(names, surface) {
      setKey(AT.names, names);
      setKey(AT.surface, surface);
    },
    tokens({ laid, length, members: m, edges: e }, members, membersAt, edges, edgesAt) {
      const from = FREE;
      const [own, others] = [from + length, from + length + m * HASH_BYTES];
      reserve(others + e * HASH_BYTES);
      bytes.set(new Uint8Array(laid, 0, length), from);
      code.tokens(from, from + length, own, others);
      const ends = new Uint32Array(code.memory.buffer, AT.ends, 2);
      if (ends[0] !== others || ends[1] !== others + e * HASH_BYTES)
        throw new RangeError("laid messages do not come to the keys that were counted");
      members.set(bytes.subarray(own, others), membersAt);
      edges.set(bytes.subarray(others, others + e * HASH_BYTES), edgesAt);
    },
    hashTree(keys) {
      const size = keys.length / HASH_BYTES;
      const [keysAt, branchesAt, workAt] = [FREE, FREE + keys.length, FREE + 2 * keys.length];
      reserve(workAt + workBytes(size));
      bytes.fill(0, workAt, workAt + HASH_BYTES);
      bytes.set(keys, keysAt);
      const room = { keys: bytes, keysAt, branches: bytes, branchesAt, work: bytes, workAt };
      const rootAt = size === 0 ? workAt : hashInto(room, size, hasher);
      return { branches: bytes.slice(branchesAt, workAt), root: bytes.slice(rootAt, rootAt + HASH_BYTES) };
    },
  };
}
