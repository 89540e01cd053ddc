// The layout of the MCP memory server: one JSONL file of entity lines and relation lines, people among the entities.
import type { FilesLayout } from "../store-layout.ts";
import { once, type Preset } from "./preset.ts";

function isMemoryFile(layout: FilesLayout): boolean {
  const fields = new Set(layout.fields.map((field) => field.name));
  const types = layout.lineTypes;
  return (
    layout.type === "jsonl" &&
    types.length > 0 &&
    types.every((type) => type === "entity" || type === "relation") &&
    (types.includes("entity") ? fields.has("name") && fields.has("observations") : fields.has("relationType"))
  );
}

export const mcpMemory: Preset = {
  name: "mcp-memory",
  defaultType: "entity",
  notes: [
    "a person is an entity by name: give the names as entity identifiers; observations about one person inside another's entity are found by probes only",
  ],
  surfaces: ({ type }) => ({
    graph: {
      kind: "jsonl",
      role: "primary",
      label: "knowledge graph",
      // Entity lines have a name, relation lines the other three; a field that a line lacks is no part of its key.
      key: ["type", "name", "from", "relationType", "to"],
      subject: [
        { field: "name", type },
        { field: "from", type },
        { field: "to", type },
      ],
      content: { field: "observations", as: "json" },
    },
  }),
  findIn: (layout) => once(layout.type === "jsonl" && isMemoryFile(layout)),
};
