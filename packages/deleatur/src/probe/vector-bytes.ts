// One form for vectors, however a store writes them: float32 little-endian bytes; also read from JSON number arrays. Pure.

/** The float32 little-endian bytes of a vector, on every machine. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * 4);
  const view = new DataView(bytes.buffer);
  vector.forEach((value, index) => view.setFloat32(index * 4, value, true));
  return bytes;
}

/**
 * As which bytes an index may hold a vector: as float32 and as float16, and, where it compares by angle, each of them of length one (pgvector divides by the norm
 * before it stores).
 */
export function indexedForms(vector: Float32Array): readonly Uint8Array[] {
  const halves = Uint16Array.from(vector, halfOfNumber);
  return [
    vectorBytes(vector),
    halfBytes(halves),
    vectorBytes(ofLengthOne(vector)),
    halfBytes(Uint16Array.from(ofLengthOne(Float32Array.from(halves, numberOfHalf)), halfOfNumber)),
  ];
}

function ofLengthOne(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? vector : vector.map((value) => value / norm);
}

function halfBytes(halves: Uint16Array): Uint8Array {
  const bytes = new Uint8Array(halves.length * 2);
  const view = new DataView(bytes.buffer);
  halves.forEach((half, index) => view.setUint16(index * 2, half, true));
  return bytes;
}

const word = new DataView(new ArrayBuffer(4));

/** Rounded to the nearest, to the even one of two. */
function halfOfNumber(value: number): number {
  word.setFloat32(0, value);
  return halfOf(word.getUint32(0));
}

function numberOfHalf(half: number): number {
  const sign = (half & 0x8000) === 0 ? 1 : -1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** IEEE 754 binary16 of the bits of a binary32. */
function halfOf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200 | (fraction >>> 13));
  const shifted = exponent - 112;
  if (shifted >= 31) return sign | 0x7c00;
  if (shifted >= 1) return sign | roundShift((shifted << 23) | fraction, 13);
  // Below the smallest normal number: the hidden one becomes a bit of the fraction.
  return shifted < -10 ? sign : sign | roundShift(0x800000 | fraction, 14 - shifted);
}

function roundShift(value: number, by: number): number {
  const kept = value >>> by;
  const rest = value & ((1 << by) - 1);
  const half = 1 << (by - 1);
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}

/** A vector that is all zero, or shorter than four numbers, belongs to nobody in particular. */
export function isDistinctiveVector(vector: Float32Array): boolean {
  return vector.length >= 4 && vector.some((value) => value !== 0);
}

/** Bytes as a string of one unit each: a key for maps, and a text for searching. */
export function bytesText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

const NUMBER_ARRAY = /\[\s*-?[0-9][^[\]{}"]*\]/g;

/** Every JSON number array in a text that could be a vector, rounded to float32. */
export function* numberArrays(text: string): Generator<Float32Array> {
  for (const [found] of text.matchAll(NUMBER_ARRAY)) {
    const numbers = found.slice(1, -1).split(",").map(Number);
    if (numbers.length >= 4 && numbers.every(Number.isFinite)) yield Float32Array.from(numbers);
  }
}
