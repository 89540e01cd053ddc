// Deadline arithmetic of GDPR Art. 12(3).
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { daysLeft, dueDate } from "../../src/letter/due-date.ts";

const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

describe("dueDate", () => {
  it.each([
    ["2026-11-02", "2026-12-02"],
    ["2026-12-15", "2027-01-15"],
    ["2027-01-31", "2027-02-28"],
    ["2028-01-30", "2028-02-29"],
    ["2026-08-31", "2026-09-30"],
    ["2026-02-28", "2026-03-28"],
  ])("received %s is due %s", (received, due) => {
    expect(dueDate(new Date(`${received}T17:45:00Z`))).toEqual(day(due));
  });

  it("is always 28 to 31 days later, and in the next month", () => {
    fc.assert(
      fc.property(fc.date({ min: day("1990-01-01"), max: day("2090-01-01"), noInvalidDate: true }), (received) => {
        const due = dueDate(received);
        expect(daysLeft(due, received)).toBeGreaterThanOrEqual(28);
        expect(daysLeft(due, received)).toBeLessThanOrEqual(31);
        expect((due.getUTCMonth() + 12 - received.getUTCMonth()) % 12).toBe(1);
      }),
    );
  });
});

describe("daysLeft", () => {
  it("is 0 on the due day itself and negative when overdue", () => {
    expect(daysLeft(day("2026-12-02"), new Date("2026-12-02T23:59:59Z"))).toBe(0);
    expect(daysLeft(day("2026-12-02"), day("2026-12-05"))).toBe(-3);
    expect(daysLeft(day("2026-12-02"), new Date("2026-11-30T23:00:00Z"))).toBe(2);
  });
});
