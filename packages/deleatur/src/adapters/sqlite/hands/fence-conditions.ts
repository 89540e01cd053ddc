// The SQL by which a fence trigger recognises a refused row: exact and typed comparisons of its subjects, key and sources with the fenced ones (C16). Pure.
import { quoteName, quoteText } from "../options.ts";
import { isRowid, type Join, type Layout, type SubjectColumn } from "./layout.ts";
import { FENCE_TABLE } from "./own-tables.ts";

/** What the fence table must hold for a row to be refused. */
interface Fenced {
  readonly surface: string;
  readonly kind: "identifier" | "key" | "source";
  readonly type: string;
}

/** The row as a write leaves it, or as an update finds it: a fenced row cannot be renamed out of the fence. */
export type SeenRow = "NEW" | "OLD";

export interface FenceTrigger {
  readonly table: string;
  /** Conditions over the row, one of which refuses it. */
  readonly conditions: readonly string[];
}

/** The triggers of a layout, and whether they see all that can name a fenced person, key or source. */
export function fenceTriggers(
  layout: Layout,
  row: SeenRow,
  ignoresCase: (locator: SubjectColumn) => boolean,
): {
  readonly triggers: readonly FenceTrigger[];
  readonly isComplete: boolean;
} {
  const surface = layout.options.surface;
  const own: string[] = [];
  const joined: FenceTrigger[] = [];
  let isComplete = true;
  /** As the column itself compares: another spelling is the same person there. */
  const like = (locator: SubjectColumn): string => (ignoresCase(locator) ? " COLLATE NOCASE" : "");
  const add = (condition: string | undefined): void => {
    if (condition === undefined) isComplete = false;
    else own.push(condition);
  };
  const key = keySql(layout, row);
  add(key === undefined ? undefined : holds({ surface, kind: "key", type: "" }, key));
  for (const locator of layout.subjects) {
    const fenced: Fenced = { surface, kind: "identifier", type: locator.type };
    switch (locator.how) {
      case "column":
        add(holds(fenced, folded(locator.type, comparable(seenColumn(row, locator.column))) + like(locator)));
        break;
      case "json":
        add(holdsInJson(fenced, row, locator.column, locator.path));
        break;
      case "segment":
        add(segmentHolds(fenced, key, locator.segment, locator.sep));
        break;
      case "via":
        add(holdsInJoin(fenced, row, locator.join, like(locator)));
        joined.push({
          table: locator.join.table,
          conditions: [
            holds(fenced, folded(locator.type, comparable(seenColumn(row, locator.join.column))) + like(locator)),
          ],
        });
        break;
    }
  }
  for (const locator of layout.sources) {
    const fenced: Fenced = { surface, kind: "source", type: locator.surface };
    switch (locator.how) {
      case "column":
        add(holds(fenced, comparable(seenColumn(row, locator.column))));
        break;
      case "json":
        add(holdsInJson(fenced, row, locator.column, []));
        break;
      case "via":
        add(holdsInJoin(fenced, row, locator.join));
        joined.push({
          table: locator.join.table,
          conditions: [holds(fenced, comparable(seenColumn(row, locator.join.column)))],
        });
        break;
    }
  }
  return { triggers: [{ table: layout.options.table, conditions: own }, ...joined], isComplete };
}

function seenColumn(row: SeenRow, name: string): string {
  return `${row}.${isRowid(name) ? "rowid" : quoteName(name)}`;
}

/** A value as the fence table holds it: bytes stay bytes, a whole real number reads as an integer does. */
function comparable(sql: string): string {
  return `(CASE typeof(${sql}) WHEN 'blob' THEN ${sql} WHEN 'real' THEN CASE WHEN ${sql} = CAST(${sql} AS INTEGER) THEN CAST(CAST(${sql} AS INTEGER) AS TEXT) ELSE CAST(${sql} AS TEXT) END ELSE CAST(${sql} AS TEXT) END)`;
}

