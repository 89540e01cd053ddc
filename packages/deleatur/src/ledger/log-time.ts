// What the log says of time, beside a clock that may jump: its latest time, and how much time its entries show to have passed. It must not believe one long step.
import type { LedgerCore } from "./ledger-core.ts";

const DAY_MS = 86_400_000;
/** What one step from an entry to the next counts for at most: a clock that jumped makes one step, however far. */
const STEP_MS = 7 * DAY_MS;

/** The clock, but never before the log's latest time, in ms: what has run out does not come back when a clock is put back. */
export function latestTime({ connection, clock }: LedgerCore): number {
  const logged = connection.get<{ at: string | null }>("SELECT max(at) AS at FROM log_entries")?.at;
  return Math.max(clock().getTime(), Date.parse(logged ?? "") || 0);
}

const step = (from: string, to: number): number => Math.min(Math.max(to - Date.parse(from), 0), STEP_MS);

/**
 * Those that the log shows to have ended: the steps from entry to entry since then, and to now, are as long as the span; each counts for a week at
 * most, and a step back for nothing. None to whose beginning the log does not reach back.
 */
export function endedByLog<Span extends { readonly since: string; readonly until: string }>(
  { connection, clock }: LedgerCore,
  spans: readonly Span[],
): readonly Span[] {
  const waiting = spans.map(({ since }) => since).toSorted();
  const passedSince = new Map<string, number>();
  let passed = 0;
  let later = clock().getTime();
  const entries =
    spans.length === 0 ? [] : connection.rows<[string]>("SELECT at FROM log_entries ORDER BY position DESC");
  for (const [at] of entries) {
    for (let last = waiting.at(-1); last !== undefined && last >= at; last = waiting.at(-1)) {
      passedSince.set(last, passed + step(last, later));
      waiting.pop();
    }
    passed += step(at, later);
    later = Date.parse(at);
  }
  return spans.filter(({ since, until }) => (passedSince.get(since) ?? 0) >= Date.parse(until) - Date.parse(since));
}
