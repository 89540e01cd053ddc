// What a forget in a process of its own tells of its time, and which part of it a script that knows its keys has too.

/** What `forget` prints, as one line of JSON. Milliseconds from the call. */
export interface Told {
  /** Each request's verdict, with the codes of its reasons. */
  readonly states: readonly string[];
  readonly erased: number;
  readonly purged: number;
  readonly whole: number;
  /** By step or scan, summed over requests and surfaces. */
  readonly steps: Readonly<Record<string, number>>;
  readonly peakBytes: number;
}

/** All but the reading of the stores, which a script that knows its keys has no need of. Of several people's together a step counts once for each. */
const ACTS = ["pin", "fence", "plan", "needles", "denylist", "rederive", "erase", "purge"];

/** Milliseconds from the fence to the end of the purge, for one person. */
export function actsOf({ steps }: Told): number {
  return ACTS.reduce((sum, act) => sum + (steps[act] ?? 0), 0);
}
