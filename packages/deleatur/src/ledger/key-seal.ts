// Seals an artifact's key under its own keyed digest: the digest is the counter's start and, once opened, the proof (a synthetic IV). It must not seal anything else.
import { createCipheriv } from "node:crypto";

const BLOCK = 16;
const END_MARK = 0x80;

export interface KeySeal {
  /** `digest`: at least 16 bytes of a keyed digest over nothing but this text and where it stands, so that no counter ever meets a second text. */
  seal(digest: Uint8Array, text: string): Uint8Array;
  /** Undefined where it cannot be what `seal` made. The caller digests the text again and compares: only that tells another row's value. */
  open(digest: Uint8Array, sealed: Uint8Array): string | undefined;
}

/**
 * AES-256 in counter mode; texts are padded to whole blocks, which also hides their length. One cipher makes every keystream, for a cipher
 * object a row costs more than all else that is done for it. `key` has 32 bytes and serves nothing else.
 */
export function createKeySeal(key: Uint8Array): KeySeal {
  const cipher = createCipheriv("aes-256-ecb", key, null);
  cipher.setAutoPadding(false);
  let counters = Buffer.alloc(8 * BLOCK);

  function keystream(digest: Uint8Array, blocks: number): Uint8Array {
    if (counters.length < blocks * BLOCK) counters = Buffer.alloc(blocks * BLOCK);
    for (let block = 0; block < blocks; block += 1) {
      const start = block * BLOCK;
      counters.set(digest.subarray(0, BLOCK), start);
      let carry = block;
      for (let at = start + BLOCK - 1; carry > 0 && at >= start; at -= 1) {
        carry += counters[at] ?? 0;
        counters[at] = carry & 0xff;
        carry >>>= 8;
      }
    }
    return cipher.update(counters.subarray(0, blocks * BLOCK));
  }

  return {
    seal(digest, text) {
      const length = Buffer.byteLength(text, "utf8");
      const padded = Buffer.alloc((Math.floor(length / BLOCK) + 1) * BLOCK);
      padded.write(text, "utf8");
      padded[length] = END_MARK;
      const stream = keystream(digest, padded.length / BLOCK);
      for (let at = 0; at < padded.length; at += 1) padded[at] = (padded[at] ?? 0) ^ (stream[at] ?? 0);
      return padded;
    },
    open(digest, sealed) {
      if (sealed.length === 0 || sealed.length % BLOCK !== 0) return undefined;
      const stream = keystream(digest, sealed.length / BLOCK);
      const padded = Buffer.from(sealed);
      for (let at = 0; at < padded.length; at += 1) padded[at] = (padded[at] ?? 0) ^ (stream[at] ?? 0);
      const end = padded.lastIndexOf(END_MARK);
      // Behind the mark there is nothing but zeros.
      for (let at = end + 1; at < padded.length; at += 1) if (padded[at] !== 0) return undefined;
      return end < 0 ? undefined : padded.toString("utf8", 0, end);
    },
  };
}
