// Instants as they are signed and logged: UTC in whole seconds.

/** `2026-11-02T14:02:11Z`. */
export function utcTime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}
