// Reads what a vec0 table is from its own CREATE statement: its key, its vectors, where its other columns stand. Reads the schema only.
import { BoundaryError } from "../../../model/errors.ts";
import type { Db } from "./connect.ts";
import { splitArguments } from "./fts-facts.ts";

export interface VecFacts {
  readonly key: { readonly name: string; readonly type: "integer" | "text" };
  readonly vectors: readonly string[];
  readonly dimensions: ReadonlyMap<string, number>;
  /** Of each float32 column, its place among the vectors of all types: it numbers the table of its chunks. */
  readonly places: ReadonlyMap<string, number>;
}

/** The facts of a declared vec0 table. @throws BoundaryError where the table is none */
export function readVecFacts(db: Db, table: string, surface: string): VecFacts {
  const row = db
    .prepare<[string], { sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
    )
    .get(table);
  const body = /using\s+vec0\s*\(([\s\S]*)\)\s*;?\s*$/i.exec(row?.sql ?? "")?.[1];
  if (row !== undefined && body === undefined) {
    throw new BoundaryError(
      "TABLE_UNFIT",
      `table ${table} of surface ${surface} is no vec0 table, mend kind or table`,
      {
        place: { surface, field: "table" },
      },
    );
  }
  return parseVec(body ?? "");
}

export function parseVec(body: string): VecFacts {
  const dimensions = new Map<string, number>();
  const places = new Map<string, number>();
  let vectors = 0;
  let key: VecFacts["key"] = { name: "rowid", type: "integer" };
  for (const argument of splitArguments(body)) {
    const [, name, type, rest] = /^\s*([\w"]+)\s+(\w+)([\s\S]*)$/.exec(argument) ?? [];
    if (name === undefined || type === undefined) continue;
    const bare = name.replaceAll('"', "");
    if (/primary\s+key/i.test(rest ?? "")) key = { name: bare, type: /^text$/i.test(type) ? "text" : "integer" };
    const size = /^(?:float|f32)$/i.test(type) ? /^\s*\[\s*(\d+)/.exec(rest ?? "")?.[1] : undefined;
    if (size !== undefined) {
      dimensions.set(bare, Number(size));
      places.set(bare, vectors);
    }
    if (/^(?:float|f32|int8|i8|bit)$/i.test(type) && /^\s*\[/.test(rest ?? "")) vectors += 1;
  }
  return { key, vectors: [...dimensions.keys()], dimensions, places };
}
