// Looks for erased keys in the whole database, by listing it: by their spelling alone, whatever the declaration says of patterns.
import { artifactKey } from "../../../model/ids.ts";
import type { RedisUnit } from "../../../model/declaration.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import type { Probe } from "../../../surface.ts";
import { spellKey } from "../key-text.ts";
import type { RedisOptions, RedisStore } from "../options.ts";
import { throughSight } from "./see-server.ts";
import { seeKeys, seeUnder } from "./see-values.ts";
import type { SeenPart } from "./ways-to-read.ts";

export function keyProbe(options: RedisOptions, store: RedisStore, container: string, scope: string): Probe {
  return {
    name: "key",
    depth: "api",
    scope: `key:${scope}`,
    look: (needles, signal) =>
      throughSight(store, signal, async function* (sight): AsyncGenerator<Finding> {
        const wanted = wantedKeys(needles, options);
        const found = (key: string): readonly Finding[] =>
          (wanted.get(key) ?? []).map((needle) => ({
            probe: "key",
            depth: "api",
            needle,
            place: { container, surface: options.surface, key: artifactKey(key) },
            match: { how: "key" },
          }));
        const redisKeys = new Set(options.each === "key" ? [] : [...wanted.keys()].map(redisKeyOf));
        const keys = await seeKeys(sight, () => true, signal);
        if (options.each === "key") for (const { spelled } of keys) yield* found(spelled);
        else {
          const own = keys.filter(({ spelled }) => redisKeys.has(spelled));
          for await (const trip of seeUnder(sight, own, signal))
            for (const { spelled, parts } of trip)
              for (const text of new Set(parts.map((part) => keyText(options.each, spelled, part)))) yield* found(text);
        }
      }),
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

function wantedKeys(needles: readonly Needle[], { surface }: RedisOptions): ReadonlyMap<string, readonly number[]> {
  const wanted = new Map<string, number[]>();
  for (const { ref, fate, index } of needles) {
    if (ref.surface !== surface || fate === "rewritten") continue; // the key of a rewritten artifact may stay
    const known = wanted.get(ref.key);
    if (known === undefined) wanted.set(ref.key, [index]);
    else known.push(index);
  }
  return wanted;
}

/** How an artifact is called: by its key, or by its key and the part of it that it is. */
export function keyText(each: RedisUnit, spelled: string, { part }: Pick<SeenPart, "part">): string {
  return each === "key" || part === undefined ? spelled : JSON.stringify([spelled, spellKey(part)]);
}

function redisKeyOf(key: string): string {
  const parts: unknown = key.startsWith("[") ? JSON.parse(key) : undefined;
  return Array.isArray(parts) && typeof parts[0] === "string" ? parts[0] : key;
}
