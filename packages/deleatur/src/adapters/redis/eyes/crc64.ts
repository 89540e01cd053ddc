// The checksum at the end of a snapshot: CRC-64 by Jones's polynomial, reflected, from zero. In two halves of 32 bits, since numbers hold no 64. Pure.

const HIGH = new Int32Array(256);
const LOW = new Int32Array(256);
/** 0xad93d23594c935a9, its bits reversed. */
const POLYNOMIAL = { high: 0x95ac9329, low: 0xac4bc9b5 } as const;

for (let byte = 0; byte < 256; byte += 1) {
  let [high, low] = [0, byte];
  for (let bit = 0; bit < 8; bit += 1) {
    const isOdd = (low & 1) === 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (isOdd) {
      high ^= POLYNOMIAL.high;
      low ^= POLYNOMIAL.low;
    }
  }
  HIGH[byte] = high;
  LOW[byte] = low;
}

export class Crc64 {
  #high = 0;
  #low = 0;

  update(bytes: Uint8Array): void {
    let [high, low] = [this.#high, this.#low];
    for (const byte of bytes) {
      const place = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (LOW[place] ?? 0);
      high = (high >>> 8) ^ (HIGH[place] ?? 0);
    }
    this.#high = high;
    this.#low = low;
  }

  /** As a snapshot ends: eight bytes, the lowest first. */
  digest(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeInt32LE(this.#low, 0);
    bytes.writeInt32LE(this.#high, 4);
    return bytes;
  }
}
