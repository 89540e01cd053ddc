// A small local embedder by feature hashing: it knows spelling, not meaning. Honest and deterministic, so that the demo needs no model and no network.

export const DIMENSIONS = 128;

/**
 * The set of a text's words and their letter trigrams, hashed (FNV-1a) with a sign into 128 dimensions, scaled to length 1. Texts that share words come to lie
 * near each other; texts that say the same in other words do not. A real agent would call a model here; nothing else would change.
 */
export function embedText(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const feature of new Set(features(text))) {
    const hash = fnv1a(feature);
    const at = hash % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + ((hash >>> 16) & 1 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function features(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [text];
  return words.flatMap((word) => {
    const padded = `_${word}_`;
    const trigrams = Array.from({ length: Math.max(0, padded.length - 2) }, (_, at) => padded.slice(at, at + 3));
    return [word, ...trigrams];
  });
}

/** FNV-1a, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash;
}
