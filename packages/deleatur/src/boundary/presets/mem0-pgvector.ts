// The layout of mem0's memories in PostgreSQL with pgvector, measured as mem0ai 3.3.1 (npm) lays it: a table for each collection and one for what its memories name, the person inside the JSON payload.
import { schemaBefore, type AnyLayout, type FoundLayout, type Preset } from "./preset.ts";

/** The collection that the library makes where nobody names one. */
const DEFAULT_TABLE = "memories";
/** Behind a collection's name: names and phrases out of its memories, each with the ids of those that it stands in. */
const ENTITIES = "_entities";
/** Beside the collections: one random id of the installation, in a column that is called user_id. */
const OWN_TABLE = "memory_migrations";

export const mem0Pgvector: Preset = {
  name: "mem0-pgvector",
  defaultType: "account",
  notes: [
    "a memory's person is its user_id: agent_id and run_id are no persons, and a memory that has them alone is forgotten by its record",
    "a table of entities names its user itself and goes with the person; a single memory that is forgotten by its record leaves the entities that were taken out of it",
    "mem0 keeps a history in a SQLite file beside it: declare that too, with `source` naming this surface",
  ],
  place: "table",
  surfaces: ({ type, table = DEFAULT_TABLE }) => ({
    [table.endsWith(ENTITIES) ? "entities" : "memories"]: {
      kind: "postgres",
      role: "primary",
      label: table.endsWith(ENTITIES) ? "names and phrases in memories" : "memories",
      table,
      key: "id",
      subject: { json: "payload.user_id", type },
      content: { column: "payload", as: "json" },
      vector: "vector",
    },
  }),
  findIn: findCollections,
};

/** Nothing but an id, a vector and a payload: other tables may have these beside more. */
function findCollections(layout: AnyLayout): readonly FoundLayout[] {
  if (layout.type !== "postgres") return [];
  const quiet = layout.tables
    .filter(({ name, columns }) => schemaBefore(name, OWN_TABLE) !== undefined && namesOf(columns) === "id,user_id")
    .map(({ name }) => name);
  return layout.tables.flatMap(({ name, columns }) => {
    const typeOf = (column: string): string => columns.find((one) => one.name === column)?.declaredType ?? "";
    const isCollection =
      namesOf(columns) === "id,payload,vector" &&
      typeOf("id") === "uuid" &&
      typeOf("payload") === "jsonb" &&
      /^vector\b/.test(typeOf("vector"));
    return isCollection ? [{ entry: name === DEFAULT_TABLE ? {} : { table: name }, tables: [name], quiet }] : [];
  });
}

/** Sorted, so that two tables of the same columns have the same. */
function namesOf(columns: readonly { readonly name: string }[]): string {
  return columns
    .map(({ name }) => name)
    .toSorted()
    .join();
}
