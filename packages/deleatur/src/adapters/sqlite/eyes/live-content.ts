// Reads everything in a store that lives, of whatever table: what the bytes of a file may lawfully hold. Content of any person: it stays in memory.
import { quoteText } from "../options.ts";
import type { Reader } from "./open-reader.ts";
import { moduleOf, readCells, seeColumns, seeFullText } from "./read-cells.ts";
import { vectorColumns } from "./vector-chunks.ts";

/**
 * Every text and every byte string that the store answers when it is asked; what stands in the fence while it is up, too. The samples that ANALYZE took
 * are no row of anybody: one that outlived its row must not explain itself. `vectors: false` leaves the float columns of vec0 tables out.
 */
export function* liveContent(
  db: Reader,
  { vectors }: { readonly vectors: boolean } = { vectors: true },
): Generator<Uint8Array | string> {
  const tables = db
    .prepare<[], { name: string; type: string }>(
      "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name <> 'sqlite_schema' AND name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'",
    )
    .all();
  for (const { name, type } of tables) {
    const virtual = type === "virtual" ? moduleOf(db, name) : undefined;
    const isIndex = virtual?.module === "fts5";
    // The parts of an index are no rows of anybody: what a deleted row left in them must not explain itself.
    if (type === "table" && isPartOf(name, tables)) continue;
    // What an index reads from a content table is read there, and a contentless one answers no text.
    if (!isIndex || seeFullText(virtual.body).mode === "own") {
      const left = new Set(
        vectors || virtual?.module !== "vec0" ? [] : vectorColumns(virtual.body).map(({ name: column }) => column),
      );
      const columns = seeColumns(db, name).flatMap(({ name: column }) => (left.has(column) ? [] : [column]));
      for (const cells of readCells(db, name, columns))
        for (const cell of cells) if (typeof cell === "string" || Buffer.isBuffer(cell)) yield cell;
    }
    if (isIndex) yield* liveTerms(db, name);
  }
  for (const sql of db.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").pluck(true).iterate())
    yield* withoutTexts(sql);
}

/** A name in quotes, else a text or a comment: group 1 holds the latter. */
const QUOTED = /"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|('(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/g;

/** Declarations stand in the file too, and belong to nobody: all but the texts and the comments in them, which may be anybody's words. */
function* withoutTexts(sql: string): Generator<string> {
  let from = 0;
  for (const { 0: quoted, 1: text, index } of sql.matchAll(QUOTED)) {
    if (text === undefined) continue;
    yield sql.slice(from, index);
    from = index + quoted.length;
  }
  yield sql.slice(from);
}

/** sqlite-vec does not mark all its parts as such. */
function isPartOf(name: string, tables: readonly { readonly name: string; readonly type: string }[]): boolean {
  return tables.some(
    (owner) =>
      owner.type === "virtual" &&
      name.startsWith(`${owner.name}_`) &&
      /_(vector_chunks|metadatachunks|metadatatext)\d+$/.test(name),
  );
}

/** The terms by which living rows are found. */
export function* liveTerms(db: Reader, table: string): Generator<string> {
  db.exec("DROP TABLE IF EXISTS temp.deleatur_terms");
  db.exec(`CREATE VIRTUAL TABLE temp.deleatur_terms USING fts5vocab(main, ${quoteText(table)}, 'row')`);
  yield* db.prepare<[], string>("SELECT term FROM temp.deleatur_terms").pluck(true).iterate();
}

/** The FTS5 tables of a store, by name, with their declarations. */
export function fullTextTables(db: Reader): readonly { readonly name: string; readonly body: string }[] {
  const names = db
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'")
    .pluck(true)
    .all();
  return names.flatMap((name) => {
    const virtual = moduleOf(db, name);
    return virtual?.module === "fts5" ? [{ name, body: virtual.body }] : [];
  });
}
