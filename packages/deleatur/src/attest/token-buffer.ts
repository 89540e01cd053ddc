// Collects 32-byte tree keys one after the other while a surface is scanned: no object for each. It must not sort or drop any.
import { KEY_BYTES } from "./sort-keys.ts";

export interface TokenBuffer {
  add(token: Uint8Array): void;
  /** A view of what was added. */
  bytes(): Buffer;
  clear(): void;
}

export function createTokenBuffer(): TokenBuffer {
  let buffer = Buffer.allocUnsafeSlow(64 * KEY_BYTES);
  let end = 0;
  return {
    add(token) {
      if (end === buffer.length) {
        const grown = Buffer.allocUnsafeSlow(2 * buffer.length);
        buffer.copy(grown);
        buffer = grown;
      }
      buffer.set(token, end);
      end += KEY_BYTES;
    },
    bytes: () => buffer.subarray(0, end),
    clear() {
      end = 0;
    },
  };
}
