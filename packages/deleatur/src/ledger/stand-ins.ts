// For which requests the request of a replay stands: what it has entered again is theirs, and a lift of theirs reaches it (GUARD-3). It must not lift anything itself.
import { requestId, type RequestId } from "../model/ids.ts";
import type { LedgerCore } from "./ledger-core.ts";

export interface StandIns {
  /** Notes it, for good; what stands in for others already is taken for those. */
  standFor(request: RequestId, originals: readonly RequestId[]): void;
  /** Those that stand for this one, each with the others that it stands for too. */
  standInsOf(original: RequestId): readonly { readonly request: RequestId; readonly others: readonly RequestId[] }[];
}

/** Puts rows into the table, whoever says so. Answers the originals that were new. */
export function storeStandIn(
  { connection }: LedgerCore,
  request: string,
  originals: readonly string[],
): readonly string[] {
  return originals.filter(
    (original) => connection.run("INSERT INTO stand_ins VALUES (?, ?) ON CONFLICT DO NOTHING", request, original) > 0,
  );
}

export function createStandIns(core: LedgerCore): StandIns {
  const { connection } = core;
  const originalsOf = (request: string): readonly string[] =>
    connection
      .rows<[string]>("SELECT original FROM stand_ins WHERE request = ? ORDER BY original", request)
      .map(([original]) => original);
  return {
    standFor(request, given) {
      connection.transaction(() => {
        const originals = given.flatMap((one) => {
          const known = originalsOf(one);
          return known.length === 0 ? [one] : known;
        });
        const news = storeStandIn(
          core,
          request,
          [...new Set(originals)].filter((one) => one !== request),
        );
        if (news.length > 0) core.outbox.put({ kind: "stands-for", request, originals: news });
      });
    },
    standInsOf: (original) =>
      connection
        .rows<[string]>("SELECT request FROM stand_ins WHERE original = ? ORDER BY request", original)
        .map(([request]) => ({
          request: requestId(request),
          others: originalsOf(request)
            .filter((one) => one !== original)
            .map((one) => requestId(one)),
        })),
  };
}
