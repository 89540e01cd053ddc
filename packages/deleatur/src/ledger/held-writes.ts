// Held writes: what may be somebody's erased words, sealed until a person decides (GUARD-2). It must not keep one beyond its date, nor its text once decided.
import type { SurfaceId } from "../model/ids.ts";
import { markDropped } from "./compaction.ts";
import { newId, now, sealByGuard, unsealByGuard, type LedgerCore } from "./ledger-core.ts";
import { endedByLog, latestTime } from "./log-time.ts";

export interface HeldRow {
  readonly id: string;
  readonly surface: string;
  readonly since: string;
  readonly until: string;
  readonly value: Uint8Array;
}

/** Writes that wait for a person's decision. */
export interface HeldWrites {
  /** Seals `value` for thirty days; the same digest again answers the same id, until what was decided of it has run out. */
  holdWrite(order: { readonly digest: Uint8Array; readonly surface: SurfaceId; readonly value: Uint8Array }): string;
  /** The undecided, the oldest first. */
  heldWrites(): readonly HeldRow[];
  /** Drops the sealed value and lets the digest in, once, within thirty days. False where none is held under this id. */
  allowHeld(id: string): boolean;
  discardHeld(id: string): boolean;
  isAllowed(digest: Uint8Array): boolean;
  useAllowance(digest: Uint8Array): boolean;
  /** Discards what nobody decided, or wrote, in time by the clock and by what the log shows of it. Answers their ids. */
  expireHeld(): readonly string[];
}

const HELD_MS = 30 * 24 * 3600 * 1000;
const after = (time: number): string => new Date(time + HELD_MS).toISOString();

const placeOf = (id: string): string => `held_writes/${id}`;

export function createHeldWrites(core: LedgerCore): HeldWrites {
  const { connection } = core;
  const latest = (): string => new Date(latestTime(core)).toISOString();

  return {
    holdWrite: ({ digest, surface, value }) =>
      connection.transaction(() => {
        const sql = "DELETE FROM held_writes WHERE digest = ? AND state = 'allowed' AND until <= ?";
        connection.run(sql, digest, latest());
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
          after(core.clock().getTime()),
        );
        return id;
      }),
    heldWrites: () =>
      connection
        .all<Omit<HeldRow, "value"> & { sealed: Uint8Array }>(
          "SELECT id, surface, since, until, sealed FROM held_writes WHERE state = 'held' ORDER BY since, id",
        )
        .map(({ sealed, ...row }): HeldRow => ({ ...row, value: unsealByGuard(core, placeOf(row.id), sealed) })),
    allowHeld: (id) =>
      connection.transaction(() => {
        markDropped(core);
        const sql =
          "UPDATE held_writes SET state = 'allowed', sealed = NULL, until = ? WHERE id = ? AND state = 'held'";
        return connection.run(sql, after(latestTime(core)), id) > 0;
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
        const sql = "SELECT id, since, until FROM held_writes WHERE until <= ? ORDER BY since, id";
        const over = connection.all<{ id: string; since: string; until: string }>(sql, now(core));
        const expired = endedByLog(core, over);
        for (const { id } of expired) connection.run("DELETE FROM held_writes WHERE id = ?", id);
        if (expired.length > 0) markDropped(core);
        return expired.map(({ id }) => id);
      }),
  };
}
