// What was erased with which content, by keyed digests: written before the first delete, and what a restored store is held against. It must not judge.
import { requestId, type ArtifactRef, type RequestId } from "../model/ids.ts";
import type { AnchoredErasure } from "./anchor-records.ts";
import { dropTerm } from "./guard-terms.ts";
import type { SqlValue } from "./connection.ts";
import { hexList, hexOf, now, type LedgerCore } from "./ledger-core.ts";

const TOLD_AT_ONCE = 10_000;

export interface ErasedContent {
  readonly ref: ArtifactRef;
  /** `keyedDigest` over its content; absent where it had none. */
  readonly tag?: Uint8Array;
  readonly fate: AnchoredErasure["fate"];
}

export interface ErasedContents {
  /** Notes what a request is about to erase or rewrite; the same again changes nothing. */
  noteErased(request: RequestId, list: readonly ErasedContent[]): void;
  /** What was erased or rewritten under this key, of requests that were not lifted. `isSame`: with this very content. */
  erasedUnder(
    ref: ArtifactRef,
    tag: Uint8Array | undefined,
  ): readonly { readonly request: RequestId; readonly fate: AnchoredErasure["fate"]; readonly isSame: boolean }[];
  /** From now on what this request erased may be there again. */
  liftRequest(request: RequestId): void;
  /** The end of a hold that a ledger that was set back knew only from its anchor. */
  adoptedHold(ref: ArtifactRef): string | undefined;
}

/** Puts rows into the table, whoever says so. Answers those that were new. */
export function storeErased(
  { connection }: LedgerCore,
  request: string,
  items: readonly AnchoredErasure[],
): readonly AnchoredErasure[] {
  connection.run("DELETE FROM lifted_requests WHERE request = ?", request);
  const news: AnchoredErasure[] = [];
  for (let from = 0; from < items.length; from += TOLD_AT_ONCE) {
    const part = items.slice(from, from + TOLD_AT_ONCE);
    const fates = new Map(
      connection
        .rows<[Uint8Array, Uint8Array, string]>(
          `SELECT e.artifact, e.tag, e.fate FROM json_each(?) AS j CROSS JOIN erased_contents AS e
           ON e.artifact = unhex(j.value) AND e.request = ?`,
          hexList(part.map(({ artifact }) => artifact)),
          request,
        )
        .map(([artifact, tag, fate]) => [`${hexOf(artifact)} ${hexOf(tag)}`, fate]),
    );
    const rows: SqlValue[] = [];
    for (const item of part) {
      const { artifact, tag, fate } = item;
      const name = `${hexOf(artifact)} ${hexOf(tag)}`;
      if (fates.get(name) === fate) continue;
      fates.set(name, fate);
      news.push(item);
      rows.push(artifact, request, tag, fate);
    }
    connection.runRows(
      "INSERT INTO erased_contents (artifact, request, tag, fate) VALUES",
      [rows, 4],
      "ON CONFLICT DO UPDATE SET fate = excluded.fate",
    );
  }
  return news;
}

export function storeLift(core: LedgerCore, request: string): void {
  dropTerm(core, request);
  core.connection.run("INSERT INTO lifted_requests VALUES (?, ?) ON CONFLICT DO NOTHING", request, now(core));
}

export function createErasedContents(core: LedgerCore): ErasedContents {
  const { connection, digests } = core;
  return {
    noteErased(request, list) {
      connection.transaction(() => {
        const items = list.map(({ ref, tag, fate }) => ({
          artifact: digests.artifactDigest(ref),
          tag: tag ?? new Uint8Array(),
          fate,
        }));
        const news = storeErased(core, request, items);
        for (let from = 0; from < news.length; from += TOLD_AT_ONCE)
          core.outbox.put({ kind: "erased", request, items: news.slice(from, from + TOLD_AT_ONCE) });
      });
    },
    erasedUnder: (ref, tag) =>
      connection
        .all<{ request: string; fate: AnchoredErasure["fate"]; is_same: number }>(
          `SELECT request, fate, max(tag = ?) AS is_same FROM erased_contents AS e WHERE artifact = ?
           AND NOT EXISTS (SELECT 1 FROM lifted_requests AS l WHERE l.request = e.request) GROUP BY request, fate ORDER BY request`,
          tag ?? new Uint8Array(),
          digests.artifactDigest(ref),
        )
        .map(({ request, fate, is_same }) => ({
          request: requestId(request),
          fate,
          isSame: tag !== undefined && is_same === 1,
        })),
    liftRequest(request) {
      connection.transaction(() => {
        storeLift(core, request);
        core.outbox.put({ kind: "lift-request", request });
      });
    },
    adoptedHold: (ref) =>
      connection.get<{ until: string }>(
        "SELECT until FROM adopted_holds WHERE artifact = ?",
        digests.artifactDigest(ref),
      )?.until,
  };
}
