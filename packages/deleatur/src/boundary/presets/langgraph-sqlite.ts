// The layout of LangGraph's SQLite checkpoint saver: whole conversation states and pending writes, one thread a person's conversation.
import { hasTable, type Preset } from "./preset.ts";

const CHECKPOINT_KEY = ["thread_id", "checkpoint_ns", "checkpoint_id"];
const WRITE_KEY = [...CHECKPOINT_KEY, "task_id", "idx"];

export const langgraphSqlite: Preset = {
  name: "langgraph-sqlite",
  defaultType: "thread",
  notes: ["a thread is no person: give each person's threads, or declare a surface with maps from account to thread"],
  tables: ["checkpoints", "writes"],
  surfaces: ({ type }) => ({
    checkpoints: {
      kind: "sqlite",
      role: "primary",
      label: "conversation states",
      table: "checkpoints",
      key: CHECKPOINT_KEY,
      subject: { column: "thread_id", type },
      content: [
        { column: "checkpoint", as: "json" },
        { column: "metadata", as: "json" },
      ],
    },
    writes: {
      kind: "sqlite",
      role: "log",
      label: "pending conversation writes",
      table: "writes",
      key: WRITE_KEY,
      subject: { column: "thread_id", type },
      content: { column: "value", as: "json" },
    },
  }),
  recognises: (layout) =>
    hasTable(layout, "checkpoints", [...CHECKPOINT_KEY, "checkpoint", "metadata"]) &&
    hasTable(layout, "writes", [...WRITE_KEY, "value"]),
};
