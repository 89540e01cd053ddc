// Real SQLite files in a temp directory for the adapter's tests, the surfaces over them, and a byte search that shares nothing with the adapter.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load as loadVec } from "sqlite-vec";
import { onTestFinished } from "vitest";
import type { SqliteOptions } from "../../../src/adapters/sqlite/index.ts";
import { sqliteFts, sqliteTable, sqliteVec } from "../../../src/adapters/sqlite/index.ts";
import type { Artifact, ContentField } from "../../../src/model/artifact.ts";
import type { Boundary, StoreConnection, SurfaceDeclaration } from "../../../src/model/declaration.ts";
import { artifactKey, requestId, surfaceId, type ArtifactKey, type RequestId } from "../../../src/model/ids.ts";
import type { Finding, Needle } from "../../../src/model/needle.ts";
import type { Probe, Surface, SurfaceKind } from "../../../src/surface.ts";

export const signal: AbortSignal = new AbortController().signal;
export const REQUEST: RequestId = requestId("0123456789abcdef0123456789abcdef");

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface StoreSetup {
  readonly journal?: "WAL" | "DELETE" | "PERSIST";
  readonly secureDelete?: boolean;
  readonly file?: string;
}

/** An application's own connection, as an application opens it. */
export function openApp(file: string, setup: StoreSetup = {}): Database.Database {
  const db = new Database(file);
  loadVec(db);
  db.pragma(`journal_mode = ${setup.journal ?? "WAL"}`);
  db.pragma(`secure_delete = ${setup.secureDelete === true ? "ON" : "OFF"}`);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

export function newStore(
  sql: string,
  setup: StoreSetup = {},
): { readonly file: string; readonly app: Database.Database } {
  const file = setup.file ?? join(tempFolder(), "memory.db");
  const app = openApp(file, setup);
  app.exec(sql);
  return { file, app };
}

type Partial_ = Partial<Omit<SurfaceDeclaration, "id" | "kind">> & { readonly id?: string };

export function declare(kind: SurfaceDeclaration["kind"], given: Partial_): SurfaceDeclaration {
  const { id, ...rest } = given;
  return {
    role: "primary",
    label: "memory",
    store: "memory",
    table: "episodes",
    key: ["id"],
    keys: "unique",
    subject: [],
    content: [],
    derivedFrom: [],
    maps: [],
    writers: "foreign",
    purge: { method: "auto" },
    replicas: [],
    ...rest,
    id: surfaceId(id ?? rest.table ?? "episodes"),
    kind,
  };
}

export const text = (column: string): { readonly column: string; readonly as: "text" } => ({ column, as: "text" });

const KINDS = { sqlite: sqliteTable, "sqlite-fts": sqliteFts, "sqlite-vec": sqliteVec } as const;

export interface Opened {
  readonly surface: Surface;
  readonly options: SqliteOptions;
  readonly kind: SurfaceKind<SqliteOptions>;
  readonly probes: readonly Probe[];
}

/** Parses and opens one surface; `files` are its store and its replicas. */
export async function openSurface(
  declaration: SurfaceDeclaration,
  files: string | readonly string[],
  others: readonly SurfaceDeclaration[] = [],
): Promise<Opened> {
  const options = parse(declaration, files, others);
  const kind = kindOf(declaration);
  const surface = await kind.open(options);
  return { surface, options, kind, probes: kind.probes(options) };
}

function kindOf(declaration: SurfaceDeclaration): SurfaceKind<SqliteOptions> {
  const { kind } = declaration;
  if (kind === "sqlite" || kind === "sqlite-fts" || kind === "sqlite-vec") return KINDS[kind];
  throw new TypeError("no SQLite kind");
}

export function parse(
  declaration: SurfaceDeclaration,
  files: string | readonly string[],
  others: readonly SurfaceDeclaration[] = [],
): SqliteOptions {
  const connections = (typeof files === "string" ? [files] : files).map((file, place): StoreConnection => ({
    type: "sqlite",
    name: place === 0 ? "memory" : `copy${place}`,
    file,
  }));
  const boundary: Boundary = {
    version: 1,
    id: "test",
    identifiers: ["account"],
    surfaces: [declaration, ...others],
    exempt: [],
    census: { include: ["memory.*"], quiet: [] },
    connect: { ledger: "", stores: new Map(connections.map((connection) => [connection.name, connection])) },
    source: { file: undefined, directory: tmpdir() },
  };
  return kindOf(declaration).parse({ declaration, connections, boundary, participation: nobody });
}

function nobody(): never {
  throw new Error("no process takes part here");
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const scan = (opened: Opened): Promise<Artifact[]> => collect(opened.surface.scan(signal));

export const keys = (...texts: readonly (string | number)[]): ArtifactKey[] =>
  texts.map((key) => artifactKey(String(key)));

export function needleOf(artifact: Artifact, index: number, fate: Needle["fate"] = "erased"): Needle {
  const { surface, key, subjects, content } = artifact;
  return { index, ref: { surface, key }, subjects, content, fate };
}

export async function findings(opened: Opened, name: Probe["name"], needles: readonly Needle[]): Promise<Finding[]> {
  const all: Finding[] = [];
  for (const probe of opened.probes) {
    if (probe.name !== name) continue;
    all.push(...(await collect(probe.look(needles, signal))));
    await probe.close();
  }
  return all;
}

/** How often bytes stand in a store's own files, its logs included. */
export function countBytes(file: string, wanted: string | Uint8Array): number {
  const pattern = typeof wanted === "string" ? Buffer.from(wanted) : Buffer.from(wanted);
  let count = 0;
  for (const suffix of ["", "-wal", "-journal"]) {
    if (!existsSync(file + suffix)) continue;
    const bytes = readFileSync(file + suffix);
    for (let at = bytes.indexOf(pattern); at !== -1; at = bytes.indexOf(pattern, at + 1)) count += 1;
  }
  return count;
}

/** How many 64-byte windows of a vector stand in a store's own files. */
export function countWindows(file: string, vector: Float32Array): number {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  let count = 0;
  for (let at = 0; at + 64 <= bytes.length; at += 64) count += countBytes(file, bytes.subarray(at, at + 64));
  return count;
}

/** A vector that looks like an embedding and is the same on every run. */
export function vectorOf(seed: number, dimensions = 64): Float32Array {
  const vector = new Float32Array(dimensions);
  let state = (seed * 2654435761 + 12345) >>> 0;
  for (let index = 0; index < dimensions; index += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    vector[index] = state / 2 ** 32 - 0.5;
  }
  return vector;
}

export const blobOf = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

export const textsOf = (content: readonly ContentField[]): string[] =>
  content.flatMap((field) => (field.type === "text" ? [field.text] : []));
