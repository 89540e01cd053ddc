// Counts what the histories met, so that a run that met nothing is seen for what it is.
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  get(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** Adds what another has counted, as its `entries` say. */
  addAll(entries: readonly (readonly [string, number])[]): void {
    for (const [what, count] of entries) this.add(what, count);
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#counts];
  }

  lines(): readonly string[] {
    return [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${what}: ${count}`);
  }
}

/** What every hundred histories must have met: else the properties were held against nothing. */
export const MUST_MEET: readonly string[] = [
  "verdict COMPLIANT",
  "verdict PARTIAL",
  "verdict UNCONFIRMED",
  "state waiting",
  "crash, carried on",
  "crash, same end as unbroken",
  "restore of all stores",
  "restore of one store",
  "offered again: refused",
  "offered again: held",
  "between the steps: write of the SDK",
  "between the steps: write past the guard",
  "between the steps: another forget",
  "paused writer",
  "several forgotten together",
  "ledger set back",
  "replay whole",
  "replay of a request",
  "COMPLIANT beside what processes hold",
];

/** What a thousand must have met. */
export const LONG_MUST_MEET: readonly string[] = [
  ...MUST_MEET,
  "offered again after a lift: written",
  "held write released",
  "kept under a hold",
  "suspect erased",
  "crash in a write",
  "lost by policy",
  "about a forgotten person: refused",
  "in a process of its own: killed",
  "a process is silent",
  "return erased",
];
