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
  const base = `SELECT ${quoteName(fts.contentRowid ?? "rowid")} FROM ${quoteName(fts.contentTable)}`;
  if (holdsListedOnly(db, fts)) {
    const listed = `SELECT 1 FROM ${docsize(fts)} WHERE id NOT IN (${base}) AND ${HAS_TERMS} LIMIT 1`;
    return db.prepare(listed).get() !== undefined;
  }
  openVocab(db, fts);
  return db.prepare(`SELECT 1 FROM ${VOCAB} WHERE doc NOT IN (${base}) LIMIT 1`).get() !== undefined;
}

/** Of these rows, those of which the index holds any term. */
export function docsWithTerms(db: Db, fts: FtsFacts, rowids: readonly bigint[]): ReadonlySet<bigint> {
  const wanted = "IN (SELECT value FROM json_each(?))";
  let sql: string;
  if (holdsListedOnly(db, fts)) sql = `SELECT id AS doc FROM ${docsize(fts)} WHERE id ${wanted} AND ${HAS_TERMS}`;
  else {
    openVocab(db, fts);
    sql = `SELECT DISTINCT doc FROM ${VOCAB} WHERE doc ${wanted}`;
  }
  const rows = db.prepare<[string], { doc: bigint }>(sql).all(`[${rowids.join(",")}]`);
  return new Set(rows.map(({ doc }) => doc));
}

const COUNTS = "temp.deleatur_counts";
/** Of a row of the docsize table: one of its columns has more than no terms. */
const HAS_TERMS = "replace(hex(sz), '0', '') <> ''";

function docsize(fts: FtsFacts): string {
  return quoteName(`${fts.name}_docsize`);
}

/**
 * Whether the index holds just the terms of the rows that its docsize table lists, told by two counts instead of a walk over every term of every row.
 * FTS5 lists a row together with all of its terms and takes it off the list with whatever delete it is told: so of a listed row the index never holds
 * fewer terms than the list says, and where both come to the same number, nothing is left over for a row that is not listed. False says nothing.
 */
function holdsListedOnly(db: Db, fts: FtsFacts): boolean {
  if (!fts.hasDocsize || !fts.hasPlaces) return false;
  db.exec(`DROP TABLE IF EXISTS ${COUNTS}`);
  db.exec(`CREATE VIRTUAL TABLE ${COUNTS} USING fts5vocab(main, ${quoteText(fts.name)}, 'row')`);
  const held = db.prepare<[], bigint>(`SELECT coalesce(sum(cnt), 0) FROM ${COUNTS}`).pluck(true).get() ?? 0n;
  let listed = 0n;
  for (const [sizes, rows] of db
    .prepare<[], [unknown, bigint]>(`SELECT sz, count(*) FROM ${docsize(fts)} GROUP BY sz`)
    .raw(true)
    .iterate()) {
    if (!Buffer.isBuffer(sizes)) return false;
    listed += sumOfSizes(sizes) * rows;
  }
  return held === listed;
}

/** The sum of a row's SQLite varints, one a column; none has the ninth byte that a number of 57 bits and more would need. */
function sumOfSizes(sizes: Buffer): bigint {
  let sum = 0n;
  let size = 0n;
  for (const byte of sizes) {
    size = (size << 7n) | BigInt(byte & 0x7f);
    if (byte > 0x7f) continue;
    sum += size;
    size = 0n;
  }
  return sum;
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
