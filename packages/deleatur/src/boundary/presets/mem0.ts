// The layout of mem0's SQLite history: old and new wordings of every memory, and the last messages of each session scope.
import type { SurfaceInput } from "../boundary-input.ts";
import { hasTable, once, type Preset } from "./preset.ts";

const SCOPE_TYPE = "mem0-scope";
const NOTES = [
  "a session scope is spelled as mem0 spells it, such as user_id=... with agent_id and run_id before it: give each as a mem0-scope identifier",
  "the history names memories, not people: say with source which surface holds the memories, or its lineage is missing",
];

interface HistoryNames {
  readonly table: string;
  readonly before: string;
  readonly after: string;
}

function mem0Surfaces(
  names: HistoryNames,
  type: string,
  source: string | undefined,
): Readonly<Record<string, SurfaceInput>> {
  return {
    history: {
      kind: "sqlite",
      role: "log",
      label: "history of memories",
      table: names.table,
      key: "id",
      content: [names.before, names.after],
      ...(source === undefined ? {} : { derivedFrom: { surface: source, column: "memory_id" } }),
    },
    messages: {
      kind: "sqlite",
      role: "transcript",
      label: "last messages",
      table: "messages",
      key: "id",
      subject: { column: "session_scope", type },
      content: "content",
    },
  };
}

function mem0Preset(name: string, names: HistoryNames): Preset {
  return {
    name,
    defaultType: SCOPE_TYPE,
    notes: NOTES,
    surfaces: ({ type, source }) => mem0Surfaces(names, type, source),
    findIn: (layout) =>
      once(
        layout.type === "sqlite" &&
          hasTable(layout, names.table, ["id", "memory_id", names.before, names.after]) &&
          hasTable(layout, "messages", ["id", "session_scope", "content"]),
        [names.table, "messages"],
      ),
  };
}

/** The npm package mem0ai. */
export const mem0: Preset = mem0Preset("mem0", {
  table: "memory_history",
  before: "previous_value",
  after: "new_value",
});

/** The Python package mem0ai, which names its tables otherwise. */
export const mem0Python: Preset = mem0Preset("mem0-python", {
  table: "history",
  before: "old_memory",
  after: "new_memory",
});
