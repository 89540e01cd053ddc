// Lists every container of a database with its owner and what it holds, by the types of its columns. Reads the catalog only.
import type { Container } from "../../../surface.ts";
import { spellTable } from "../options.ts";
import { rowsOf, type Db } from "./connect.ts";
import { FENCE_STATE, OWN_TABLES } from "./own-objects.ts";

type Holding = Container["holds"][number];

const OURS: readonly string[] = [...OWN_TABLES, FENCE_STATE];

/** The server's own types that hold words; all its others hold numbers, times and names. */
const WORDS = /^(?:text|varchar|bpchar|name|json|jsonb|xml|tsvector|tsquery|jsonpath)$/;

/** A bit string of so many is a handful of flags; a longer one, as pgvector quantizes an embedding to it, says as much as the embedding. */
const MOST_FLAGS = 63;

/**
 * Every type that stands in a column of the table `c`, also within domains, arrays, ranges and composites, as JSON of schema and name. Labels of enums were written by whoever made
 * the type. `which` chooses among the columns `a`.
 */
function typesSql(which: string): string {
  return `(WITH RECURSIVE parts(oid, typmod) AS (
     SELECT a.atttypid, a.atttypmod FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND ${which}
     UNION SELECT inside.oid, inside.typmod FROM parts JOIN pg_catalog.pg_type t ON t.oid = parts.oid CROSS JOIN LATERAL (
       SELECT t.typbasetype AS oid, t.typtypmod AS typmod WHERE t.typtype = 'd'
       UNION ALL SELECT t.typelem, parts.typmod WHERE t.typlen = -1 AND t.typelem <> 0
       UNION ALL SELECT r.rngsubtype, -1 FROM pg_catalog.pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
       UNION ALL SELECT m.atttypid, m.atttypmod FROM pg_catalog.pg_attribute m WHERE t.typtype = 'c' AND m.attrelid = t.typrelid AND m.attnum > 0 AND NOT m.attisdropped
     ) AS inside)
   SELECT pg_catalog.json_agg(DISTINCT pg_catalog.jsonb_build_array(tn.nspname, t.typname))::text
   FROM parts JOIN pg_catalog.pg_type t ON t.oid = parts.oid JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace
   WHERE t.typtype = 'b' AND (t.typlen <> -1 OR t.typelem = 0) AND NOT (t.typname IN ('bit', 'varbit') AND parts.typmod BETWEEN 1 AND ${MOST_FLAGS}) OR t.typname IN ('_float4', '_float8', '_numeric', '_int2', 'lo'))`;
}

export async function takeCensus(db: Db): Promise<readonly Container[]> {
  const store = db.target.store;
  const full = (schema: string | null | undefined, table: string | null | undefined): string =>
    `${store}.${spellTable({ schema: schema ?? "", table: table ?? "" })}`;
  const rows = await rowsOf(
    db,
    `SELECT n.nspname, c.relname, c.relkind, o.nspname, o.relname, ${typesSql("true")}, ${typesSql("a.attinhcount = 0")}
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN LATERAL (
       SELECT on_.nspname, oc.relname FROM (
         SELECT i.indrelid AS oid FROM pg_catalog.pg_index i WHERE i.indexrelid = c.oid
         UNION ALL SELECT h.inhparent FROM pg_catalog.pg_inherits h WHERE h.inhrelid = c.oid AND c.relkind IN ('r', 'p', 'f')
           AND NOT coalesce((pg_catalog.to_jsonb(h) ->> 'inhdetachpending')::boolean, false)
         UNION ALL SELECT x.refobjid FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_depend x ON x.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
           AND x.objid = w.oid AND x.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND x.refobjid <> c.oid WHERE w.ev_class = c.oid AND c.relkind = 'm'
       ) AS owner JOIN pg_catalog.pg_class oc ON oc.oid = owner.oid JOIN pg_catalog.pg_namespace on_ ON on_.oid = oc.relnamespace ORDER BY 1, 2 LIMIT 1
     ) AS o ON true
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_toast'
     ORDER BY 1, 2`,
  );
  const containers = rows.map(([schema, table, kind, ownerSchema, ownerTable, types, ownTypes]): Container => {
    const name = full(schema, table);
    const own = `${schema ?? ""}.${table ?? ""}`;
    const isOurs = OURS.includes(own) || OURS.includes(`${ownerSchema ?? ""}.${ownerTable ?? ""}`);
    if (isOurs) return { name, kind: "shadow", owner: "deleatur", holds: [] };
    const holds = holdingsOf(types);
    if (kind === "v") return { name, kind: "view", holds };
    // An index, a partition and a materialized view stand or fall with their table. What inherits and has columns of its own is not shown by it.
    const isShown = ownerTable !== null && ownerTable !== undefined;
    const isTable = kind === "r" || kind === "p" || kind === "f";
    if (isShown && !(isTable && holdingsOf(ownTypes).length > 0))
      return { name, kind: "shadow", owner: full(ownerSchema, ownerTable), holds };
    return { name, kind: "table", holds };
  });
  const [large] = await rowsOf(db, "SELECT 1 FROM pg_catalog.pg_largeobject_metadata LIMIT 1");
  if (large === undefined) return containers;
  return [...containers, { name: `${store}.pg_catalog.pg_largeobject`, kind: "table", holds: ["blob"] }];
}

function holdingsOf(types: string | null | undefined): readonly Holding[] {
  // Our own query wrote it.
  const pairs = JSON.parse(types ?? "[]") as readonly (readonly [schema: string, name: string])[];
  return [...new Set(pairs.flatMap(([schema, name]) => holdingOf(schema, name) ?? []))].toSorted();
}

/** Of a type that is not the server's own nobody knows that it holds no words. */
function holdingOf(schema: string, name: string): Holding | undefined {
  if (name === "bytea" || name === "lo") return "blob";
  if (/^(?:vector|halfvec|sparsevec|_float[48]|_numeric|_int2|bit|varbit)$/.test(name)) return "vector";
  return schema !== "pg_catalog" || WORDS.test(name) ? "text" : undefined;
}
