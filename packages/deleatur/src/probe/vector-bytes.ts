// One form for vectors, however a store writes them: float32 little-endian bytes; also read from JSON number arrays. Pure.

/** The float32 little-endian bytes of a vector, on every machine. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * 4);
  const view = new DataView(bytes.buffer);
  vector.forEach((value, index) => view.setFloat32(index * 4, value, true));
  return bytes;
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
