// The eyes of the kind `redis`: for each server that holds a surface, its probes. Nothing is opened here, and nothing of the erase side is imported.
import { matchesPattern } from "../../boundary/glob.ts";
import type { Container, Probe } from "../../surface.ts";
import { bytesProbe } from "./eyes/bytes-probe.ts";
import { keysProbes, type KeysSeen, neighbourProbe } from "./eyes/content-probes.ts";
import { keyProbe } from "./eyes/key-probe.ts";
import { keyGlob } from "./key-glob.ts";
import type { RedisOptions, RedisStore } from "./options.ts";

/** CLAIM-6: every replica is looked at by probes of its own, whose controls must be found in it. */
export function redisProbes(options: RedisOptions): readonly Probe[] {
  return options.stores.flatMap((store, at) => {
    const scope = at === 0 ? options.surface : `${options.surface}@${store.name}`;
    const container = `${store.name}.${options.pattern}`;
    const seen: KeysSeen = {
      store,
      container,
      scope,
      isMeant: options.isMeant,
      surface: options.surface,
      each: options.each,
      vector: options.vector,
    };
    return [
      keyProbe(options, store, container, scope),
      ...keysProbes(seen),
      ...(options.vector === undefined ? [] : [neighbourProbe(seen)]),
      ...(options.declaration.persistence === "none" ? [] : [bytesProbe(store)]),
    ];
  });
}

/** Keys that nobody declared: everything under them is looked at, whatever it is. */
export function redisContainerProbes(options: RedisOptions, container: Container): readonly Probe[] {
  const store = options.stores.find(({ name }) => container.name.startsWith(`${name}.`));
  if (store === undefined) return [];
  const part = container.name.slice(store.name.length + 1);
  const seen = keysOf(options, store, container.name, part);
  return seen === undefined ? [] : keysProbes(seen);
}

function keysOf(options: RedisOptions, store: RedisStore, name: string, part: string): KeysSeen | undefined {
  const common = { store, container: name, scope: name, each: "key" } as const;
  const database = /^\[db (\d+)\]$/.exec(part)?.[1];
  if (database !== undefined)
    return { ...common, store: { ...store, database: Number(database) }, isMeant: () => true };
  // A replica that nobody declared has no address, and what a module keeps beside its keys no command.
  if (part.startsWith("[replica ") || part.startsWith("[module ")) return undefined;
  const type = /^\[([^\]]+)\]$/.exec(part)?.[1];
  const isDeclared = declaredKeys(options);
  // A type that may not be told is any; a counter has a type of its own in the census alone.
  if (type === "unknown") return { ...common, isMeant: (key) => !isDeclared(key) };
  if (type !== undefined)
    return { ...common, type: type === "counter" ? "string" : type, isMeant: (key) => !isDeclared(key) };
  const isExempt = keyGlob(part);
  return {
    ...common,
    isMeant: (key) => isExempt(key) || matchesPattern(name, `${store.name}.${key.toString("utf8")}`),
  };
}

/** Keys of other surfaces are looked at by their own probes. */
function declaredKeys({ boundary, stores }: RedisOptions): (key: Buffer) => boolean {
  const names = new Set(stores.map(({ name }) => name));
  const patterns = boundary.surfaces.flatMap(({ store, pattern }) =>
    pattern !== undefined && store !== undefined && names.has(store) ? [keyGlob(pattern)] : [],
  );
  return (key) => patterns.some((means) => means(key));
}
