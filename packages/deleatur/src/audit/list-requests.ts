// Lists the requests of people with the days that are left to answer each (GDPR Art. 12(3)). Audit tickets, which the ledger keeps alike, are none.
import type { Engine } from "../engine.ts";
import type { RequestRecord } from "../ledger/request-record.ts";
import { daysLeft } from "../letter/due-date.ts";

export interface ListedRequest {
  readonly record: RequestRecord;
  /** Whole days to the due day, negative when overdue; absent once it is closed. */
  readonly daysLeft?: number;
}

/** Oldest first. */
export function listRequests(engine: Engine): readonly ListedRequest[] {
  // Only a request that somebody made was received.
  return engine.ledger.requests().flatMap((record) => {
    if (record.received === undefined) return [];
    return [
      record.state === "closed" ? { record } : { record, daysLeft: daysLeft(new Date(record.due), engine.clock()) },
    ];
  });
}
