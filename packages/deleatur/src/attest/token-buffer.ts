// Collects 32-byte tree keys one after the other while a surface is scanned: no object for each. It must not sort or drop any.
import { KEY_BYTES } from "./sort-keys.ts";

export interface TokenBuffer {
  /** Makes room for one more key: it is laid into `bytes` at the place that is answered. */
  next(): number;
  /** All of it; `next` may move it. */
  bytes: Uint8Array;
  /** A view of what was added. */
  added(): Uint8Array;
  clear(): void;
  /** Has the keys stand where another thread can read them too; those that are added afterwards do not. */
  share(): SharedArrayBuffer;
  /** Has the same keys stand in another buffer, which is not written to. */
  standIn(keys: Uint8Array): void;
}

export function createTokenBuffer(): TokenBuffer {
  let end = 0;
  const tokens: TokenBuffer = {
    bytes: Buffer.allocUnsafeSlow(64 * KEY_BYTES),
    next() {
      if (end === tokens.bytes.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(64 * KEY_BYTES, 2 * end));
        grown.set(tokens.bytes);
        tokens.bytes = grown;
      }
      end += KEY_BYTES;
      return end - KEY_BYTES;
    },
    added: () => tokens.bytes.subarray(0, end),
    clear() {
      tokens.bytes = Buffer.alloc(0);
      end = 0;
    },
    share() {
      const shared = new SharedArrayBuffer(end);
      const bytes = new Uint8Array(shared);
      bytes.set(tokens.added());
      tokens.bytes = bytes;
      return shared;
    },
    standIn(keys) {
      tokens.bytes = keys;
      end = keys.length;
    },
  };
  return tokens;
}
