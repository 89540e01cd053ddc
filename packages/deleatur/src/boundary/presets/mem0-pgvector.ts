// The layout of mem0's memories in PostgreSQL with pgvector: one table, its name the collection's, the person inside its JSON payload.
import type { AnyLayout, Preset } from "./preset.ts";

const COLLECTION = ["id", "payload", "vector"];

export const mem0Pgvector: Preset = {
  name: "mem0-pgvector",
  defaultType: "account",
  notes: [
    "a memory's person is its user_id: agent_id and run_id are no persons, and a memory that has them alone is forgotten by its record",
    "mem0 keeps a history in a SQLite file beside it: declare that too, with `source` naming this surface",
  ],
  // The collection that mem0 makes where nobody names one.
  tables: ["mem0"],
  surfaces: ({ type }) => ({
    memories: {
      kind: "postgres",
      role: "primary",
      label: "memories",
      table: "mem0",
      key: "id",
      subject: { json: "payload.user_id", type },
      content: { column: "payload", as: "json" },
      vector: "vector",
    },
  }),
  recognises: (layout) => mem0Collections(layout).length > 0,
  tablesIn: mem0Collections,
};

/** Nothing but an id, a vector and a payload: other tables may have these beside more. */
function mem0Collections(layout: AnyLayout): readonly string[] {
  if (layout.type !== "postgres") return [];
  return layout.tables
    .filter(({ columns }) => {
      const names = columns.map(({ name }) => name).toSorted();
      const typeOf = (name: string): string => columns.find((column) => column.name === name)?.declaredType ?? "";
      return (
        names.join() === COLLECTION.join() &&
        typeOf("id") === "uuid" &&
        typeOf("payload") === "jsonb" &&
        /^vector\b/.test(typeOf("vector"))
      );
    })
    .map(({ name }) => name);
}
