// Deadline arithmetic of GDPR Art. 12(3): one month from receipt, and the whole days that are left. Pure: the clock is passed in.

const DAY_MS = 86_400_000;

/**
 * The last day of the month that Art. 12(3) gives, as midnight UTC of that day: the same day of the next month, or that month's
 * last day where it has no such day (Regulation 1182/71 Art. 3(2)(c)). Weekends and holidays are not moved: the earlier day is the safe one.
 */
export function dueDate(received: Date): Date {
  const year = received.getUTCFullYear();
  const month = received.getUTCMonth();
  const lastOfNext = new Date(Date.UTC(year, month + 2, 0)).getUTCDate();
  return new Date(Date.UTC(year, month + 1, Math.min(received.getUTCDate(), lastOfNext)));
}

/** Whole calendar days (UTC) from `now` to the due day: 0 on the day itself, negative when overdue. */
export function daysLeft(due: Date, now: Date): number {
  return Math.round((midnight(due) - midnight(now)) / DAY_MS);
}

function midnight(date: Date): number {
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
}
