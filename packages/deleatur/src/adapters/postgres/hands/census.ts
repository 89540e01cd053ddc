// Lists every container of a database with its owner and what it holds, by the types of its columns. Reads the catalog only.
import type { Container } from "../../../surface.ts";
import { spellTable } from "../options.ts";
import { rowsOf, type Db } from "./connect.ts";
import { OWN_SCHEMA, OWN_TABLES } from "./own-objects.ts";

type Holding = Container["holds"][number];

const OURS: readonly string[] = [...OWN_TABLES, `${OWN_SCHEMA}.fence_state`];

/** What a column of a type can hold; every other type holds numbers, times and names of states. */
const HOLDINGS: readonly (readonly [types: RegExp, holding: Holding])[] = [
  [/^_?(?:text|varchar|bpchar|citext|name|json|jsonb|xml|hstore|tsvector)$/, "text"],
  [/^_?(?:bytea|lo)$/, "blob"],
  [/^_?(?:vector|halfvec|sparsevec)$|^_float[48]$/, "vector"],
];

export async function takeCensus(db: Db): Promise<readonly Container[]> {
  const store = db.target.store;
  const full = (schema: string | null | undefined, table: string | null | undefined): string =>
    `${store}.${spellTable({ schema: schema ?? "", table: table ?? "" })}`;
  const rows = await rowsOf(
    db,
    `SELECT n.nspname, c.relname, c.relkind, o.nspname, o.relname, e.extname,
       (SELECT pg_catalog.string_agg(DISTINCT coalesce(b.typname, t.typname), ' ') FROM pg_catalog.pg_attribute a
        JOIN pg_catalog.pg_type t ON t.oid = a.atttypid LEFT JOIN pg_catalog.pg_type b ON t.typtype = 'd' AND b.oid = t.typbasetype
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e'
     LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
     LEFT JOIN LATERAL (
       SELECT on_.nspname, oc.relname FROM (
         SELECT i.indrelid AS oid FROM pg_catalog.pg_index i WHERE i.indexrelid = c.oid
         UNION ALL SELECT h.inhparent FROM pg_catalog.pg_inherits h WHERE h.inhrelid = c.oid AND c.relkind IN ('r', 'p', 'f')
         UNION ALL SELECT x.refobjid FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_depend x ON x.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
           AND x.objid = w.oid AND x.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND x.refobjid <> c.oid WHERE w.ev_class = c.oid AND c.relkind = 'm'
       ) AS owner JOIN pg_catalog.pg_class oc ON oc.oid = owner.oid JOIN pg_catalog.pg_namespace on_ ON on_.oid = oc.relnamespace ORDER BY 1, 2 LIMIT 1
     ) AS o ON true
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
     ORDER BY 1, 2`,
  );
  const containers = rows.map(([schema, table, kind, ownerSchema, ownerTable, extension, types]): Container => {
    const name = full(schema, table);
    const own = `${schema ?? ""}.${table ?? ""}`;
    const isOurs = OURS.includes(own) || OURS.includes(`${ownerSchema ?? ""}.${ownerTable ?? ""}`);
    if (isOurs) return { name, kind: "shadow", owner: "deleatur", holds: [] };
    const holds = holdingsOf(types ?? "");
    if (kind === "v") return { name, kind: "view", holds };
    // An index, a partition and a materialized view stand or fall with their table.
    if (ownerTable !== null && ownerTable !== undefined)
      return { name, kind: "shadow", owner: full(ownerSchema, ownerTable), holds };
    if (extension !== null && extension !== undefined)
      return { name, kind: "shadow", owner: `${store}.extension ${extension}`, holds };
    return { name, kind: "table", holds };
  });
  const [large] = await rowsOf(db, "SELECT 1 FROM pg_catalog.pg_largeobject_metadata LIMIT 1");
  if (large === undefined) return containers;
  return [...containers, { name: `${store}.pg_catalog.pg_largeobject`, kind: "table", holds: ["blob"] }];
}

function holdingsOf(types: string): readonly Holding[] {
  const found = new Set<Holding>();
  for (const type of types.split(" "))
    for (const [pattern, holding] of HOLDINGS) if (pattern.test(type)) found.add(holding);
  return [...found].toSorted();
}
