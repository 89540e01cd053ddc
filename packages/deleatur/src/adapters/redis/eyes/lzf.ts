// Decompresses LZF, in which a snapshot holds every longer text; pure. What is no LZF is an error: half a text would pass for all of it.

/** @throws RangeError where the bytes are no LZF of that length */
export function inflateLzf(packed: Uint8Array, length: number): Buffer {
  const out = Buffer.alloc(length);
  let to = 0;
  let at = 0;
  while (at < packed.length) {
    const control = packed[at++] ?? 0;
    if (control < 32) {
      // A run of control + 1 bytes as they are.
      const end = at + control + 1;
      if (end > packed.length || to + control + 1 > length) throw new RangeError("a run is longer than the text");
      out.set(packed.subarray(at, end), to);
      to += control + 1;
      at = end;
      continue;
    }
    // Bytes that were met before: how many stands in three bits, or in a byte of its own, how far back in the rest.
    let run = control >> 5;
    if (run === 7) run += packed[at++] ?? 0;
    const from = to - (((control & 31) << 8) | (packed[at++] ?? 0)) - 1;
    run += 2;
    if (at > packed.length || from < 0 || to + run > length) throw new RangeError("a repeat lies outside the text");
    // Byte by byte: a repeat may reach into itself.
    for (let step = 0; step < run; step += 1) out[to + step] = out[from + step] ?? 0;
    to += run;
  }
  if (to !== length) throw new RangeError("the text is shorter than it says");
  return out;
}
