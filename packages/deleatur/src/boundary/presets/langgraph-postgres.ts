// The layouts of LangGraph's PostgreSQL checkpoint saver and of its store, as @langchain/langgraph-checkpoint-postgres 1.0.5 lays them.
import {
  CHECKPOINT_KEY,
  checkpointsSurface,
  THREAD_KEY,
  THREAD_NOTES,
  WRITE_KEY,
  writesSurface,
} from "./langgraph-checkpoints.ts";
import { hasTable, type Preset } from "./preset.ts";

const BLOB_KEY = [...THREAD_KEY, "channel", "version"];
const ITEM_KEY = ["namespace_path", "key"];
const VECTOR_KEY = [...ITEM_KEY, "field_path"];

export const langgraphPostgres: Preset = {
  name: "langgraph-postgres",
  defaultType: "thread",
  notes: THREAD_NOTES,
  tables: ["checkpoints", "checkpoint_blobs", "checkpoint_writes"],
  surfaces: ({ type }) => ({
    checkpoints: checkpointsSurface("postgres", type),
    blobs: {
      kind: "postgres",
      role: "primary",
      label: "values of conversations",
      table: "checkpoint_blobs",
      key: BLOB_KEY,
      subject: { column: "thread_id", type },
      content: { column: "blob", as: "json" },
    },
    writes: writesSurface("postgres", type, "checkpoint_writes", "blob"),
  }),
  recognises: (layout) =>
    hasTable(layout, "checkpoints", [...CHECKPOINT_KEY, "checkpoint", "metadata"], "postgres") &&
    hasTable(layout, "checkpoint_blobs", [...BLOB_KEY, "blob"], "postgres") &&
    hasTable(layout, "checkpoint_writes", [...WRITE_KEY, "blob"], "postgres"),
};

export const langgraphPostgresStore: Preset = {
  name: "langgraph-postgres-store",
  defaultType: "namespace",
  notes: [
    "a namespace is spelled as the store spells it, its labels joined by ':': give each of a person's namespaces as a namespace identifier, whole",
    "labels that hold a ':' themselves are one namespace with others to the store, so to an erasure too",
  ],
  tables: ["store", "store_vectors"],
  surfaces: ({ type }) => ({
    // A row of vectors names the namespace itself and goes with its item by the store's own cascade, so it is no derivation that could be missing.
    vectors: {
      kind: "postgres",
      role: "primary",
      label: "searchable texts of the store",
      table: "store_vectors",
      key: VECTOR_KEY,
      subject: { column: "namespace_path", type },
      content: "text_content",
      vector: "embedding",
    },
    items: {
      kind: "postgres",
      role: "primary",
      label: "long-term memories",
      table: "store",
      key: ITEM_KEY,
      subject: { column: "namespace_path", type },
      content: { column: "value", as: "json" },
    },
  }),
  recognises: (layout) =>
    hasTable(layout, "store", [...ITEM_KEY, "value"], "postgres") &&
    hasTable(layout, "store_vectors", [...VECTOR_KEY, "text_content", "embedding"], "postgres"),
};
