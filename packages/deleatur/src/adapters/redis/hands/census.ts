// Lists what a database holds, and what else its server has: patterns that somebody wrote are named, everything else is told by its type alone, for keys name people.
import { containerPart } from "../../../boundary/container-names.ts";
import { matchesPattern } from "../../../boundary/glob.ts";
import type { StoreConnection } from "../../../model/declaration.ts";
import type { Container } from "../../../surface.ts";
import { keyGlob } from "../key-glob.ts";
import type { RedisOptions, RedisStore } from "../options.ts";
import { type Db, infoOf, Refused, textOf, withDb } from "./connect.ts";
import { markersAmong, scanKeys } from "./list-keys.ts";
import { type Replication, replicationOf } from "./stores.ts";

/** A name that is in the boundary already, and the keys that it means. */
interface Named {
  readonly name: string;
  readonly means: (key: Buffer) => boolean;
}

/** @throws StoreError */
export async function takeCensus(options: RedisOptions, signal: AbortSignal): Promise<readonly Container[]> {
  const containers: Container[] = [];
  const servers: Replication[] = [];
  for (const store of options.stores)
    await withDb(store, signal, async (db) => {
      containers.push(...(await censusOf(db, options, signal)));
      servers.push(await replicationOf(db));
    });
  const [{ name }] = options.stores;
  const undeclared = Array.from({ length: unknownReplicas(servers) }, (_, at): Container => ({
    name: `${name}.[replica ${at + 1}]`,
    kind: "keys",
    holds: ["text"],
  }));
  return [...containers, ...undeclared];
}

/** How many replicas these servers have, of each other's and of a replica's own, beyond those among them that follow one of them. */
function unknownReplicas(servers: readonly Replication[]): number {
  const following = servers.filter(
    ({ role, isLinked, history }, at) =>
      role === "replica" && isLinked && servers.some((other, place) => place !== at && other.history === history),
  );
  return Math.max(0, servers.reduce((sum, { replicas }) => sum + replicas, 0) - following.length);
}

async function censusOf(db: Db, options: RedisOptions, signal: AbortSignal): Promise<readonly Container[]> {
  const { store } = db;
  const named = namesIn(options, store);
  const holds = new Map<string, Container["holds"]>();
  for (const { name, isDeclared } of named) if (isDeclared) holds.set(name, ["text"]);
  let hasMarkers = false;
  for await (const keys of scanKeys(db, "*", signal)) {
    const strays: Buffer[] = [];
    for (const key of keys) {
      const known = named.find(({ means }) => means(key));
      if (known !== undefined) holds.set(known.name, ["text"]);
      else strays.push(key);
    }
    const markers = new Set(await markersAmong(db, strays));
    hasMarkers ||= markers.size > 0;
    const others = strays.filter((key) => !markers.has(key));
    for (const [name, what] of await typesOf(db, others)) holds.set(`${store.name}.[${name}]`, what);
  }
  return [
    ...Array.from(holds, ([name, what]): Container => ({ name, kind: "keys", holds: what })),
    ...(hasMarkers ? [{ name: `${store.name}.[marker]`, kind: "keys", owner: "deleatur", holds: [] } as const] : []),
    ...(await besideDatabase(db, options)),
  ];
}

/** What surfaces, exemptions and quiet patterns call the keys of this database; surfaces first. */
function namesIn({ boundary }: RedisOptions, store: RedisStore): readonly (Named & { readonly isDeclared: boolean })[] {
  const stores = [...boundary.connect.stores.values()];
  const isHere = (name: string | undefined): boolean =>
    name === store.name || stores.some((other) => other.name === name && isSameDatabase(other, store));
  const declared = boundary.surfaces.flatMap((surface) => {
    const here = [surface.store, ...surface.replicas].some(isHere);
    return surface.pattern !== undefined && here ? [{ part: containerPart(surface), isDeclared: true }] : [];
  });
  const exempt = boundary.exempt.flatMap(({ store: name, table }) =>
    table !== undefined && isHere(name) && !isTypeName(table) ? [{ part: table, isDeclared: false }] : [],
  );
  return [
    ...[...declared, ...exempt].map(({ part, isDeclared }) => ({
      name: `${store.name}.${part}`,
      isDeclared,
      means: keyGlob(part),
    })),
    // A pattern that names all of a store names nothing in it.
    ...boundary.census.quiet
      .filter((pattern) => pattern.startsWith(`${store.name}.`) && pattern !== `${store.name}.*`)
      .filter((pattern) => !isTypeName(pattern.slice(store.name.length + 1)))
      .map((pattern) => ({
        name: pattern,
        isDeclared: false,
        means: (key: Buffer) => matchesPattern(pattern, `${store.name}.${key.toString("utf8")}`),
      })),
  ];
}

