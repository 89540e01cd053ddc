// Reads what a server says beside the rows of its tables: definitions, whose literals its catalog keeps in a form that no byte shows, and the last statement of each session. It judges nothing.
import type { Passage } from "../../../model/needle.ts";
import { readAll, type Reader } from "./open-reader.ts";

/** Objects that the server did not come with have higher numbers. */
const FIRST_OID = 16_384;
const own = (oid: string): string => `${oid} >= ${FIRST_OID}`;

/** Each answers texts in one column; what of sessions this role may not see is answered without its words. */
const TEXTS: Readonly<Record<string, string>> = {
  definitions: `
    SELECT pg_catalog.pg_get_ruledef(oid) FROM pg_catalog.pg_rewrite WHERE ${own("oid")}
    UNION ALL SELECT pg_catalog.pg_get_expr(adbin, adrelid) FROM pg_catalog.pg_attrdef WHERE ${own("oid")}
    UNION ALL SELECT pg_catalog.pg_get_constraintdef(oid) FROM pg_catalog.pg_constraint WHERE ${own("oid")} AND contype IN ('c', 'x')
    UNION ALL SELECT pg_catalog.pg_get_indexdef(indexrelid) FROM pg_catalog.pg_index WHERE ${own("indexrelid")} AND (indexprs IS NOT NULL OR indpred IS NOT NULL)
    UNION ALL SELECT pg_catalog.pg_get_functiondef(oid) FROM pg_catalog.pg_proc WHERE ${own("oid")} AND prokind <> 'a'
    UNION ALL SELECT pg_catalog.pg_get_triggerdef(oid) FROM pg_catalog.pg_trigger WHERE ${own("oid")} AND NOT tgisinternal
    UNION ALL SELECT pg_catalog.pg_get_expr(polqual, polrelid) FROM pg_catalog.pg_policy
    UNION ALL SELECT pg_catalog.pg_get_expr(polwithcheck, polrelid) FROM pg_catalog.pg_policy
    UNION ALL SELECT pg_catalog.pg_get_expr(relpartbound, oid) FROM pg_catalog.pg_class WHERE relpartbound IS NOT NULL`,
  sessions: `
    SELECT query FROM pg_catalog.pg_stat_activity WHERE datname = pg_catalog.current_database() AND pid <> pg_catalog.pg_backend_pid()`,
};

/** Content of any person: never log it. */
export async function* serverTexts(reader: Reader, signal: AbortSignal): AsyncGenerator<readonly Passage[]> {
  for (const [name, query] of Object.entries(TEXTS)) {
    const place = { container: `${reader.target.store}.[${name}]` };
    for await (const rows of readAll(reader, query, signal))
      yield rows.flatMap(([text]): readonly Passage[] =>
        typeof text === "string" ? [{ place, field: { type: "text", name, text } }] : [],
      );
  }
}
