// Turns artifacts' keys into one exact, typed comparison over arrays: `42` matches the number 42 and the text 42, never 042 (C16). Pure.
import type { ArtifactKey } from "../../../model/ids.ts";
import { quoteName } from "../options.ts";
import { partsOfKey } from "../values.ts";
import type { Column } from "./columns.ts";
import type { Layout } from "./layout.ts";

/** A comparison of a table's rows with many keys. */
export interface KeyMatch {
  /** What to put behind USING or FROM; empty where the condition stands alone. */
  readonly using: string;
  readonly where: string;
  /** Array literals, one a key column: the client would quote each element by itself, also where it is a number. */
  readonly values: readonly string[];
  /** How many of the keys a row can have at all. */
  readonly count: number;
}

const RANGES: Readonly<Record<string, bigint>> = { int2: 1n << 15n, int4: 1n << 31n, int8: 1n << 63n };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The rows under any of these keys, of the table that is called `alias`; undefined where no row can have one of them. Parameters begin at `$first`.
 */
export function matchKeys(
  layout: Pick<Layout, "key" | "columns">,
  keys: readonly ArtifactKey[],
  alias: string,
  first = 1,
): KeyMatch | undefined {
  const columns = layout.key.flatMap((name) => layout.columns.get(name) ?? []);
  const [only] = columns;
  if (columns.length === 1 && only !== undefined) {
    const fitting = keys.map((key) => written(only, key)).filter((text) => text !== undefined);
    if (fitting.length === 0) return undefined;
    const where = `${side(alias, only)} = ANY ($${first}::${comparedAs(only)}[])`;
    return { using: "", where, values: [arrayLiteral(only, fitting)], count: fitting.length };
  }
  const fitting = keys
    .map((key) => partsOfKey(key, columns.length)?.map((part, place) => written(columns[place], part)))
    .filter((parts): parts is string[] => parts?.every((part) => part !== undefined) === true);
  if (fitting.length === 0) return undefined;
  const values = columns.map((column, place) =>
    arrayLiteral(
      column,
      fitting.map((parts) => parts[place] ?? ""),
    ),
  );
  const types = columns.map((column) => comparedAs(column));
  const arrays = types.map((type, place) => `$${first + place}::${type}[]`).join(", ");
  const names = columns.map((_, place) => `k${place}`);
  return {
    using: `ROWS FROM (unnest(${arrays})) AS k(${names.join(", ")})`,
    where: columns.map((column, place) => `${side(alias, column)} = k.k${place}`).join(" AND "),
    values,
    count: fitting.length,
  };
}

/** Numbers and UUIDs have no character that an array's literal would read as its own. */
function arrayLiteral({ base }: Column, elements: readonly string[]): string {
  if (base in RANGES || base === "uuid") return `{${elements.join(",")}}`;
  return `{${elements.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

function comparedAs({ base }: Column): string {
  return base in RANGES || base === "uuid" || base === "bytea" ? base : "text";
}

/** Where equal values have equal texts, the column itself is compared, so that its index serves; else its text. */
function side(alias: string, column: Column): string {
  const name = `${alias}.${quoteName(column.name)}`;
  const isText = (column.base === "text" || column.base === "varchar") && column.isExact;
  return isText || comparedAs(column) !== "text" ? name : `(${name})::text COLLATE "C"`;
}

/** The part as an array element; undefined where the column can hold no such value. */
function written(column: Column | undefined, part: string): string | undefined {
  if (column === undefined || part.includes("\0")) return undefined;
  const range = RANGES[column.base];
  if (range !== undefined) {
    if (!/^(?:0|-?[1-9]\d{0,18})$/.test(part)) return undefined;
    // Up to fifteen digits a number is exact without being a big one.
    const number = part.length < 16 ? Number(part) : BigInt(part);
    return number >= -range && number < range ? part : undefined;
  }
  if (column.base === "uuid") return UUID.test(part) ? part : undefined;
  if (column.base !== "bytea") return part;
  const bytes = Buffer.from(part, "base64url");
  // Only the one canonical spelling stands for these bytes.
  return bytes.toString("base64url") === part ? `\\x${bytes.toString("hex")}` : undefined;
}

/** A key column's text as a key spells it, in SQL. */
function keyText(alias: string, { name, base }: Column): string {
  const column = `${alias}.${quoteName(name)}`;
  if (base !== "bytea") return `${column}::text`;
  return `pg_catalog.rtrim(pg_catalog.translate(pg_catalog.replace(pg_catalog.encode(${column}, 'base64'), E'\\n', ''), '+/', '-_'), '=')`;
}

/** The whole key in SQL, as the engine spells it: one text, or the JSON array of several. */
export function keySql(layout: Pick<Layout, "key" | "columns">, alias: string): string {
  const texts = layout.key.flatMap((name) => {
    const column = layout.columns.get(name);
    return column === undefined ? [] : [keyText(alias, column)];
  });
  const [only = "''"] = texts;
  if (texts.length === 1) return only;
  // Without the blanks that json_build_array puts in.
  return `('[' || ${texts.map((text) => `pg_catalog.to_json(${text})::text`).join(" || ',' || ")} || ']')`;
}
