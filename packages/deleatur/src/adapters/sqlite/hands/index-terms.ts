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

const WORDS = "temp.deleatur_words";

/** Puts the terms of an index in reading order, once, so that the text of many rows can be put together (`textFromTerms`). */
export function collectWords(db: Db, fts: FtsFacts): void {
  openVocab(db, fts);
  db.exec(`DROP TABLE IF EXISTS ${WORDS}`);
  db.exec(`CREATE TABLE ${WORDS} AS SELECT doc, col, "offset" AS place, term FROM ${VOCAB}`);
  db.exec("CREATE INDEX temp.deleatur_words_by_doc ON deleatur_words (doc, col, place)");
}

/** Whether the index still holds any of the words that were collected of a row. */
export function holdsCollectedWord(db: Db, rowid: bigint): boolean {
  const left = db
    .prepare<[bigint]>(
      `SELECT 1 FROM ${WORDS} AS w WHERE w.doc = ? AND EXISTS (SELECT 1 FROM ${VOCAB} AS v WHERE v.term = w.term AND v.doc = w.doc) LIMIT 1`,
    )
    .get(rowid);
  return left !== undefined;
}

/** The text of each column of one row, put together from its collected terms: all that a contentless index has, and what it needs to delete a row. */
export function textFromTerms(db: Db, fts: FtsFacts, rowid: bigint): readonly string[] {
  const rows = db
    .prepare<[bigint], { term: string; col: string | null }>(
      `SELECT term, col FROM ${WORDS} WHERE doc = ? ORDER BY col, place`,
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
