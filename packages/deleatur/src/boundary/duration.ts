// Durations of a fixed length (ISO 8601 without years and months) as whole seconds, and back.

/** Weeks alone, or days and a time. Years and months have no fixed length and are refused. */
export const DURATION: RegExp =
  /^P(?=\d|T\d)(?:\d{1,6}W|(?:\d{1,6}D)?(?:T(?=\d)(?:\d{1,8}H)?(?:\d{1,8}M)?(?:\d{1,9}S)?)?)$/;

const SECONDS: readonly (readonly [RegExp, number])[] = [
  [/(\d+)W/, 604_800],
  [/(\d+)D/, 86_400],
  [/T.*?(\d+)H/, 3600],
  [/T.*?(\d+)M/, 60],
  [/T.*?(\d+)S/, 1],
];

/** Whole seconds of a duration that matches `DURATION`. */
export function durationSeconds(text: string): number {
  let total = 0;
  for (const [pattern, unit] of SECONDS) total += Number(pattern.exec(text)?.[1] ?? 0) * unit;
  return total;
}
