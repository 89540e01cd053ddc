// Held writes: what may be somebody's erased words, sealed until a person decides (GUARD-2). It must not keep one beyond its date, nor its text once decided.
import type { SurfaceId } from "../model/ids.ts";
import { markDropped } from "./compaction.ts";
import { newId, now, sealByGuard, unsealByGuard, type LedgerCore } from "./ledger-core.ts";

export interface HeldRow {
  readonly id: string;
  readonly surface: string;
  readonly since: string;
  readonly until: string;
  readonly value: Uint8Array;
}

/** Writes that wait for a person's decision. */
export interface HeldWrites {
  /** Seals `value`; the same digest again answers the same id. */
  holdWrite(order: {
    readonly digest: Uint8Array;
    readonly surface: SurfaceId;
    readonly value: Uint8Array;
    readonly until: string;
  }): string;
  /** The undecided, the oldest first. */
  heldWrites(): readonly HeldRow[];
  /** Drops the sealed value and lets the digest in, once, until then. False where none is held under this id. */
  allowHeld(id: string, until: string): boolean;
  discardHeld(id: string): boolean;
  isAllowed(digest: Uint8Array): boolean;
  useAllowance(digest: Uint8Array): boolean;
  /** Discards what nobody decided in time. Answers how many. */
  expireHeld(): number;
}

const placeOf = (id: string): string => `held_writes/${id}`;

export function createHeldWrites(core: LedgerCore): HeldWrites {
  const { connection } = core;

  /** The clock, but never before the log's last entry: what has run out does not come back when a clock is put back. */
  function latest(): string {
    const last = connection.get<{ at: string }>("SELECT at FROM log_entries ORDER BY position DESC LIMIT 1")?.at ?? "";
    const at = now(core);
    return last > at ? last : at;
  }

  return {
    holdWrite: ({ digest, surface, value, until }) =>
      connection.transaction(() => {
        const known = connection.get<{ id: string }>("SELECT id FROM held_writes WHERE digest = ?", digest);
        if (known !== undefined) return known.id;
        const id = newId(core);
        connection.run(
          "INSERT INTO held_writes (id, digest, surface, state, sealed, since, until) VALUES (?, ?, ?, 'held', ?, ?, ?)",
          id,
          digest,
          surface,
          sealByGuard(core, placeOf(id), value),
          now(core),
          until,
        );
        return id;
      }),
    heldWrites: () =>
      connection
        .all<Omit<HeldRow, "value"> & { sealed: Uint8Array }>(
          "SELECT id, surface, since, until, sealed FROM held_writes WHERE state = 'held' ORDER BY since, id",
        )
        .map(({ sealed, ...row }): HeldRow => ({ ...row, value: unsealByGuard(core, placeOf(row.id), sealed) })),
    allowHeld: (id, until) =>
      connection.transaction(() => {
        markDropped(core);
        const sql =
          "UPDATE held_writes SET state = 'allowed', sealed = NULL, until = ? WHERE id = ? AND state = 'held'";
        return connection.run(sql, until, id) > 0;
      }),
    discardHeld: (id) =>
      connection.transaction(() => {
        markDropped(core);
        return connection.run("DELETE FROM held_writes WHERE id = ?", id) > 0;
      }),
    isAllowed: (digest) =>
      connection.get(
        "SELECT 1 FROM held_writes WHERE digest = ? AND state = 'allowed' AND until > ?",
        digest,
        latest(),
      ) !== undefined,
    useAllowance: (digest) =>
      connection.run("DELETE FROM held_writes WHERE digest = ? AND state = 'allowed' AND until > ?", digest, latest()) >
      0,
    expireHeld: () =>
      connection.transaction(() => {
        const expired = connection.run("DELETE FROM held_writes WHERE until <= ?", now(core));
        if (expired > 0) markDropped(core);
        return expired;
      }),
  };
}
