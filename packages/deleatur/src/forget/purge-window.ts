// Declared purge windows, e.g. "Sun 02:00-05:00Z" or "02:00-05:00Z" (every day): whether one is open, and when the next begins.
import { BoundaryError } from "../model/errors.ts";

const WINDOW = /^(?:(Sun|Mon|Tue|Wed|Thu|Fri|Sat) )?([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)Z$/;
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The start of the next window, or undefined where one is open at `now`. @throws BoundaryError */
export function nextPurgeWindow(window: string, now: Date): Date | undefined {
  const match = WINDOW.exec(window);
  if (match === null) {
    throw new BoundaryError("BAD_WINDOW", "a purge window is not of the form 'Sun 02:00-05:00Z'", {
      cure: "write a UTC window, with or without a week day",
    });
  }
  const [, day, fromHour, fromMinute, toHour, toMinute] = match;
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const to = Number(toHour) * 60 + Number(toMinute);
  const lengthMs = (to > from ? to - from : to - from + 24 * 60) * MINUTE_MS;
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  for (let ahead = -1; ahead <= 7; ahead += 1) {
    const start = new Date(midnight + ahead * DAY_MS + from * MINUTE_MS);
    if (day !== undefined && DAYS[start.getUTCDay()] !== day) continue;
    if (start.getTime() > now.getTime()) return start;
    if (now.getTime() < start.getTime() + lengthMs) return undefined;
  }
  return new Date(midnight + 7 * DAY_MS + from * MINUTE_MS);
}
