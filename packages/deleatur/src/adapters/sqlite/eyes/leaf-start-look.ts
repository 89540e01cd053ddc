// Looks into the b-tree of each FTS5 index for starts of terms that only erased content had: `<index>_idx` keeps them of each leaf's first term, and a merge may leave them (C04).
import type { Finding } from "../../../model/needle.ts";
import { quoteName, quoteText, type SqliteFile } from "../options.ts";
import type { Reader } from "./open-reader.ts";
import type { LostTerms } from "./term-look.ts";
import { minTail } from "./term-patterns.ts";

/**
 * Starts with which no term of the live index begins, and a lost one does. Shorter ones than the shortest tail are nobody's: in a store where others
 * were erased too, a letter or two would be laid at anybody's door.
 */
export function* lookAtLeafStarts(db: Reader, target: SqliteFile, lost: readonly LostTerms[]): Generator<Finding> {
  for (const { table, isTrigram, byNeedle } of lost) {
    const stale = staleStarts(db, table, minTail(isTrigram));
    if (stale.size === 0) continue;
    for (const [needle, terms] of byNeedle) {
      const count = terms.filter((term) => beginsWithAny(term, stale)).length;
      if (count === 0) continue;
      // It is for a purge to clear, not for an erase: what is left are bytes.
      yield {
        probe: "bytes",
        depth: "bytes",
        needle,
        place: { container: `${target.store}.${table}_idx` },
        match: { how: "term", terms: count },
      };
    }
  }
}

/** Bytes as text of one character each: a start may end within a letter. */
function staleStarts(db: Reader, table: string, shortest: number): ReadonlySet<string> {
  db.exec("DROP TABLE IF EXISTS temp.deleatur_starts");
  db.exec(`CREATE VIRTUAL TABLE temp.deleatur_starts USING fts5vocab(main, ${quoteText(table)}, 'row')`);
  const next = db
    .prepare<[Buffer], Buffer>(
      "SELECT CAST(term AS BLOB) FROM temp.deleatur_starts WHERE term >= CAST(? AS TEXT) LIMIT 1",
    )
    .pluck(true);
  // The first byte of each says which of the index's own indexes it is of: whole terms, or prefixes of one length.
  const starts = db
    .prepare<[number], Buffer>(
      `SELECT DISTINCT CAST(substr(term, 2) AS BLOB) FROM ${quoteName(`${table}_idx`)} WHERE length(term) > ?`,
    )
    .pluck(true)
    .all(shortest);
  const isLiving = (start: Buffer): boolean => {
    const term = next.get(start);
    return term !== undefined && term.subarray(0, start.length).equals(start);
  };
  return new Set(starts.filter((start) => !isLiving(start)).map((start) => start.toString("latin1")));
}

function beginsWithAny(term: string, starts: ReadonlySet<string>): boolean {
  const bytes = Buffer.from(term, "utf8").toString("latin1");
  for (let length = 1; length <= bytes.length; length += 1) if (starts.has(bytes.slice(0, length))) return true;
  return false;
}
