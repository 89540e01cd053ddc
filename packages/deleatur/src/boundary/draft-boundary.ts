// Drafts a boundary from stores that exist, for `init`: it guesses, marks what a person must decide, and its draft parses. It reads stores, never writes.
import { basename, extname, relative, resolve, sep } from "node:path";
import { compareUtf8 } from "@deleatur/verify";
import { UsageError } from "../model/errors.ts";
import type { PresetInput, SurfaceInput } from "./boundary-input.ts";
import { writeDraft, type DraftEntry } from "./draft-entry.ts";
import { draftJsonl, draftText } from "./draft-files.ts";
import { draftKeys, keysNotes } from "./draft-keys.ts";
import { draftTables } from "./draft-tables.ts";
import { listOf } from "./fill-defaults.ts";
import { findStores, type Found } from "./find-stores.ts";
import { inspectJsonl } from "./inspect-files.ts";
import { presetNamed, recognisePresets } from "./presets/known-presets.ts";
import type {
  FilesLayout,
  InspectKeys,
  InspectServer,
  InspectSqlite,
  ServerLayout,
  SqliteLayout,
} from "./store-layout.ts";

export interface DraftOptions {
  /** Where the boundary file will stand: paths in it are relative to this. */
  readonly directory: string;
  /** Id of the boundary, `my-agent/prod` where none is given. */
  readonly boundary?: string;
  readonly inspectSqlite: InspectSqlite;
  readonly inspectKeys: InspectKeys;
  readonly inspectServer: InspectServer;
  /** Where the addresses of servers stand. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface DraftedBoundary {
  readonly yaml: string;
  /** What the draft leaves out or leaves open, for the terminal. */
  readonly notes: readonly string[];
}

/** A server is named by the variable that holds its address, as the boundary names it. */
const SERVER = /^\$\{([A-Za-z_][A-Za-z0-9_]{0,63})\}$/;

export function isServer(path: string): boolean {
  return SERVER.test(path);
}

/** Looks into SQLite files, folders of JSONL or text files, and PostgreSQL or Redis servers (`${PG_URL}`). @throws UsageError for a path that is none, StoreError for a store that cannot be read */
export async function draftBoundary(
  paths: readonly string[],
  options: DraftOptions,
  signal: AbortSignal,
): Promise<DraftedBoundary> {
  const servers = paths.filter(isServer);
  const places = paths.filter((path) => !isServer(path)).map((path) => ({ path, stores: findStores(path) }));
  const found = places.flatMap(({ stores }) => stores);
  if (found.length + servers.length === 0)
    throw new UsageError(
      "NOTHING_FOUND",
      "no store was found, name SQLite files or folders of .jsonl, .txt or .md files",
    );
  const names = keepApart();
  const ids = keepApart();
  const entries: DraftEntry[] = [];
  const quiet: string[] = [];
  const notes = places.flatMap(({ path, stores }) =>
    stores.length === 0 ? [`${writtenPath(options.directory, path)}: no store was found in it`] : [],
  );
  const connect: Record<string, string | { file: string } | { path: string } | { url: string }> = {
    ledger: "sqlite:./deleatur.db",
  };
  for (const store of found) {
    signal.throwIfAborted();
    const name = names(storeName(store.path));
    const path = writtenPath(options.directory, store.path);
    connect[name] = store.type === "sqlite" ? { file: path } : { path };
    const drafted = await draftStore(store, name, ids, options, signal);
    entries.push(...drafted.entries);
    notes.push(...drafted.notes);
    quiet.push(...drafted.quiet);
  }
  for (const server of servers) {
    const url = addressOf(server, options.environment);
    const isTables = POSTGRES.test(url);
    const name = names(isTables ? "memory" : "cache");
    connect[name] = { url: server };
    if (isTables) {
      const drafted = draftLayout(await options.inspectServer(name, url, signal), name, ids);
      entries.push(...drafted.entries);
      notes.push(...drafted.notes);
      quiet.push(...drafted.quiet);
      continue;
    }
    const { groups, others } = await options.inspectKeys(url, signal);
    for (const group of groups) entries.push(draftKeys(group, name, ids(surfaceName(group.prefix.slice(0, -1)))));
    notes.push(...keysNotes(groups, others, name));
  }
  if (entries.length === 0)
    throw new UsageError("NOTHING_FOUND", "the stores hold no tables or files to declare, name stores that are in use");
  const boundary = options.boundary ?? "my-agent/prod";
  return { yaml: writeDraft({ boundary, identifiers: identifiersOf(entries), entries, quiet, connect }), notes };
}

