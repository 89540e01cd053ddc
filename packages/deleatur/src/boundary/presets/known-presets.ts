// Every preset that exists, by name. A layout that is not here has none.
import type { FilesLayout, KeysLayout, SqliteLayout } from "../store-layout.ts";
import { langgraphSqlite } from "./langgraph-sqlite.ts";
import { mcpMemory } from "./mcp-memory.ts";
import { mem0, mem0Python } from "./mem0.ts";
import type { Preset } from "./preset.ts";
import { redisvlCache } from "./redisvl-cache.ts";

export const PRESETS: readonly Preset[] = [langgraphSqlite, mem0, mem0Python, mcpMemory, redisvlCache];

export function presetNamed(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** The preset whose layout this is, if any. */
export function recognisePreset(layout: SqliteLayout | FilesLayout | KeysLayout): Preset | undefined {
  return PRESETS.find((preset) => preset.recognises(layout));
}
