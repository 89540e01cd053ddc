// Lists every container of a store with its owner and what it holds, by declared type and by looking at some rows. Reads only.
import type { Container } from "../../../surface.ts";
import { quoteName, type SqliteFile } from "../options.ts";
import type { Db } from "./connect.ts";
import { readColumns } from "./layout.ts";
import { OWN_TABLES } from "./own-tables.ts";

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
  const others = holdingsOf(db, entry).filter((holding) => holding === "text");
  return ["vector", ...others];
}

function holdingsOf(db: Db, { name }: Listed): readonly Holding[] {
  const found = new Set<Holding>();
  const columns = [...(readColumns(db, name)?.values() ?? [])];
  for (const column of columns) {
    if (/char|clob|text|json/i.test(column.type)) found.add("text");
    if (/blob|vector|float\s*\[/i.test(column.type)) found.add("blob");
  }
  for (const { name: column } of columns) for (const holding of sampleColumn(db, name, column)) found.add(holding);
  return [...found].toSorted();
}

/** What a column really holds, beyond its first rows too: types are only a hint in SQLite. A table that cannot be read counts as holding anything. */
function sampleColumn(db: Db, table: string, column: string): readonly Holding[] {
  const name = quoteName(column);
  const sample = `SELECT typeof(${name}) AS kind, length(CAST(${name} AS BLOB)) AS size FROM ${quoteName(table)} LIMIT ${SAMPLE}`;
  const any = (kind: string): boolean =>
    db.prepare(`SELECT 1 FROM ${quoteName(table)} WHERE typeof(${name}) = '${kind}' LIMIT 1`).get() !== undefined;
  let rows: readonly { readonly kind: string; readonly size: bigint | null }[];
  let hasText: boolean;
  let hasBlobs: boolean;
  try {
    rows = db.prepare<[], { kind: string; size: bigint | null }>(sample).all();
    hasText = rows.some(({ kind }) => kind === "text") || any("text");
    hasBlobs = rows.some(({ kind }) => kind === "blob") || any("blob");
  } catch {
    return ["blob", "text"];
  }
  const blobs = rows.filter(({ kind }) => kind === "blob");
  const sizes = new Set(blobs.map(({ size }) => size ?? 0n));
  const [size] = sizes;
  const areVectors = sizes.size === 1 && size !== undefined && size >= 32n && size % 4n === 0n;
  const holdings: Holding[] = [];
  if (hasText) holdings.push("text");
  if (hasBlobs) holdings.push(areVectors ? "vector" : "blob");
  return holdings;
}
