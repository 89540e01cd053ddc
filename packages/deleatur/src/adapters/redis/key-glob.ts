// Says whether a key matches a pattern, byte for byte as Redis's own MATCH does: `*`, `?`, `[a-c]`, `[^x]` and `\` before what stands for itself. Pure.

/** One step of a pattern. `any`: a run of bytes; `one`: a byte that may stand there. */
type Step = "any" | ((byte: number) => boolean);

/** Makes the matcher of one pattern, at most pattern times key steps. */
export function keyGlob(pattern: string): (key: Uint8Array) => boolean {
  const steps = stepsOf(Buffer.from(pattern, "utf8"));
  return (key) => {
    let [at, star, resume, place] = [0, -1, 0, 0];
    while (place < key.length) {
      const step = steps[at];
      if (step === "any") {
        // Whatever is left may stand there.
        if (at === steps.length - 1) return true;
        [star, resume] = [at, place];
        at += 1;
      } else if (step?.(key[place] ?? 0) === true) {
        at += 1;
        place += 1;
      } else if (star >= 0) {
        at = star + 1;
        resume += 1;
        place = resume;
      } else return false;
    }
    while (steps[at] === "any") at += 1;
    return at === steps.length;
  };
}

const [STAR, QUESTION, OPEN, CLOSE, CARET, DASH, BACKSLASH] = Buffer.from("*?[]^-\\");

function stepsOf(pattern: Uint8Array): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const byte = pattern[at];
    if (byte === STAR) {
      if (steps.at(-1) !== "any") steps.push("any");
    } else if (byte === QUESTION) steps.push(() => true);
    else if (byte === OPEN) {
      const { step, end } = setOf(pattern, at + 1);
      steps.push(step);
      at = end;
    } else {
      if (byte === BACKSLASH && at + 1 < pattern.length) at += 1;
      const own = pattern[at];
      steps.push((other) => other === own);
    }
  }
  return steps;
}

function signed(byte: number | undefined): number {
  return ((byte ?? 0) << 24) >> 24;
}

/** The set behind a `[`; where it is not closed, it ends with the pattern, as in Redis. */
function setOf(pattern: Uint8Array, from: number): { readonly step: Step; readonly end: number } {
  let at = from;
  const isNegated = pattern[at] === CARET;
  if (isNegated) at += 1;
  const ranges: (readonly [number, number])[] = [];
  for (; at < pattern.length && pattern[at] !== CLOSE; at += 1) {
    if (pattern[at] === BACKSLASH && at + 1 < pattern.length) at += 1;
    else if (pattern[at + 1] === DASH && at + 2 < pattern.length) {
      // The server compares signed bytes: those beyond ASCII stand before all others.
      const ends = [signed(pattern[at]), signed(pattern[at + 2])];
      ranges.push([Math.min(...ends), Math.max(...ends)]);
      at += 2;
      continue;
    }
    const own = signed(pattern[at]);
    ranges.push([own, own]);
  }
  return {
    step: (byte) => ranges.some(([low, high]) => signed(byte) >= low && signed(byte) <= high) !== isNegated,
    end: at,
  };
}
