// The layout of RedisVL's SemanticCache: a hash an answer, with its prompt, its response and the prompt's vector. Its own index over them goes with the hashes.
import { once, type Preset } from "./preset.ts";

/** RedisVL calls the index, and so the prefix, like this where the application gives no name. */
const DEFAULT_PREFIX = "llmcache:";
/** Fields that every entry has; `metadata`, `updated_at` and the application's filters may stand beside them. */
const FIELDS = ["prompt", "response", "prompt_vector"] as const;

const NOTES = [
  "say prefix where the cache has another name than llmcache",
  "RedisVL records of no answer what it was made from: have the application write `sources`, an array of keys, into metadata, and say source and shared",
] as const;

export const redisvlCache: Preset = {
  name: "redisvl-cache",
  defaultType: "account",
  notes: NOTES,
  surfaces: ({ source }) => ({
    answers: {
      kind: "redis",
      role: "cache",
      label: "cached answers",
      prefix: DEFAULT_PREFIX,
      content: ["prompt", "response"],
      vector: "prompt_vector",
      ...(source === undefined ? {} : { derivedFrom: { surface: source, field: "metadata.sources", as: "json" } }),
    },
  }),
  findIn: (layout) =>
    once(
      layout.type === "redis" &&
        layout.valueType === "hash" &&
        FIELDS.every((name) => layout.fields.some((field) => field.name === name)),
    ),
};
