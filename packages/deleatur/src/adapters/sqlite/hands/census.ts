// Lists every container of a store with its owner and what it holds, by declared type and by looking at some rows. Reads only.
import type { Container } from "../../../surface.ts";
import { quoteName, type SqliteFile } from "../options.ts";
import { sqliteCode } from "../store-errors.ts";
import type { Db } from "./connect.ts";
import { type Column, readColumns } from "./layout.ts";
import { OWN_TABLES } from "./own-tables.ts";
import { parseVec } from "./vec-facts.ts";

type Holding = Container["holds"][number];

interface Listed {
  readonly name: string;
  readonly type: string;
  readonly sql: string | null;
}

/** Rows that are looked at to tell vectors from other bytes. */
const SAMPLE = 200;

/** The parts of a virtual table, by its module; SQLite marks most of them itself. */
const PARTS: Readonly<Record<string, RegExp>> = {
  vec0: /^(info|chunks|rowids|auxiliary|(vector_chunks|metadatachunks|metadatatext)\d+)$/,
  rtree: /^(node|parent|rowid)$/,
};

/** Tables of SQLite itself hold no content, except the samples of indexed values that ANALYZE takes. */
const HOLDS_SAMPLES = ["sqlite_stat4", "sqlite_stat3"];

export function takeCensus(db: Db, target: SqliteFile): readonly Container[] {
  const listed = db
    .prepare<[], Listed>(
      `SELECT l.name AS name, l.type AS type, s.sql AS sql FROM pragma_table_list AS l
       LEFT JOIN sqlite_schema AS s ON s.name = l.name AND s.type IN ('table', 'view') WHERE l.schema = 'main' ORDER BY l.name`,
    )
    .all();
  const virtual = listed.filter(({ type }) => type === "virtual");
  return listed.flatMap((entry): readonly Container[] => {
    const { name } = entry;
    const full = `${target.store}.${name}`;
    // By name, not by prefix: a table of somebody else's that is called like ours must not hide.
    if (OWN_TABLES.includes(name)) return [{ name: full, kind: "shadow", owner: "deleatur", holds: [] }];
    if (name.startsWith("sqlite_")) {
      return HOLDS_SAMPLES.includes(name) ? [{ name: full, kind: "table", holds: holdingsOf(db, entry) }] : [];
    }
    const owner = ownerOf(entry, virtual);
    const kind = owner === undefined ? kindOf(entry) : "shadow";
    return [
      {
        name: full,
        kind,
        ...(owner === undefined ? {} : { owner: `${target.store}.${owner}` }),
        holds: kind === "fts" ? ["text"] : kind === "vec" ? vecHoldings(db, entry) : holdingsOf(db, entry),
      },
    ];
  });
}

/** A shadow table's name is its owner's, an underscore and a part; sqlite-vec does not mark all of its own. */
function ownerOf({ name, type }: Listed, virtual: readonly Listed[]): string | undefined {
  return virtual
    .filter((owner) => name.toLowerCase().startsWith(`${owner.name.toLowerCase()}_`))
    .filter(
      (owner) =>
        type === "shadow" || PARTS[moduleOf(owner)]?.test(name.slice(owner.name.length + 1).toLowerCase()) === true,
    )
    .map((owner) => owner.name)
    .toSorted((left, right) => right.length - left.length)[0];
}

function moduleOf({ sql }: Listed): string {
  return /using\s+"?(\w+)/i.exec(sql ?? "")?.[1]?.toLowerCase() ?? "";
}

function kindOf(entry: Listed): Container["kind"] {
  const { type } = entry;
  if (type === "view") return "view";
  if (type === "shadow") return "shadow";
  if (type !== "virtual") return "table";
  const module = moduleOf(entry);
  return module.startsWith("fts") ? "fts" : module === "vec0" ? "vec" : "table";
}