function folded(type: string, sql: string): string {
  return type === "email" ? `lower(trim(${sql}))` : sql;
}

function matching(fenced: Fenced, alias: string): string {
  return `${alias}.surface = ${quoteText(fenced.surface)} AND ${alias}.kind = ${quoteText(fenced.kind)} AND ${alias}.type = ${quoteText(fenced.type)}`;
}

function holds(fenced: Fenced, sql: string): string {
  return `EXISTS (SELECT 1 FROM ${FENCE_TABLE} AS f WHERE ${matching(fenced, "f")} AND f.value = ${sql})`;
}

/**
 * Members of a JSON array (or a scalar) at a path; an array inside it is a composite key, in the form that the fence table holds. A path of SQLite's own
 * leads to the first of two members of one name: here each of them is gone into. A step is a name in an object, or a place in an array.
 */
function holdsInJson(fenced: Fenced, row: SeenRow, column: string, steps: readonly string[]): string {
  const text = `CAST(${seenColumn(row, column)} AS TEXT)`;
  let json = `CASE WHEN json_valid(${text}) THEN ${text} ELSE 'null' END`;
  const ways = steps.map((step, at) => {
    const way = `json_each(${json}) AS p${at}`;
    const alone = at === steps.length - 1 ? `json_array(p${at}.value)` : "'null'";
    json = `CASE WHEN p${at}.type IN ('object', 'array') THEN p${at}.value ELSE ${alone} END`;
    return { way, taken: `CAST(p${at}.key AS TEXT) = ${quoteText(step)}` };
  });
  const member =
    "CASE e.type WHEN 'array' THEN (SELECT json_group_array(CAST(c.value AS TEXT)) FROM json_each(e.value) AS c) ELSE CAST(e.value AS TEXT) END";
  const known = `f.value = ${folded(fenced.kind === "identifier" ? fenced.type : "", member)}`;
  const from = [...ways.map(({ way }) => way), `json_each(${json}) AS e`, `${FENCE_TABLE} AS f`].join(", ");
  const where = [...ways.map(({ taken }) => taken), matching(fenced, "f"), known].join(" AND ");
  return `EXISTS (SELECT 1 FROM ${from} WHERE ${where})`;
}

function holdsInJoin(fenced: Fenced, row: SeenRow, join: Join, like = ""): string {
  const value = folded(fenced.kind === "identifier" ? fenced.type : "", comparable(`j.${quoteName(join.column)}`));
  return `EXISTS (SELECT 1 FROM ${quoteName(join.table)} AS j JOIN ${FENCE_TABLE} AS f ON ${matching(fenced, "f")} AND f.value = ${value}${like}
    WHERE j.${quoteName(join.on)} = ${seenColumn(row, join.link)})`;
}

/** The key as text; a composite one as the JSON array of its texts. Undefined where a composite key holds bytes. */
function keySql(layout: Layout, row: SeenRow): string | undefined {
  const [only] = layout.key;
  if (layout.key.length === 1 && only !== undefined) return comparable(seenColumn(row, only));
  const isBinary = layout.key.some((name) => /blob/i.test(layout.columns.get(name)?.type ?? ""));
  if (isBinary) return undefined;
  return `json_array(${layout.key.map((name) => comparable(seenColumn(row, name))).join(", ")})`;
}

/**
 * A segment of the key: SQLite has no split, but a JSON text whose separators became commas is an array. A separator that could stand inside a JSON
 * escape cannot be told apart that way.
 */
function segmentHolds(fenced: Fenced, key: string | undefined, segment: number, sep: string): string | undefined {
  if (key === undefined || sep === "" || /[\w"\\]/.test(sep)) return undefined;
  const list = `('[' || replace(json_quote(CAST(${key} AS TEXT)), ${quoteText(sep)}, '","') || ']')`;
  return holds(fenced, folded(fenced.type, `json_extract(${list}, '$[${segment}]')`));
}
