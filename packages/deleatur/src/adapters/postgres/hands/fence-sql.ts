// The SQL by which a fence trigger recognises a refused row: digests of its subjects, key and sources, held against the fenced ones (C16). Pure.
import { quoteName, quoteTable, quoteText, type TableName } from "../options.ts";
import { isJson, type Join, type Layout } from "./layout.ts";
import { keySql } from "./match-keys.ts";
import { FENCE_STATE, FENCE_TABLE, OWN_SCHEMA } from "./own-objects.ts";
import type { Foldings } from "./spellings.ts";

/** Which of the fenced values a place is compared with. */
export interface Fenced {
  readonly kind: "identifier" | "key" | "source";
  readonly type: string;
  /** What the column does not tell apart. */
  readonly folding?: ServerFolding | undefined;
}

/** A table whose writes are looked at, and for the row `r` of it the digests that it must not have, as arrays. */
export interface FenceTrigger {
  readonly table: TableName;
  readonly digests: readonly string[];
}

/** The triggers of a layout, and whether they see all that can name a fenced person, key or source. */
export function fenceTriggers(
  layout: Layout,
  foldings: Foldings,
): {
  readonly triggers: readonly FenceTrigger[];
  readonly isComplete: boolean;
} {
  const surface = layout.options.surface;
  const own: string[] = [];
  const joined: FenceTrigger[] = [];
  const one = (fenced: Fenced, text: string): string => `ARRAY[${digestSql(surface, fenced, text)}]`;
  const many = (fenced: Fenced, texts: string): string =>
    `ARRAY(SELECT ${digestSql(surface, fenced, "m.text")} FROM ${texts} AS m(text))`;
  own.push(one({ kind: "key", type: "" }, keySql(layout, "r")));
  const add = (fenced: Fenced, locator: Layout["subjects"][number] | Layout["sources"][number]): void => {
    switch (locator.how) {
      case "column":
        own.push(one(fenced, columnText(layout, "r", locator.column)));
        break;
      case "array":
        own.push(many(fenced, `pg_catalog.unnest(r.${quoteName(locator.column)}::text[])`));
        break;
      case "json":
        own.push(many(fenced, jsonMembers(layout, locator.column, "path" in locator ? locator.path : [])));
        break;
      case "segment":
        own.push(
          one(
            fenced,
            `pg_catalog.split_part(${keySql(layout, "r")}, ${quoteText(locator.sep)}, ${locator.segment + 1})`,
          ),
        );
        break;
      case "via":
        own.push(many(fenced, joinTexts(locator.join)));
        joined.push({ table: locator.join.table, digests: [one(fenced, `r.${quoteName(locator.join.column)}::text`)] });
        break;
      default:
        locator satisfies never;
    }
  };
  for (const locator of layout.subjects) {
    const { type } = locator;
    add({ kind: "identifier", type }, locator);
    // Another spelling is the same person there; of other foldings than this the server has no function.
    const folding = serverFolding(foldings, type);
    if (folding !== undefined) add({ kind: "identifier", type, folding }, locator);
  }
  for (const locator of layout.sources) add({ kind: "source", type: locator.surface }, locator);
  return {
    triggers: [{ table: layout.options.table, digests: own }, ...joined],
    isComplete:
      !layout.relation.hasInheritors &&
      [...foldings.keys()].every((type) => serverFolding(foldings, type) !== undefined),
  };
}

/** Foldings that the server has a function for. */
type ServerFolding = "case" | "uuid";

export function serverFolding(foldings: Foldings, type: string): ServerFolding | undefined {
  const folding = foldings.get(type);
  return folding === "case" || folding === "uuid" ? folding : undefined;
}

function columnText(layout: Layout, alias: string, name: string): string {
  const column = layout.columns.get(name);
  return column === undefined ? "NULL" : keySql({ key: [name], columns: layout.columns }, alias);
}

/** Members of a JSON array (or a scalar) at a path, of two members of one name both; text that is no JSON has none. */
function jsonMembers(layout: Layout, name: string, path: readonly string[]): string {
  const column = layout.columns.get(name);
  const value = `r.${quoteName(name)}`;
  const json = column !== undefined && isJson(column) ? `${value}::json` : `${OWN_SCHEMA}.as_json(${value}::text)`;
  return `${OWN_SCHEMA}.members(${json}, ARRAY[${path.map(quoteText).join(", ")}]::text[])`;
}

function joinTexts({ table, on, column, link }: Join): string {
  return `(SELECT j.${quoteName(column)}::text FROM ${quoteTable(table)} AS j WHERE j.${quoteName(on)} = r.${quoteName(link)})`;
}

/** E-mail addresses are compared trimmed and in lower case, as the engine folds them. */
export function digestSql(surface: string, { kind, type, folding }: Fenced, text: string): string {
  const trimmed = `pg_catalog.btrim(${text}, E' \\t\\r\\n')`;
  const known = kind === "identifier" && type === "email" ? `pg_catalog.lower(${trimmed})` : text;
  const named = folding === undefined ? kind : `${folding} ${kind}`;
  return `${OWN_SCHEMA}.digest(${quoteText(surface)}, ${quoteText(named)}, ${quoteText(type)}, ${folding === undefined ? known : foldSql(folding, known)})`;
}

function foldSql(folding: ServerFolding, text: string): string {
  const lower = `pg_catalog.lower((${text}) COLLATE pg_catalog."default")`;
  return folding === "case" ? lower : `pg_catalog.translate(${lower}, '{}-', '')`;
}

