// Keeps an FTS5 index's own b-tree from holding what only erased rows said: `<index>_idx` has the start of each leaf's first term. Writes no row that stays.
import { quoteName, quoteText } from "../options.ts";
import { sqliteCode } from "../store-errors.ts";
import { inWriteTransaction, type Db } from "./connect.ts";
import type { FtsFacts } from "./fts-facts.ts";
import { openVocab } from "./index-terms.ts";
import { INDEX_VOCABULARY } from "./layout.ts";

/** Stands in the index for the time of one transaction. A word and a number: no tokenizer of use makes nothing of both. */
const PASSING_TEXT = "deleatur 0";

/**
 * Rewrites the index where a leaf's start begins no term that the index still has. Under FTS5's own `secure-delete` a term is taken out of its leaf and
 * its start stays, and `optimize` rewrites nothing where there is one segment. Cheap where nothing is stale: one search for each leaf.
 * Answers why a start is left, if one is. @throws StoreError
 */
export function clearLeafStarts(db: Db, fts: FtsFacts): string | undefined {
  if (!hasStaleStart(db, fts)) return undefined;
  try {
    rewriteSegments(db, fts);
  } catch (cause) {
    // Only the application's own connections know how to take a text apart for this index.
    if (sqliteCode(cause) !== "SQLITE_ERROR" || !/no such tokenizer/.test(String(cause))) throw cause;
  }
  return hasStaleStart(db, fts)
    ? `the b-tree of index ${fts.name} keeps the start of a term that no row has any more, rebuild the index`
    : undefined;
}

function hasStaleStart(db: Db, fts: FtsFacts): boolean {
  openVocab(db, fts);
  // The first byte tells the index of whole terms from those of prefixes; a term of any of them begins a whole one.
  const starts = db.prepare<[], Buffer>(
    `SELECT DISTINCT CAST(substr(term, 2) AS BLOB) FROM ${quoteName(`${fts.name}_idx`)} WHERE length(term) > 1`,
  );
  const from = db.prepare<[Buffer], Buffer>(
    `SELECT CAST(term AS BLOB) FROM ${INDEX_VOCABULARY} WHERE term >= CAST(? AS TEXT) LIMIT 1`,
  );
  return starts
    .pluck(true)
    .all()
    .some((start) => from.pluck(true).get(start)?.subarray(0, start.length).equals(start) !== true);
}

/**
 * A row that comes and goes leaves a second segment, and so `optimize` merges. The row is gone before it does, so that no leaf begins with it. One
 * transaction: a process that is killed in between has written nothing.
 */
function rewriteSegments(db: Db, fts: FtsFacts): void {
  const name = quoteName(fts.name);
  const columns = fts.columns.map(quoteName).join(", ");
  const places = fts.columns.map(() => "?").join(", ");
  const texts = fts.columns.map(() => PASSING_TEXT);
  inWriteTransaction(db, () => {
    const rowid = unusedRow(db, fts);
    db.prepare(`INSERT INTO ${name} (rowid, ${columns}) VALUES (?, ${places})`).run(rowid, ...texts);
    if (fts.mode === "own" || fts.contentlessDelete) db.prepare(`DELETE FROM ${name} WHERE rowid = ?`).run(rowid);
    else
      db.prepare(`INSERT INTO ${name} (${name}, rowid, ${columns}) VALUES ('delete', ?, ${places})`).run(
        rowid,
        ...texts,
      );
    db.exec(`INSERT INTO ${name} (${name}) VALUES (${quoteText("optimize")})`);
  });
}

const LAST_ROW = 2n ** 63n - 1n;

/** A number of which the index has no row: behind the last one, or before the first where none is left behind it. */
function unusedRow(db: Db, fts: FtsFacts): bigint {
  const listed = fts.hasDocsize
    ? `SELECT id FROM ${quoteName(`${fts.name}_docsize`)}`
    : fts.mode === "own"
      ? `SELECT id FROM ${quoteName(`${fts.name}_content`)}`
      : `SELECT doc AS id FROM ${INDEX_VOCABULARY}`;
  const ends = db
    .prepare<[], { first: bigint | null; last: bigint | null }>(
      `SELECT (SELECT min(id) FROM (${listed})) AS "first", (SELECT max(id) FROM (${listed})) AS "last"`,
    )
    .get();
  const last = ends?.last ?? 0n;
  return last < LAST_ROW ? last + 1n : (ends?.first ?? 0n) - 1n;
}
