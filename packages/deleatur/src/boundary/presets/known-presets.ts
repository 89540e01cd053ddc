// Every preset that exists, by name. A layout that is not here has none.
import { langgraphPostgres, langgraphPostgresItems, langgraphPostgresStore } from "./langgraph-postgres.ts";
import { langgraphSqlite } from "./langgraph-sqlite.ts";
import { mcpMemory } from "./mcp-memory.ts";
import { mem0Pgvector } from "./mem0-pgvector.ts";
import { mem0, mem0Python } from "./mem0.ts";
import type { AnyLayout, FoundLayout, Preset } from "./preset.ts";
import { redisvlCache } from "./redisvl-cache.ts";

export const PRESETS: readonly Preset[] = [
  langgraphSqlite,
  langgraphPostgres,
  langgraphPostgresStore,
  langgraphPostgresItems,
  mem0,
  mem0Python,
  mem0Pgvector,
  mcpMemory,
  redisvlCache,
];

export function presetNamed(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** The preset whose layout this is, if any. */
export function recognisePreset(layout: AnyLayout): Preset | undefined {
  return recognisePresets(layout)[0]?.preset;
}

/** Every layout of a preset that stands in this store. */
export function recognisePresets(layout: AnyLayout): readonly (FoundLayout & { readonly preset: Preset })[] {
  return PRESETS.flatMap((preset) => preset.findIn(layout).map((found) => ({ ...found, preset })));
}