/**
 * The tables and functions of a fence. Of what is fenced only salted digests are stored. Each table has a key: where all tables are published, one without could not be changed. A snapshot that is older than the fence cannot see its rows: the sequence, which no
 * snapshot hides, tells that it is old, and its transaction is refused as one to be begun anew. (Under read committed each statement takes a snapshot of its own.)
 */
export function fenceObjects(salt: string, timeline: string | undefined): string {
  return `
CREATE TABLE IF NOT EXISTS ${FENCE_TABLE} (digest text NOT NULL, surface text NOT NULL, request text NOT NULL, PRIMARY KEY (digest, request));
CREATE TABLE IF NOT EXISTS ${FENCE_STATE} (salt text NOT NULL PRIMARY KEY, raised bigint NOT NULL, timeline text);
CREATE SEQUENCE IF NOT EXISTS ${OWN_SCHEMA}.fence_raised;
INSERT INTO ${FENCE_STATE} SELECT ${quoteText(salt)}, 0, ${timeline === undefined ? "NULL" : quoteText(timeline)} WHERE NOT EXISTS (SELECT 1 FROM ${FENCE_STATE});
CREATE OR REPLACE FUNCTION ${OWN_SCHEMA}.digest(surface text, kind text, type text, value text) RETURNS text LANGUAGE sql STABLE STRICT AS $body$
  SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.json_build_array(s.salt, surface, kind, type, value)::text, 'UTF8')), 'base64')
  FROM ${FENCE_STATE} AS s
$body$;
CREATE OR REPLACE FUNCTION ${OWN_SCHEMA}.as_json(value text) RETURNS json LANGUAGE plpgsql IMMUTABLE STRICT AS $body$
BEGIN
  PERFORM value::jsonb;
  RETURN value::json;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$body$;
CREATE OR REPLACE FUNCTION ${OWN_SCHEMA}.members(value json, path text[]) RETURNS SETOF text LANGUAGE plpgsql IMMUTABLE STRICT AS $body$
BEGIN
  IF pg_catalog.cardinality(path) = 0 THEN
    RETURN QUERY SELECT CASE pg_catalog.jsonb_typeof(e.x)
        WHEN 'array' THEN (SELECT '[' || pg_catalog.string_agg(pg_catalog.to_json(p.x)::text, ',' ORDER BY p.n) || ']'
          FROM pg_catalog.jsonb_array_elements_text(e.x) WITH ORDINALITY AS p(x, n))
        ELSE e.x #>> '{}' END
      FROM pg_catalog.jsonb_array_elements(CASE pg_catalog.json_typeof(value) WHEN 'array' THEN value::jsonb ELSE pg_catalog.jsonb_build_array(value::jsonb) END) AS e(x)
      WHERE pg_catalog.jsonb_typeof(e.x) IN ('string', 'number', 'array');
  ELSIF pg_catalog.json_typeof(value) = 'object' THEN
    RETURN QUERY SELECT m.text FROM pg_catalog.json_each(value) AS o(name, below) CROSS JOIN LATERAL ${OWN_SCHEMA}.members(o.below, path[2:]) AS m(text)
      WHERE o.name = path[1];
  ELSIF pg_catalog.json_typeof(value) = 'array' AND path[1] ~ '^[0-9]{1,9}$' THEN
    RETURN QUERY SELECT m.text FROM ${OWN_SCHEMA}.members(value -> path[1]::int, path[2:]) AS m(text);
  END IF;
END
$body$;`;
}

/** What a refused write is told; the words say nothing about whom it concerned. */
const REFUSAL = "deleatur: FENCED, this person or record is being erased, do not retry";

/** The function of one table's triggers. It runs with its owner's rights, so that it sees the fence whoever writes. */
export function fenceFunction(name: string, digests: readonly string[]): string {
  // A row that is fenced as it stands cannot be renamed out of the fence either.
  const all = digests.map((sql) => `coalesce(${sql}, '{}')`).join(" || ");
  return `
CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fence$
DECLARE
  r record;
  refused text[];
BEGIN
  r := NEW;
  refused := ${all};
  IF TG_OP = 'UPDATE' THEN
    r := OLD;
    refused := refused || ${all};
  END IF;
  IF EXISTS (SELECT 1 FROM ${FENCE_TABLE} WHERE digest = ANY (refused)) AND NOT EXISTS (SELECT 1 FROM ${FENCE_TABLE} WHERE digest = 'open') THEN
    -- C13: what a trigger of the application would copy of a row that we erase is left out; refused, it would keep the row.
    IF TG_WHEN = 'BEFORE' AND EXISTS (SELECT 1 FROM ${FENCE_TABLE} WHERE digest = 'erasing') THEN
      RETURN NULL;
    END IF;
    RAISE EXCEPTION '${REFUSAL}';
  END IF;
  IF pg_catalog.current_setting('transaction_isolation') <> 'read committed'
    AND (SELECT last_value FROM ${OWN_SCHEMA}.fence_raised) IS DISTINCT FROM (SELECT raised FROM ${FENCE_STATE}) THEN
    RAISE EXCEPTION 'deleatur: a fence was raised after this transaction began, begin it anew' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN NEW;
END
$fence$`;
}

/** Whether an error is the refusal of our fence. */
export function isFenceRefusal(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes("deleatur: FENCED");
}
