// Turns an artifact's key into an exact, typed SQL condition on its row: `42` matches the integer 42 and the text 42, nothing else (C16). Pure.
import { canonicalKey } from "@deleatur/verify";
import type { ArtifactKey } from "../../../model/ids.ts";
import { isRowid, type Layout } from "./layout.ts";
import { candidatesOf, type SqlValue } from "./values.ts";

export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Makes the conditions for keys of a layout; undefined for a key that no row can have. `qualify` names the table that columns are read from. */
export function keyCondition(
  layout: Layout,
  qualify: (name: string) => string = layout.columnSql,
): (key: ArtifactKey) => Condition | undefined {
  return (key) => {
    const parts = partsOfKey(key, layout.key.length);
    if (parts === undefined) return undefined;
    const conditions = layout.key.map((name, index) =>
      columnCondition(layout, name, qualify(name), parts[index] ?? ""),
    );
    if (conditions.some((condition) => condition === undefined)) return undefined;
    const all = conditions.filter((condition) => condition !== undefined);
    return {
      sql: all.map(({ sql }) => `(${sql})`).join(" AND "),
      parameters: all.flatMap(({ parameters }) => parameters),
    };
  };
}

/** The parts of a key: itself where there is one column, else the members of its JSON array. */
export function partsOfKey(key: string, count: number): readonly string[] | undefined {
  if (count === 1) return [key];
  let parsed: unknown;
  try {
    parsed = JSON.parse(key);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || parsed.length !== count) return undefined;
  const parts = parsed.filter((part): part is string => typeof part === "string");
  return parts.length === count && canonicalKey(parts) === key ? parts : undefined;
}

function columnCondition(layout: Layout, name: string, sql: string, text: string): Condition | undefined {
  const { text: asText, integer, real, blob } = candidatesOf(text);
  const column = layout.columns.get(name);
  const isNumber =
    isRowid(name) || (column?.keyPlace === 1 && /^integer$/i.test(column.type) && layout.key.length === 1);
  if (isNumber) return integer === undefined ? undefined : { sql: `${sql} = ?`, parameters: [integer] };
  // A virtual table answers a plain comparison from its index, and its key has one type.
  if (layout.vec !== undefined && layout.key.length === 1 && name === layout.vec.key.name) {
    if (layout.vec.key.type === "text") return { sql: `${sql} = ?`, parameters: [asText] };
    return integer === undefined ? undefined : { sql: `${sql} = ?`, parameters: [integer] };
  }
  return typedComparison(sql, { text: asText, integer, real, blob });
}

/** A comparison by storage class, each of which can use an index. */
export function typedComparison(
  sql: string,
  candidates: {
    readonly text: string;
    readonly integer?: bigint | undefined;
    readonly real?: number | undefined;
    readonly blob?: Buffer | undefined;
  },
): Condition {
  // The first comparison can use the column's index, the second is exact where the column's collation is not: "a" is not "A".
  const terms = [`(${sql} = ? AND typeof(${sql}) = 'text' AND ${sql} = ? COLLATE BINARY)`];
  const parameters: SqlValue[] = [candidates.text, candidates.text];
  if (candidates.integer !== undefined) {
    terms.push(`(${sql} = ? AND typeof(${sql}) = 'integer')`);
    parameters.push(candidates.integer);
  }
  if (candidates.real !== undefined) {
    terms.push(`(${sql} = ? AND typeof(${sql}) = 'real')`);
    parameters.push(candidates.real);
  }
  if (candidates.blob !== undefined) {
    terms.push(`(${sql} = ? AND typeof(${sql}) = 'blob')`);
    parameters.push(candidates.blob);
  }
  return { sql: terms.join(" OR "), parameters };
}
