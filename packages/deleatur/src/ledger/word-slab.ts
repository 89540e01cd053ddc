// Small arrays of numbers out of larger ones: making one of its own for each text costs more than hashing the text. It never gives a place twice.

const SLAB = 1 << 16;
let slab = new Uint32Array(SLAB);
let used = 0;

/** So many words, with anything in them. They are the caller's for good. */
export function takeWords(length: number): Uint32Array {
  if (length > SLAB / 8) return new Uint32Array(length);
  if (used + length > SLAB) {
    slab = new Uint32Array(SLAB);
    used = 0;
  }
  used += length;
  return slab.subarray(used - length, used);
}
