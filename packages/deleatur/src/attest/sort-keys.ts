// Sorts 32-byte keys that stand one after the other in one buffer and drops repetitions. It must not know what the keys mean.

export const KEY_BYTES = 32;
/** So many leading bytes of a key are compared as one number (exact in a double). */
const HEAD_BYTES = 6;

/** The distinct keys in ascending order, again in one buffer. */
export function sortKeys(flat: Buffer): Buffer {
  const count = flat.length / KEY_BYTES;
  if (!Number.isInteger(count)) throw new RangeError("tree keys are 32 bytes each");
  const heads = new Float64Array(count);
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    heads[i] = flat.readUIntBE(i * KEY_BYTES, HEAD_BYTES);
    order[i] = i;
  }
  const compareTails = (a: number, b: number): number =>
    flat.compare(
      flat,
      b * KEY_BYTES + HEAD_BYTES,
      (b + 1) * KEY_BYTES,
      a * KEY_BYTES + HEAD_BYTES,
      (a + 1) * KEY_BYTES,
    );
  order.sort((a, b) => (heads[a] ?? 0) - (heads[b] ?? 0) || compareTails(a, b));

  const sorted = Buffer.allocUnsafe(flat.length);
  let end = 0;
  let previous: number | undefined;
  for (const i of order) {
    const isRepeated = previous !== undefined && heads[previous] === heads[i] && compareTails(previous, i) === 0;
    previous = i;
    if (isRepeated) continue;
    flat.copy(sorted, end, i * KEY_BYTES, (i + 1) * KEY_BYTES);
    end += KEY_BYTES;
  }
  return sorted.subarray(0, end);
}
