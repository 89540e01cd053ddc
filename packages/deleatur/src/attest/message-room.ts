// Lays the parts of messages one after the other into one room, so that no message costs an object. It must not know what a message means.

/** A text's length stands in two bytes. */
const MAX_TEXT = 0xffff;

export abstract class MessageRoom {
  /** `put…` may move it. */
  abstract room: Buffer;
  /** Where the next byte goes. */
  end = 0;

  /** Has more than `bytes` fit, with all that was laid where it was. */
  protected abstract grow(bytes: number): void;

  putByte(value: number): void {
    this.need(1);
    this.room[this.end] = value;
    this.end += 1;
  }

  /** Leaves so many bytes to be laid later. */
  skip(bytes: number): void {
    this.need(bytes);
    this.end += bytes;
  }

  /** Four bytes, big-endian, over what stands at `at`. */
  setWord(at: number, value: number): void {
    this.room[at] = value >>> 24;
    this.room[at + 1] = value >>> 16;
    this.room[at + 2] = value >>> 8;
    this.room[at + 3] = value;
  }

  putBytes(bytes: Uint8Array): void {
    this.need(bytes.length);
    this.room.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** @throws RangeError on ill-formed text: refused, never replaced */
  putText(text: string): void {
    this.need(3 * text.length);
    const { room, end } = this;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.#putWide(text);
        return;
      }
      room[end + i] = code;
    }
    this.end += text.length;
  }

  /** The text behind its length in two bytes. @throws RangeError over 65,535 bytes or on ill-formed text */
  putShortText(text: string): void {
    const at = this.end;
    this.skip(2);
    this.putText(text);
    const length = this.end - at - 2;
    if (length > MAX_TEXT) throw new RangeError("text is longer than 65535 UTF-8 bytes and cannot be length-prefixed");
    this.room[at] = length >>> 8;
    this.room[at + 1] = length;
  }

  protected need(bytes: number): void {
    if (this.end + bytes > this.room.length) this.grow(2 * (this.end + bytes));
  }

  #putWide(text: string): void {
    if (!text.isWellFormed())
      throw new RangeError("text is not well-formed UTF-16, a lone surrogate cannot be encoded");
    this.end += this.room.write(text, this.end, "utf8");
  }
}
