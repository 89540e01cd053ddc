// Reads what an FTS5 table is from its own CREATE statement: where its content stands and what its index keeps. Reads the schema only.
import { BoundaryError } from "../../../model/errors.ts";
import type { Db } from "./connect.ts";

export interface FtsFacts {
  readonly name: string;
  /** own: keeps the text itself; external: reads it from a table; none: keeps terms only (contentless). */
  readonly mode: "own" | "external" | "none";
  readonly columns: readonly string[];
  readonly contentTable?: string;
  readonly contentRowid?: string;
  readonly contentlessDelete: boolean;
  /** False where `columnsize=0` leaves no list of the indexed rows. */
  readonly hasDocsize: boolean;
  readonly tokenizer: string;
  /** Whether the index holds an entry for each place of a term, as it does unless `detail` says otherwise. */
  readonly hasPlaces: boolean;
}

/** The facts of every FTS5 table of a store, by name. */
export function listFtsTables(db: Db): readonly FtsFacts[] {
  const rows = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'",
    )
    .all();
  return rows.flatMap(({ name, sql }) => {
    const facts = parseFts(name, sql);
    return facts === undefined ? [] : [facts];
  });
}

/** The facts of one declared FTS5 table. @throws BoundaryError where the table is none */
export function readFtsFacts(db: Db, table: string, surface: string): FtsFacts {
  const facts = listFtsTables(db).find(({ name }) => name.toLowerCase() === table.toLowerCase());
  if (facts === undefined) {
    throw new BoundaryError(
      "TABLE_UNFIT",
      `table ${table} of surface ${surface} is no FTS5 table, mend kind or table`,
      {
        place: { surface, field: "table" },
      },
    );
  }
  return facts;
}

export function parseFts(name: string, sql: string): FtsFacts | undefined {
  const body = /using\s+fts5\s*\(([\s\S]*)\)\s*;?\s*$/i.exec(sql)?.[1];
  if (body === undefined) return undefined;
  const options = new Map<string, string>();
  const columns: string[] = [];
  for (const argument of splitArguments(body)) {
    const option = /^\s*(\w+)\s*=\s*([\s\S]*)$/.exec(argument);
    if (option?.[1] === undefined)
      columns.push(unquote(/^\s*("(?:[^"]|"")*"|\[[^\]]*\]|`[^`]*`|'[^']*'|\S+)/.exec(argument)?.[1] ?? ""));
    else options.set(option[1].toLowerCase(), unquote((option[2] ?? "").trim()));
  }
  const content = options.get("content");
  return {
    name,
    mode: content === undefined ? "own" : content === "" ? "none" : "external",
    columns,
    ...(content === undefined || content === ""
      ? {}
      : { contentTable: content, contentRowid: options.get("content_rowid") ?? "rowid" }),
    contentlessDelete: options.get("contentless_delete") === "1",
    hasDocsize: options.get("columnsize") !== "0",
    tokenizer: options.get("tokenize") ?? "unicode61",
    hasPlaces: (options.get("detail") ?? "full").toLowerCase() === "full",
  };
}

/** Splits at commas outside quotes and brackets; SQL comments are taken out first. */
export function splitArguments(body: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let quote: string | undefined;
  let depth = 0;
  for (const character of body.replaceAll(/--[^\n]*(\n|$)/g, "\n")) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (character === "'" || character === '"' || character === "`") quote = character;
    else if (character === "[" || character === "(") depth += 1;
    else if (character === "]" || character === ")") depth -= 1;
    if (character === "," && quote === undefined && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  if (part.trim() !== "") parts.push(part);
  return parts;
}

function unquote(text: string): string {
  const first = text.at(0);
  if (first === "[") return text.slice(1, -1);
  if (first === "'" || first === '"' || first === "`") return text.slice(1, -1).replaceAll(first + first, first);
  return text;
}