const POSTGRES = /^postgres(?:ql)?:\/\/./i;
const REDIS = /^rediss?:\/\/[^/?#]+(?:\/\d*)?$/i;

/** @throws UsageError where the variable is not set, or holds no address of a server that is known */
function addressOf(server: string, environment: DraftOptions["environment"]): string {
  const variable = SERVER.exec(server)?.[1] ?? "";
  const url = Object.hasOwn(environment, variable) ? (environment[variable] ?? "") : "";
  if ((REDIS.test(url) || POSTGRES.test(url)) && URL.canParse(url)) return url;
  throw new UsageError(
    "NO_SUCH_SERVER",
    `the environment variable ${variable} holds no address of a server that is known, set it to postgres://... or redis://host:port/database`,
  );
}

interface Drafts {
  readonly entries: readonly DraftEntry[];
  readonly notes: readonly string[];
  /** Containers that hold nothing of anybody. */
  readonly quiet: readonly string[];
}

async function draftStore(
  store: Found,
  name: string,
  ids: (wanted: string) => string,
  options: DraftOptions,
  signal: AbortSignal,
): Promise<Drafts> {
  if (store.type === "text") return { entries: [draftText(name, ids(name))], notes: [], quiet: [] };
  const layout =
    store.type === "sqlite" ? await options.inspectSqlite(store.path, signal) : await inspectJsonl(store.files, signal);
  return draftLayout(layout, name, ids);
}

function draftLayout(
  layout: SqliteLayout | ServerLayout | FilesLayout,
  name: string,
  ids: (wanted: string) => string,
): Drafts {
  const known = recognisePresets(layout);
  const quiet = [...new Set(known.flatMap((found) => found.quiet))];
  const covered = new Set([...known.flatMap(({ tables }) => tables), ...quiet]);
  const presetEntries = known.map(({ preset, entry }): DraftEntry => {
    const place = entry.table ?? entry.schema;
    return {
      id: ids(place === undefined ? name : surfaceName(place)),
      input: { preset: preset.name, store: name, ...entry },
      decide: {},
    };
  });
  const notes = [...new Set(known.map(({ preset }) => preset))].flatMap((preset) =>
    preset.notes.map((note) => `${name} has the layout of ${preset.name}: ${note}`),
  );
  if ("files" in layout)
    return { entries: known.length === 0 ? [draftJsonl(layout, name, ids(name))] : presetEntries, notes, quiet: [] };
  const given = new Map<string, string>();
  const idOf = (table: string): string => {
    const id = given.get(table) ?? ids(surfaceName(table));
    given.set(table, id);
    return id;
  };
  const drafts = draftTables(layout, name, covered, idOf);
  return {
    entries: [...presetEntries, ...drafts.entries],
    notes: [...notes, ...drafts.notes],
    quiet: quiet.map((table) => `${name}.${table}`),
  };
}

function identifiersOf(entries: readonly DraftEntry[]): readonly string[] {
  const types = new Set(entries.flatMap(({ input }) => typesOf(input)));
  return types.size === 0 ? ["account"] : [...types].toSorted(compareUtf8);
}

function typesOf(input: SurfaceInput | PresetInput): readonly string[] {
  if ("preset" in input) return [input.type ?? presetNamed(input.preset)?.defaultType ?? "account"];
  return listOf(input.subject).map((locator) => locator.type);
}

/** Relative with a leading `./` where it lies below the boundary file, else as it is. */
function writtenPath(directory: string, path: string): string {
  const way = relative(resolve(directory), path).split(sep).join("/");
  return way.startsWith("..") || way === "" ? path : `./${way}`;
}

function storeName(path: string): string {
  const file = basename(path);
  const folder = resolve(path, "..");
  const name = file.startsWith("*")
    ? basename(basename(folder) === "**" ? resolve(folder, "..") : folder)
    : basename(file, extname(file));
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return plain === "" || plain === "ledger" || plain === "anchor" ? "store" : plain.slice(0, 48);
}

function surfaceName(table: string): string {
  const plain = table
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, "-")
    .replace(/^[^a-z0-9]+/, "");
  return plain === "" ? "table" : plain.slice(0, 96);
}

/** Gives each wanted name once, with a number behind it where it is taken. */
function keepApart(): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    let name = wanted.toLowerCase();
    for (let number = 2; taken.has(name); number += 1) name = `${wanted.toLowerCase()}-${number}`;
    taken.add(name);
    return name;
  };
}
