// Lays texts and digests as words for a SipHash, one message after the other in the same room. It must not let two messages of different parts be the same words.
import { type SipHash, type SipKey, sipHashWords } from "./sip-hash.ts";

export interface SipMessage {
  putText(text: string): void;
  /** Hex of whole words. */
  putHex(hex: string): void;
  putNumber(number: number): void;
  /** Ends the message. It can be hashed under several keys until the next one begins. */
  end(): void;
  hash(key: SipKey, into: SipHash): void;
}

export function createSipMessage(): SipMessage {
  let words = new Int32Array(256);
  let length = 0;
  let isEnded = false;

  function room(more: number): void {
    if (isEnded) {
      length = 0;
      isEnded = false;
    }
    if (length + more <= words.length) return;
    const larger = new Int32Array(2 * (length + more));
    larger.set(words.subarray(0, length));
    words = larger;
  }

  return {
    /** Its length, then its UTF-16 units, two a word: no two lists of texts are the same words. */
    putText(text) {
      room(1 + (text.length >> 1) + 1);
      words[length] = text.length;
      length += 1;
      let at = 0;
      for (; at + 1 < text.length; at += 2) {
        words[length] = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
        length += 1;
      }
      if (at === text.length) return;
      words[length] = text.charCodeAt(at);
      length += 1;
    },
    /** Eight digits a word. */
    putHex(hex) {
      room(hex.length >> 3);
      for (let at = 0; at + 8 <= hex.length; at += 8) {
        let word = 0;
        for (let digit = at; digit < at + 8; digit += 1) word = (word << 4) | (HEX[hex.charCodeAt(digit) & 0x7f] ?? 0);
        words[length] = word;
        length += 1;
      }
    },
    putNumber(number) {
      room(1);
      words[length] = number;
      length += 1;
    },
    end() {
      room(2);
      if (length % 2 === 0) {
        words[length] = 0;
        length += 1;
      }
      words[length] = length;
      length += 1;
      isEnded = true;
    },
    hash(key, into) {
      sipHashWords(key, words, length, into);
    },
  };
}

/** The value of a lower-case hex digit by its character's code. */
const HEX = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, "0123456789abcdef".indexOf(String.fromCharCode(code))),
);