function vecHoldings(db: Db, entry: Listed): readonly Holding[] {
  // What is declared as numbers holds nothing else; every look at it would read whole vectors.
  const { vectors } = parseVec(/using\s+vec0\s*\(([\s\S]*)\)\s*;?\s*$/i.exec(entry.sql ?? "")?.[1] ?? "");
  const others = holdingsOf(db, entry, vectors).filter((holding) => holding === "text");
  return ["vector", ...others];
}

function holdingsOf(db: Db, { name }: Listed, without: readonly string[] = []): readonly Holding[] {
  const found = new Set<Holding>();
  const all = columnsOf(db, name);
  if (all === undefined) return ["blob", "text"];
  const columns = all.filter((column) => !without.includes(column.name));
  for (const column of columns) {
    if (/char|clob|text|json/i.test(column.type)) found.add("text");
    if (/blob|vector|float\s*\[/i.test(column.type)) found.add("blob");
  }
  const names = columns.map((column) => column.name);
  for (const holding of sampleColumns(db, name, names)) found.add(holding);
  return [...found].toSorted();
}

/** Undefined where the module of a virtual table is not here: it may hold anything. */
function columnsOf(db: Db, name: string): readonly Column[] | undefined {
  try {
    return [...(readColumns(db, name)?.values() ?? [])];
  } catch (cause) {
    if (sqliteCode(cause) !== "SQLITE_ERROR") throw cause;
    return undefined;
  }
}

interface Sampled {
  readonly column: string;
  readonly hasText: boolean;
  /** Undefined where no blob is among the first rows. */
  readonly blobs: "blob" | "vector" | undefined;
}

/** What columns really hold, beyond their first rows too: types are only a hint in SQLite. A table that cannot be read counts as holding anything. */
function sampleColumns(db: Db, table: string, columns: readonly string[]): readonly Holding[] {
  try {
    const sampled = columns.map((column) => sampleColumn(db, table, column));
    const rare = lookForRare(db, table, sampled);
    return [
      ...sampled.flatMap(({ hasText, blobs }): readonly Holding[] => [
        ...(hasText ? (["text"] as const) : []),
        ...(blobs === undefined ? [] : [blobs]),
      ]),
      ...rare,
    ];
  } catch {
    return ["blob", "text"];
  }
}

function sampleColumn(db: Db, table: string, column: string): Sampled {
  const name = quoteName(column);
  const rows = db
    .prepare<[], { kind: string; size: bigint | null }>(
      `SELECT typeof(${name}) AS kind, length(CAST(${name} AS BLOB)) AS size FROM ${quoteName(table)} LIMIT ${SAMPLE}`,
    )
    .all();
  const sizes = new Set(rows.flatMap(({ kind, size }) => (kind === "blob" ? [size ?? 0n] : [])));
  const [size] = sizes;
  const areVectors = sizes.size === 1 && size !== undefined && size >= 32n && size % 4n === 0n;
  return {
    column,
    hasText: rows.some(({ kind }) => kind === "text"),
    blobs: size === undefined ? undefined : areVectors ? "vector" : "blob",
  };
}

/** What the first rows have not shown, asked of all rows at once. */
function lookForRare(db: Db, table: string, sampled: readonly Sampled[]): readonly Holding[] {
  const open = sampled.flatMap(({ column, hasText, blobs }) => [
    ...(hasText ? [] : [{ column, kind: "text" as const }]),
    ...(blobs === undefined ? [{ column, kind: "blob" as const }] : []),
  ]);
  if (open.length === 0) return [];
  const asked = open.map(({ column, kind }) => `max(typeof(${quoteName(column)}) = '${kind}')`);
  const answer = db
    .prepare<[], (bigint | null)[]>(`SELECT ${asked.join(", ")} FROM ${quoteName(table)}`)
    .raw(true)
    .get();
  return open.flatMap(({ kind }, place) => (answer?.[place] === 1n ? [kind] : []));
}
