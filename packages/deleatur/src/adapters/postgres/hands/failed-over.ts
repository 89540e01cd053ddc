// Notices that another server answers than the one a fence was raised on: a standby was promoted, or a backup recovered. The former one keeps what was erased from it, and no purge of ours reaches it.
import { isForbidden, sqlState } from "../store-errors.ts";
import { rowsOf, type Db } from "./connect.ts";
import { FENCE_STATE, hasRelation } from "./own-objects.ts";

/** The timeline of the write-ahead log, eight hexadecimal digits: each promotion begins another. Undefined where the server does not tell. */
export async function timelineOf(db: Db): Promise<string | undefined> {
  try {
    const [row] = await rowsOf(
      db,
      "SELECT pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8)",
    );
    return row?.[0] ?? undefined;
  } catch (cause) {
    // In recovery, no right to it, or a server that keeps its log otherwise.
    if (sqlState(cause) === undefined) throw cause;
    return undefined;
  }
}

/**
 * Whether the log is on another timeline than when the fence was raised. It answers so once for each change: whoever resumes the request has been told of the former server. Where there is
 * no fence, or the role may not see it, nobody can tell, and it is false.
 */
export async function hasFailedOver(db: Db): Promise<boolean> {
  if (!(await hasRelation(db, FENCE_STATE))) return false;
  const now = await timelineOf(db);
  if (now === undefined) return false;
  try {
    const changed = await db.client.query(`UPDATE ${FENCE_STATE} SET timeline = $1 WHERE timeline <> $1`, [now]);
    return (changed.rowCount ?? 0) > 0;
  } catch (cause) {
    if (isForbidden(cause)) return false;
    throw cause;
  }
}
