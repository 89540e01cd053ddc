// What the laid messages of a surface come to (PROOFS §2): its membership and lineage keys, by the kernel or by Node's own hash. It must not keep a name.
import { HASH_BYTES, KeyedHash, sha256Into } from "./fast-hash.ts";
import type { HashKernel, TokenHasher } from "./hash-kernel.ts";
import { type LaidPart, OP, OP_BITS } from "./laid-messages.ts";

/** The name key of the epoch, and the surface's own. */
export interface TokenKeys {
  readonly names: Uint8Array;
  readonly surface: Uint8Array;
}

/** Keys one after the other, in no order and with repetitions. */
export interface TokenLists {
  readonly membership: Uint8Array<ArrayBuffer>;
  readonly lineage: Uint8Array<ArrayBuffer>;
}

/** `kernel`: undefined where there is none. */
export function hashMessages(parts: readonly LaidPart[], keys: TokenKeys, kernel: HashKernel | undefined): TokenLists {
  const room = (count: (part: LaidPart) => number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(parts.reduce((sum, part) => sum + count(part) * HASH_BYTES, 0));
  const membership = room(({ members }) => members);
  const lineage = room(({ edges }) => edges);
  const hash = kernel === undefined ? messageHasher(keys) : kernel.tokens;
  kernel?.setKeys(keys.names, keys.surface);
  let members = 0;
  let edges = 0;
  for (const part of parts) {
    hash(part, membership, members, lineage, edges);
    members += part.members * HASH_BYTES;
    edges += part.edges * HASH_BYTES;
  }
  return { membership, lineage };
}

/** `HMAC(K_se, kind || HMAC(N_e, message))`, through Node. */
function messageHasher(keys: TokenKeys): TokenHasher {
  const [names, tokens] = [new KeyedHash(keys.names), new KeyedHash(keys.surface)];
  const plain = Buffer.alloc(HASH_BYTES);
  const token = Buffer.alloc(HASH_BYTES);
  return ({ laid, length }, members, membersFrom, edges, edgesFrom) => {
    const bytes = Buffer.from(laid, 0, length);
    let membersAt = membersFrom;
    let edgesAt = edgesFrom;
    for (let at = 0; at < length;) {
      const head = bytes.readUInt32LE(at);
      const [op, size] = [head & ((1 << OP_BITS) - 1), head >>> OP_BITS];
      at += 4;
      names.begin();
      if (op === OP.whole) {
        const digests = bytes.readUInt32LE(at);
        const from = at + 4 + size - HASH_BYTES;
        names.putBytes(bytes.subarray(at + 4, from));
        names.skip(HASH_BYTES);
        sha256Into(bytes.subarray(from, from + digests), names.room, names.end - HASH_BYTES);
        tokens.begin();
        tokens.putByte(bytes[at + 4] ?? 0);
        at = from + Math.max(digests, HASH_BYTES);
      } else {
        names.putBytes(bytes.subarray(at, at + size));
        tokens.begin();
        tokens.putByte(bytes[at] ?? 0);
        at += size;
      }
      tokens.skip(HASH_BYTES);
      names.into(tokens.room, tokens.end - HASH_BYTES);
      tokens.into(token, 0);
      if (op === OP.edge) {
        edges.set(token.subarray(0, HASH_BYTES / 2), edgesAt);
        edges.set(plain.subarray(0, HASH_BYTES / 2), edgesAt + HASH_BYTES / 2);
        edgesAt += HASH_BYTES;
        continue;
      }
      members.set(token, membersAt);
      membersAt += HASH_BYTES;
      if (op === OP.plain) plain.set(token);
    }
  };
}
