// What an FTS5 index really holds, term by term, through fts5vocab: the only way to see terms of rows that are gone. Reads only.
import { quoteName, quoteText } from "../options.ts";
import type { Db } from "./connect.ts";
import type { FtsFacts } from "./fts-facts.ts";
import { INDEX_VOCABULARY } from "./layout.ts";

const VOCAB = INDEX_VOCABULARY;

export function openVocab(db: Db, fts: FtsFacts): void {
  db.exec(`DROP TABLE IF EXISTS ${VOCAB}`);
  db.exec(`CREATE VIRTUAL TABLE ${VOCAB} USING fts5vocab(main, ${quoteText(fts.name)}, 'instance')`);
}

/** Whether the index of an external-content table holds terms of rows that its content table no longer has. */
export function orphanDocs(db: Db, fts: FtsFacts): boolean {
  if (fts.contentTable === undefined) return false;
  openVocab(db, fts);
  const orphan = db
    .prepare(
      `SELECT 1 FROM ${VOCAB} WHERE doc NOT IN (SELECT ${quoteName(fts.contentRowid ?? "rowid")} FROM ${quoteName(fts.contentTable)}) LIMIT 1`,
    )
    .get();
  return orphan !== undefined;
}

/** Of these rows, those of which the index holds any term. */
export function docsWithTerms(db: Db, fts: FtsFacts, rowids: readonly bigint[]): ReadonlySet<bigint> {
  openVocab(db, fts);
  const rows = db
    .prepare<[string], { doc: bigint }>(
      `SELECT DISTINCT doc FROM ${VOCAB} WHERE doc IN (SELECT value FROM json_each(?))`,
    )
    .all(`[${rowids.join(",")}]`);
  return new Set(rows.map(({ doc }) => doc));
}

/** The text of each column of one row, put together from its terms: what a contentless table needs to delete it. */
export function textFromTerms(db: Db, fts: FtsFacts, rowid: bigint): readonly string[] {
  openVocab(db, fts);
  const rows = db
    .prepare<[bigint], { term: string; col: string | null }>(
      `SELECT term, col FROM ${VOCAB} WHERE doc = ? ORDER BY col, "offset"`,
    )
    .all(rowid);
  const isTrigram = /^trigram\b/i.test(fts.tokenizer);
  return fts.columns.map((column, place) => {
    // An index without columns (detail=none) says of no term where it stood: all of them go under the first column.
    const terms = rows.filter(({ col }) => col === column || (col === null && place === 0)).map(({ term }) => term);
    if (!isTrigram) return terms.join(" ");
    return (
      (terms[0] ?? "") +
      terms
        .slice(1)
        .map((term) => Array.from(term).at(-1))
        .join("")
    );
  });
}
