// A small local embedder by random projection: it knows spelling, not meaning. Honest and deterministic, so that the demo needs no model and no network.

export const DIMENSIONS = 128;

/**
 * The set of a text's words and their letter trigrams; each stands for a direction drawn by its own hash, and the text for their sum,
 * scaled to length 1 (Johnson and Lindenstrauss 1984; dense, as a model's vectors are). Texts that share words come to lie near each
 * other; texts that say the same in other words do not. A real agent would call a model here; nothing else would change.
 */
export function embedText(text: string): Float32Array {
  const sum = new Float64Array(DIMENSIONS);
  // In one order, so that the same words give the very same vector.
  for (const feature of [...new Set(features(text))].toSorted()) {
    let state = fnv1a(feature) || 1;
    for (let at = 0; at < DIMENSIONS; at += 1) {
      // xorshift32 (Marsaglia 2003)
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      sum[at] = (sum[at] ?? 0) + state / 2 ** 31;
    }
  }
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length));
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
