// Reads whole tables for the probes, every column and not only the declared ones: a copy does not ask where it was declared.
import { endianness } from "node:os";
import type { ContentField } from "../../../model/artifact.ts";
import { quoteName, quoteText } from "../options.ts";
import type { Cell, Reader } from "./open-reader.ts";

export interface ColumnSeen {
  readonly name: string;
  readonly keyPlace: number;
}

/** A table's visible columns; empty where there is no such table. */
export function seeColumns(db: Reader, table: string): readonly ColumnSeen[] {
  return db
    .prepare<[string], { name: string; pk: bigint; hidden: bigint }>(
      "SELECT name, pk, hidden FROM pragma_table_xinfo(?)",
    )
    .all(table)
    .filter(({ hidden }) => hidden !== 1n)
    .map(({ name, pk }) => ({ name, keyPlace: Number(pk) }));
}

/** Every row of a table: its cells in the order of the given columns. */
export function* readCells(db: Reader, table: string, columns: readonly string[]): Generator<readonly Cell[]> {
  if (columns.length === 0) return;
  const select = columns.map((name) => (isRowNumber(name) ? "rowid" : quoteName(name))).join(", ");
  yield* db
    .prepare<[], Cell[]>(`SELECT ${select} FROM ${quoteName(table)}`)
    .raw(true)
    .iterate();
}

/** A cell as the matchers take it. Numbers are their decimal text. */
export function fieldOfCell(name: string, cell: Cell, isVector: boolean): ContentField | undefined {
  if (cell === null) return undefined;
  if (!Buffer.isBuffer(cell)) return { type: "text", name, text: String(cell) };
  if (!isVector || cell.byteLength % 4 !== 0) return { type: "bytes", name, bytes: new Uint8Array(cell) };
  return { type: "vector", name, vector: floatsOf(cell) };
}

export function floatsOf(cell: Buffer): Float32Array {
  // Most machines are little-endian, as the stored vectors are.
  if (endianness() === "LE") return new Float32Array(new Uint8Array(cell).buffer);
  const floats = new Float32Array(cell.byteLength / 4);
  for (let index = 0; index < floats.length; index += 1) floats[index] = cell.readFloatLE(4 * index);
  return floats;
}

/** The key text of a row as PROOFS §2 spells it; undefined where a part is NULL. */
export function spellKey(cells: readonly Cell[]): string | undefined {
  const parts: string[] = [];
  for (const cell of cells) {
    if (cell === null) return undefined;
    parts.push(Buffer.isBuffer(cell) ? cell.toString("base64url") : String(cell));
  }
  return parts.length === 1 ? parts[0] : JSON.stringify(parts);
}

export function isRowNumber(name: string): boolean {
  return ["rowid", "oid", "_rowid_"].includes(name.toLowerCase());
}

/** Where an FTS5 table keeps its text, from its declaration, and what lists its rows. */
export interface FullText {
  readonly mode: "own" | "external" | "none";
  readonly contentTable: string;
  readonly contentRowid: string;
  readonly hasDocsize: boolean;
  /** Whether it holds where in a text each term stood, as it does unless `detail` says otherwise. */
  readonly hasPlaces: boolean;
  /** As declared, with its quotes; undefined for the default. */
  readonly tokenizer: string | undefined;
}

export function seeFullText(body: string): FullText {
  const option = (name: string): string | undefined =>
    new RegExp(`\\b${name}\\s*=\\s*('(?:[^']|'')*'|"(?:[^"]|"")*"|\\[[^\\]]*\\]|\`[^\`]*\`|\\w*)`, "i").exec(body)?.[1];
  const bare = (name: string): string | undefined => option(name)?.replaceAll(/^['"[`]|['"\]`]$/g, "");
  const content = bare("content");
  return {
    mode: content === undefined ? "own" : content === "" ? "none" : "external",
    contentTable: content ?? "",
    contentRowid: bare("content_rowid") ?? "rowid",
    hasDocsize: bare("columnsize") !== "0",
    hasPlaces: (bare("detail") ?? "full").toLowerCase() === "full",
    tokenizer: option("tokenize"),
  };
}

/** What a contentless index holds of each row: its terms in the order of the text, column by column; of one row, or of all. */
export function* wordsInOrder(
  db: Reader,
  table: string,
  row?: bigint,
): Generator<{ readonly doc: bigint; readonly column: string; readonly text: string }> {
  db.exec("DROP TABLE IF EXISTS temp.deleatur_read_terms");
  db.exec(`CREATE VIRTUAL TABLE temp.deleatur_read_terms USING fts5vocab(main, ${quoteText(table)}, 'instance')`);
  const isTrigram = /^['"]?trigram/i.test(seeFullText(moduleOf(db, table)?.body ?? "").tokenizer ?? "");
  const [first = ""] = seeColumns(db, table).map(({ name }) => name);
  const rows = db
    .prepare<[bigint | null, bigint | null], { doc: bigint; col: string | null; term: string }>(
      'SELECT doc, col, term FROM temp.deleatur_read_terms WHERE ? IS NULL OR doc = ? ORDER BY doc, col, "offset"',
    )
    .iterate(row ?? null, row ?? null);
  let current: { doc: bigint; column: string; terms: string[] } | undefined;
  const written = ({
    doc,
    column,
    terms,
  }: {
    doc: bigint;
    column: string;
    terms: readonly string[];
  }): { doc: bigint; column: string; text: string } => ({
    doc,
    column,
    text: isTrigram
      ? (terms[0] ?? "") +
        terms
          .slice(1)
          .map((term) => Array.from(term).at(-1))
          .join("")
      : terms.join(" "),
  });
  for (const { doc, col, term } of rows) {
    const column = col ?? first;
    if (current !== undefined && current.doc === doc && current.column === column) {
      current.terms.push(term);
      continue;
    }
    if (current !== undefined) yield written(current);
    current = { doc, column, terms: [term] };
  }
  if (current !== undefined) yield written(current);
}

/** The module of a virtual table (`fts5`, `vec0`), lower-case; undefined for an ordinary one. */
export function moduleOf(db: Reader, table: string): { readonly module: string; readonly body: string } | undefined {
  const sql = db
    .prepare<[string], { sql: string | null }>(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
    )
    .get(table)?.sql;
  const found = /^create\s+virtual\s+table[\s\S]*?\busing\s+"?(\w+)"?\s*\(([\s\S]*)\)/i.exec(sql ?? "");
  if (found?.[1] === undefined || found[2] === undefined) return undefined;
  return { module: found[1].toLowerCase(), body: found[2] };
}
