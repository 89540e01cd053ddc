// The layouts of LangGraph's PostgreSQL checkpoint saver and of its store, measured as @langchain/langgraph-checkpoint-postgres 1.0.5 lays them.
import type { SurfaceInput } from "../boundary-input.ts";
import {
  CHECKPOINT_KEY,
  checkpointsSurface,
  THREAD_KEY,
  THREAD_NOTES,
  WRITE_KEY,
  writesSurface,
} from "./langgraph-checkpoints.ts";
import { perSchema, type Preset } from "./preset.ts";

const BLOB_KEY = [...THREAD_KEY, "channel", "version"];
const ITEM_KEY = ["namespace_path", "key"];
const VECTOR_KEY = [...ITEM_KEY, "field_path"];

export const langgraphPostgres: Preset = {
  name: "langgraph-postgres",
  defaultType: "thread",
  notes: THREAD_NOTES,
  place: "schema",
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
  findIn: (layout) =>
    perSchema(layout, {
      checkpoints: [...CHECKPOINT_KEY, "checkpoint", "metadata"],
      checkpoint_blobs: [...BLOB_KEY, "blob"],
      checkpoint_writes: [...WRITE_KEY, "blob"],
    }),
};

const STORE_NOTES = [
  "a namespace is spelled as the store spells it, its labels joined by ':': give each of a person's namespaces as a namespace identifier, whole",
  "labels that hold a ':' themselves are one namespace with others to the store, so to an erasure too",
];
const ITEMS = { store: [...ITEM_KEY, "value"] };
const VECTORS = { store_vectors: [...VECTOR_KEY, "text_content", "embedding"] };

function itemsSurface(type: string): SurfaceInput {
  return {
    kind: "postgres",
    role: "primary",
    label: "long-term memories",
    table: "store",
    key: ITEM_KEY,
    subject: { column: "namespace_path", type },
    content: { column: "value", as: "json" },
  };
}

export const langgraphPostgresStore: Preset = {
  name: "langgraph-postgres-store",
  defaultType: "namespace",
  notes: STORE_NOTES,
  place: "schema",
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
    items: itemsSurface(type),
  }),
  findIn: (layout) => perSchema(layout, { ...ITEMS, ...VECTORS }),
};

/** A store that was given no `index`, and so lays no table of vectors. */
export const langgraphPostgresItems: Preset = {
  name: "langgraph-postgres-items",
  defaultType: "namespace",
  notes: STORE_NOTES,
  place: "schema",
  surfaces: ({ type }) => ({ items: itemsSurface(type) }),
  findIn(layout) {
    const indexed = new Set(perSchema(layout, { ...ITEMS, ...VECTORS }).map(({ entry }) => entry.schema));
    return perSchema(layout, ITEMS).filter(({ entry }) => !indexed.has(entry.schema));
  },
};