function isTypeName(part: string): boolean {
  return /^\[[^\]]*\]$/.test(part);
}

function isSameDatabase(other: StoreConnection, store: RedisStore): boolean {
  return other.type === "redis" && other.url === store.url;
}

/** The types of these keys, each once. A string that is a whole number is a counter: it says nothing about anybody. */
async function typesOf(db: Db, keys: readonly Buffer[]): Promise<ReadonlyMap<string, Container["holds"]>> {
  const types = await db.sendAll(keys.map((key) => ["TYPE", key]));
  const strings = keys.filter((_, at) => textOfAny(types[at]) === "string");
  const encodings = await db.sendAll(strings.map((key) => ["OBJECT", "ENCODING", key]));
  const found = new Map<string, Container["holds"]>();
  for (const type of new Set(types.map(textOfAny))) {
    if (type === "none" || type === "string") continue;
    found.set(type, KNOWN_TYPES.has(type) ? ["text"] : ["blob"]);
  }
  for (const encoding of new Set(encodings.map(textOfAny))) {
    if (encoding === "int") found.set("counter", []);
    else if (encoding !== "") found.set("string", ["text"]);
  }
  return found;
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(["hash", "list", "set", "zset", "stream", "ReJSON-RL"]);

/** A refusal is told as a type of its own: what may not be looked at is not silent. */
function textOfAny(reply: Awaited<ReturnType<Db["sendAll"]>>[number] | undefined): string {
  // A key that is gone by now has no encoding.
  if (reply === undefined || reply === null) return "";
  return reply instanceof Refused ? (reply.code === "ERR" ? "" : "unknown") : textOf(reply);
}

/** Other databases of the server that no store of the boundary names, and its modules: they hold copies too. */
async function besideDatabase(db: Db, { boundary }: RedisOptions): Promise<readonly Container[]> {
  const { store } = db;
  const info = infoOf(await db.send("INFO", "keyspace"));
  const used = [...info.keys()].flatMap((name) => /^db(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  const named = new Set([...boundary.connect.stores.values()].flatMap((other) => databaseAt(other, store) ?? []));
  const databases = used.filter((database) => database !== store.database && !named.has(database));
  return [
    ...databases.map((database): Container => ({
      name: `${store.name}.[db ${database}]`,
      kind: "keys",
      holds: ["text"],
    })),
    ...(await modulesOf(db)).map((module): Container => ({
      name: `${store.name}.[module ${module}]`,
      kind: "keys",
      holds: ["blob"],
    })),
  ];
}

/** Modules that keep what they hold in keys alone, where the census meets it by its type. */
const KEYS_ALONE: ReadonlySet<string> = new Set(["ReJSON", "json", "bf", "timeseries", "vectorset", "search"]);

/** Any other module may hold words that no key shows. INFO tells of them where MODULE LIST is forbidden. */
async function modulesOf(db: Db): Promise<readonly string[]> {
  const lines = textOf(await db.send("INFO", "modules")).split("\r\n");
  const names = lines.flatMap((line) => /^module:name=([^,]{1,80})/.exec(line)?.[1] ?? []);
  return names.filter((name) => !KEYS_ALONE.has(name)).toSorted();
}

/** The database that a store names on the same server. */
function databaseAt(other: StoreConnection, store: RedisStore): number | undefined {
  if (other.type !== "redis") return undefined;
  const [here, there] = [new URL(store.url), new URL(other.url)];
  return here.host === there.host ? Number(there.pathname.slice(1) || "0") : undefined;
}
