// Reads a file from its front, piece by piece, and keeps the checksum of what it has read; it seeks nothing and keeps nothing.
import { readSync } from "node:fs";
import { Crc64 } from "./crc64.ts";

const PIECE = 1 << 20;

export class FileCursor {
  readonly #fd: number;
  readonly #crc = new Crc64();
  #piece: Buffer = Buffer.alloc(0);
  /** Where in the file the piece begins, and where in the piece the next byte is. */
  #base = 0;
  #at = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  get position(): number {
    return this.#base + this.#at;
  }

  byte(): number {
    return this.bytes(1)[0] ?? 0;
  }

  /** @throws RangeError where the file ends before */
  bytes(length: number): Buffer {
    if (this.#at + length > this.#piece.length) this.#load(length);
    const bytes = this.#piece.subarray(this.#at, this.#at + length);
    this.#at += length;
    this.#crc.update(bytes);
    return bytes;
  }

  /** The checksum of all that was read. */
  digest(): Buffer {
    return this.#crc.digest();
  }

  /** Whether the file ends here. */
  isAtEnd(): boolean {
    return this.#at === this.#piece.length && readSync(this.#fd, Buffer.alloc(1), 0, 1, this.position) === 0;
  }

  #load(length: number): void {
    const position = this.position;
    const rest = this.#piece.subarray(this.#at);
    const piece = Buffer.alloc(Math.max(PIECE, length));
    rest.copy(piece);
    let filled = rest.length;
    while (filled < piece.length) {
      const read = readSync(this.#fd, piece, filled, piece.length - filled, position + filled);
      if (read === 0) break;
      filled += read;
    }
    if (filled < length) throw new RangeError("the file ends before it should");
    this.#piece = piece.subarray(0, filled);
    this.#base = position;
    this.#at = 0;
  }
}
