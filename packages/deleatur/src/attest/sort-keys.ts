// Sorts 32-byte keys that stand one after the other in one buffer and drops repetitions. It must not know what the keys mean.

export const KEY_BYTES = 32;
/** A double holds whole numbers of so many bits: of a key's head, and behind it the key's place. */
const EXACT_BITS = 53;
const HEAD_BITS = 32;

/** The distinct keys in ascending order, again in one buffer. */
export function sortKeys(flat: Uint8Array): Buffer<ArrayBuffer> {
  const count = flat.length / KEY_BYTES;
  if (!Number.isInteger(count)) throw new RangeError("tree keys are 32 bytes each");
  const placeBits = Math.max(1, Math.ceil(Math.log2(count + 1)));
  const headBits = Math.min(HEAD_BITS, EXACT_BITS - placeBits);
  const places = 2 ** placeBits;
  // Numbers are sorted without a call for each comparison.
  const heads = new Float64Array(count);
  for (let i = 0; i < count; i += 1) heads[i] = (headAt(flat, i) >>> (HEAD_BITS - headBits)) * places + i;
  heads.sort();

  const sorted = Buffer.allocUnsafeSlow(flat.length);
  let end = 0;
  const put = (place: number): void => {
    copyKey(flat, place * KEY_BYTES, sorted, end);
    if (end === 0 || compareKeys(sorted, end - KEY_BYTES, sorted, end) !== 0) end += KEY_BYTES;
  };
  for (let from = 0; from < count;) {
    const head = Math.floor((heads[from] ?? 0) / places);
    let to = from + 1;
    while (to < count && Math.floor((heads[to] ?? 0) / places) === head) to += 1;
    if (to - from === 1) put((heads[from] ?? 0) - head * places);
    else {
      const run = Array.from(heads.subarray(from, to), (packed) => packed - head * places);
      run.sort((a, b) => compareKeys(flat, a * KEY_BYTES, flat, b * KEY_BYTES));
      for (const place of run) put(place);
    }
    from = to;
  }
  return sorted.subarray(0, end);
}

/** Its first four bytes as a number. */
function headAt(keys: Uint8Array, place: number): number {
  const at = place * KEY_BYTES;
  return (
    (((keys[at] ?? 0) << 24) | ((keys[at + 1] ?? 0) << 16) | ((keys[at + 2] ?? 0) << 8) | (keys[at + 3] ?? 0)) >>> 0
  );
}

function compareKeys(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): number {
  for (let i = 0; i < KEY_BYTES; i += 1) {
    const difference = (left[leftAt + i] ?? 0) - (right[rightAt + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** 32 bytes from one place to another: for so few a loop takes less time than a call. */
export function copyKey(from: Uint8Array, fromAt: number, to: Uint8Array, toAt: number): void {
  for (let i = 0; i < KEY_BYTES; i += 1) to[toAt + i] = from[fromAt + i] ?? 0;
}
