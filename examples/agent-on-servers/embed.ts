// Stands where a real agent calls an embedding model: texts that share words come to lie near each other. It knows no meaning, and needs no network.
import { createHash } from "node:crypto";

export const DIMENSIONS = 64;

/** Each word stands for a direction of its own, drawn by its hash; a text is their sum, of length 1. */
export function embed(text: string): Float32Array {
  const sum = new Float64Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? [text]) {
    const drawn = createHash("sha512").update(word).digest();
    for (let at = 0; at < DIMENSIONS; at += 1) sum[at] = (sum[at] ?? 0) + (drawn[at] ?? 0) - 127.5;
  }
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (value) => value / length);
}

/** Of two embeddings of length 1. */
export function likeness(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
