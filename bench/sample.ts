// Takes times: acts by turns, so that what slows the machine down slows all of them down. It must not time the first, cold rounds.
import { performance } from "node:perf_hooks";

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Milliseconds that an act takes, once. */
export async function once<T>(act: () => T | Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const begun = performance.now();
  const result = await act();
  return { ms: performance.now() - begun, result };
}

/**
 * Median microseconds of one call of each act. An act is called `calls` times for a sample and is given the number of its call, never the same
 * twice; in each round every act gives one sample. The first tenth of the rounds is not counted.
 */
export function byTurns<Name extends string>(
  acts: Readonly<Record<Name, (call: number) => void>>,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Record<Name, number> {
  const names = Object.keys(acts) as Name[];
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  const cold = Math.ceil(rounds / 10);
  for (let round = 0; round < rounds + cold; round += 1) {
    for (const name of names) {
      const act = acts[name];
      const begun = performance.now();
      for (let call = round * calls; call < (round + 1) * calls; call += 1) act(call);
      const micros = ((performance.now() - begun) * 1000) / calls;
      if (round >= cold) samples.get(name)?.push(micros);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples.get(name) ?? [])])) as Record<Name, number>;
}
