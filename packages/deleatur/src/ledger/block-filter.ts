// A split-block Bloom filter (Putze, Sanders and Singler 2007): says at once what is surely not filed. It may err in one direction only: a false "may be".

/** 32-bit words of a block; one bit is set in each of them, so that a question touches one line of the processor's cache. */
const LANES = 8;
const BLOCK_BITS = LANES * 32;
/** Odd multipliers, one for each lane (those of Apache Parquet's filter). */
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b | 0,
  0xa2b7289d | 0,
  0x705495c7,
  0x2df1424b,
  0x9efc4947 | 0,
  0x5c6bfb31,
);
/** Below so many bits for each value there are too many false answers: about one in a hundred and fifty. */
const MIN_BITS = 12;
const FIRST_BLOCKS = 64;

export class BlockFilter {
  readonly words: Uint32Array;
  readonly #mask: number;

  /** `words`: 8 for each block, a power of two of blocks. @throws RangeError */
  constructor(words: Uint32Array) {
    const blocks = words.length / LANES;
    if (!Number.isInteger(Math.log2(blocks))) throw new RangeError("a filter has a power of two of blocks");
    this.words = words;
    this.#mask = blocks - 1;
  }

  /** An empty filter with room for so many values. */
  static sized(values: number): BlockFilter {
    let blocks = FIRST_BLOCKS;
    while (blocks * BLOCK_BITS < values * MIN_BITS) blocks *= 2;
    return new BlockFilter(new Uint32Array(blocks * LANES));
  }

  /** How many values may be added before it should be made anew, larger. */
  get capacity(): number {
    return Math.floor((this.words.length * 32) / MIN_BITS);
  }

  /** `value`: an integer of 53 bits that are as good as random. */
  add(value: number): void {
    const low = value >>> 0;
    const key = ((value / 0x1_0000_0000) << 11) ^ (low >>> 21);
    const block = (low & this.#mask) * LANES;
    for (let lane = 0; lane < LANES; lane += 1)
      this.words[block + lane] = (this.words[block + lane] ?? 0) | (1 << (Math.imul(key, SALTS[lane] ?? 0) >>> 27));
  }

  /** False where the value was never added. */
  has(value: number): boolean {
    const low = value >>> 0;
    const key = ((value / 0x1_0000_0000) << 11) ^ (low >>> 21);
    const block = (low & this.#mask) * LANES;
    for (let lane = 0; lane < LANES; lane += 1)
      if (((this.words[block + lane] ?? 0) & (1 << (Math.imul(key, SALTS[lane] ?? 0) >>> 27))) === 0) return false;
    return true;
  }
}
