// A real PostgreSQL with pgvector for the adapter's tests, the surfaces over its databases, and a byte search that shares nothing with the adapter.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { PostgresOptions } from "../../../src/adapters/postgres/index.ts";
import { postgresTable } from "../../../src/adapters/postgres/index.ts";
import type { Artifact } from "../../../src/model/artifact.ts";
import type { Boundary, ServerConnection, SurfaceDeclaration } from "../../../src/model/declaration.ts";
import { artifactKey, requestId, surfaceId, type ArtifactKey, type RequestId } from "../../../src/model/ids.ts";
import type { Finding, Needle } from "../../../src/model/needle.ts";
import type { Probe, Surface } from "../../../src/surface.ts";
import type { PostgresInstallation } from "../../servers/find-postgres.ts";
import { startPostgres, type PostgresServer } from "../../servers/postgres-server.ts";

export const signal: AbortSignal = new AbortController().signal;
export const REQUEST: RequestId = requestId("0123456789abcdef0123456789abcdef");

/** One server for all tests of a file; each has a database of its own. */
export function useServer(
  installation: PostgresInstallation | undefined,
  settings: Readonly<Record<string, string>> = {},
  segmentMb?: number,
): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (installation !== undefined) server = await startPostgres(installation, settings, segmentMb);
  });
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === undefined) throw new Error("no server was started");
    return server;
  };
}

export interface Store {
  readonly server: PostgresServer;
  readonly database: string;
  readonly url: string;
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

export async function newStore(server: PostgresServer, sql: string): Promise<Store> {
  const database = await server.createDatabase();
  await server.query(database, sql);
  return {
    server,
    database,
    url: server.url(database),
    query: (text, values) => server.query(database, text, values),
  };
}

type Given = Partial<Omit<SurfaceDeclaration, "id" | "kind">> & { readonly id?: string };

export function declare(given: Given): SurfaceDeclaration {
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
    kind: "postgres",
  };
}

export const text = (column: string): { readonly column: string; readonly as: "text" } => ({ column, as: "text" });

export interface Opened {
  readonly surface: Surface;
  readonly options: PostgresOptions;
  readonly probes: readonly Probe[];
}

export interface Place {
  readonly url: string;
  readonly data?: string;
}

/** Parses and opens one surface; the first place is its store, the others are replicas. */
export async function openSurface(
  declaration: SurfaceDeclaration,
  places: Place | readonly Place[],
  others: readonly SurfaceDeclaration[] = [],
): Promise<Opened> {
  const options = parse(declaration, places, others);
  return { surface: await postgresTable.open(options), options, probes: postgresTable.probes(options) };
}

function parse(
  declaration: SurfaceDeclaration,
  places: Place | readonly Place[],
  others: readonly SurfaceDeclaration[] = [],
): PostgresOptions {
  const list = "url" in places ? [places] : places;
  const connections = list.map(({ url, data }, place): ServerConnection => ({
    type: "postgres",
    name: place === 0 ? "memory" : `copy${place}`,
    url,
    ...(data === undefined ? {} : { data }),
  }));
  const boundary: Boundary = {
    version: 1,
    id: "test",
    identifiers: ["account"],
    surfaces: [declaration, ...others],
    exempt: [],
    census: { include: ["*"], quiet: [] },
    connect: { ledger: "", stores: new Map(connections.map((connection) => [connection.name, connection])) },
    source: { file: undefined, directory: "" },
  };
  return postgresTable.parse({
    declaration,
    connections,
    boundary,
    participation: () => {
      throw new Error("no process takes part");
    },
  });
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export const keys = (...texts: readonly string[]): ArtifactKey[] => texts.map(artifactKey);

export const keysOf = (artifacts: readonly Artifact[]): string[] => artifacts.map(({ key }) => key);

/** In how many files of a server a byte string stands, by our own reading. */
export function filesWith(folder: string, wanted: Uint8Array | string): string[] {
  const bytes = typeof wanted === "string" ? Buffer.from(wanted, "utf8") : Buffer.from(wanted);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true)
    .filter((path) => readFileSync(join(folder, path)).includes(bytes))
    .toSorted();
}

export function needleOf(artifact: Artifact, index: number, fate: Needle["fate"] = "erased"): Needle {
  const { surface, key, subjects, content } = artifact;
  return { index, ref: { surface, key }, subjects, content, fate };
}

export async function look(
  probes: readonly Probe[],
  name: Probe["name"],
  needles: readonly Needle[],
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const probe of probes.filter((one) => one.name === name))
    found.push(...(await all(probe.look(needles, signal))));
  return found;
}
