// One exit code for several outcomes: the one that leaves the most to do (DESIGN §8).

const WORST_FIRST = [1, 21, 20, 22, 0] as const;

export function worstExit(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? codes[0] ?? 0;
}
