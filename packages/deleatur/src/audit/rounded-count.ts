// Rounds counts as they may stand in log entries (PROOFS §5): up to the next power of ten, so that no entry tells one person's number of records.

export function roundedCount(count: number): number {
  return count === 0 ? 0 : 10 ** Math.ceil(Math.log10(count));
}
