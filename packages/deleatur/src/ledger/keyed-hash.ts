// HMAC-SHA-256 with its two key blocks prepared once: for many short messages under one key. It must not keep a message, and never hands the key out.
import { createHmac, hash } from "node:crypto";

const BLOCK = 64;
const ROOM = 4_096;
const INNER = 0x36;
const OUTER = 0x5c;
const HASH_BYTES = 32;
/** Messages of up to so many bytes are the many. */
const SHORT = 256;

export type HashPart = string | Uint8Array;

/** Digests `prefix`, then each part behind its length (u32, big-endian), so that no two lists of parts run together. Text is UTF-8. Answers hex. */
export type KeyedHash = (prefix: Uint8Array, parts: readonly HashPart[]) => string;

function keyBlock(key: Uint8Array, mask: number): Buffer {
  const block = Buffer.alloc(BLOCK, mask);
  key.forEach((byte, at) => {
    block[at] = byte ^ mask;
  });
  return block;
}

/** `key` has 32 bytes. A native call for each half of the HMAC costs less than an HMAC object, and gives the same 32 bytes. */
export function createKeyedHash(key: Uint8Array): KeyedHash {
  const inner = Buffer.concat([keyBlock(key, INNER), Buffer.alloc(ROOM)]);
  const outer = Buffer.concat([keyBlock(key, OUTER), Buffer.alloc(HASH_BYTES)]);

  function long(prefix: Uint8Array, parts: readonly HashPart[]): string {
    const hmac = createHmac("sha256", key).update(prefix);
    for (const part of parts) {
      const bytes = typeof part === "string" ? Buffer.from(part, "utf8") : part;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      hmac.update(length).update(bytes);
    }
    return hmac.digest("hex");
  }

  /** By length, for short messages: a view of the first half. */
  const views: (Uint8Array | undefined)[] = Array.from({ length: BLOCK + SHORT });
  const viewTo = (end: number): Uint8Array =>
    end < views.length ? (views[end] ??= inner.subarray(0, end)) : inner.subarray(0, end);

  /** Lays a text as UTF-8. Answers how many bytes it is; of a short one in ASCII a loop takes less time than a call. */
  function put(text: string, start: number): number {
    if (text.length > SHORT) return inner.write(text, start, "utf8");
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 0x7f) return inner.write(text, start, "utf8");
      inner[start + at] = code;
    }
    return text.length;
  }

  return (prefix, parts) => {
    // A UTF-16 unit becomes three bytes at the most.
    let most = prefix.length;
    for (const part of parts) most += 4 + (typeof part === "string" ? part.length * 3 : part.length);
    if (most > ROOM) return long(prefix, parts);
    inner.set(prefix, BLOCK);
    let end = BLOCK + prefix.length;
    for (const part of parts) {
      const start = end + 4;
      let length = part.length;
      if (typeof part === "string") length = put(part, start);
      else inner.set(part, start);
      inner[end] = length >>> 24;
      inner[end + 1] = length >>> 16;
      inner[end + 2] = length >>> 8;
      inner[end + 3] = length;
      end = start + length;
    }
    const half = hash("sha256", viewTo(end), "binary");
    for (let at = 0; at < HASH_BYTES; at += 1) outer[BLOCK + at] = half.charCodeAt(at);
    return hash("sha256", outer, "hex");
  };
}
