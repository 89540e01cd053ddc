// The layout of LangGraph's SQLite checkpoint saver: whole conversation states and pending writes, one thread a person's conversation.
import { CHECKPOINT_KEY, checkpointsSurface, THREAD_NOTES, WRITE_KEY, writesSurface } from "./langgraph-checkpoints.ts";
import { hasTable, once, type Preset } from "./preset.ts";

export const langgraphSqlite: Preset = {
  name: "langgraph-sqlite",
  defaultType: "thread",
  notes: THREAD_NOTES,
  surfaces: ({ type }) => ({
    checkpoints: checkpointsSurface("sqlite", type),
    writes: writesSurface("sqlite", type, "writes", "value"),
  }),
  findIn: (layout) =>
    once(
      layout.type === "sqlite" &&
        hasTable(layout, "checkpoints", [...CHECKPOINT_KEY, "checkpoint", "metadata"]) &&
        hasTable(layout, "writes", [...WRITE_KEY, "value"]),
      ["checkpoints", "writes"],
    ),
};
