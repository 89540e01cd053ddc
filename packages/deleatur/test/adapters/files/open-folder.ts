// Opens surfaces of files over a temporary folder for the tests, with a boundary around them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { jsonlFiles, textFiles } from "../../../src/adapters/files/index.ts";
import type { FilesOptions } from "../../../src/adapters/files/options.ts";
import type { Artifact } from "../../../src/model/artifact.ts";
import type { Boundary, StoreConnection, SurfaceDeclaration } from "../../../src/model/declaration.ts";
import { type ArtifactKey, artifactKey, surfaceId } from "../../../src/model/ids.ts";
import type { Finding, Needle } from "../../../src/model/needle.ts";
import type { Probe, Surface } from "../../../src/surface.ts";

export const signal: AbortSignal = new AbortController().signal;

export interface Folder {
  readonly path: string;
  write(name: string, content: string | Uint8Array): void;
  read(name: string): string;
}

export function makeFolder(files: Readonly<Record<string, string>> = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), "deleatur-files-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return folderAt(path, files);
}

export function folderAt(path: string, files: Readonly<Record<string, string>> = {}): Folder {
  const write: Folder["write"] = (name, content) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { path, write, read: (name) => readFileSync(join(path, name), "utf8") };
}

export function declare(given: Partial<SurfaceDeclaration> = {}): SurfaceDeclaration {
  return {
    id: surfaceId("transcripts"),
    kind: "jsonl",
    role: "transcript",
    label: "transcripts",
    store: "logs",
    key: ["id"],
    keys: "unique",
    subject: [{ field: "user", type: "account" }],
    content: [{ column: "text", as: "text" }],
    derivedFrom: [],
    maps: [],
    writers: "sdk",
    purge: { method: "auto" },
    replicas: [],
    ...given,
  };
}

export function parseOptions(
  folder: Folder,
  pattern: string,
  given: Partial<SurfaceDeclaration> = {},
  others: readonly StoreConnection[] = [],
): FilesOptions {
  const declaration = declare(given);
  const own: StoreConnection = { type: "files", name: "logs", glob: join(folder.path, pattern) };
  const boundary: Boundary = {
    version: 1,
    id: "test",
    identifiers: ["account"],
    surfaces: [declaration],
    exempt: [],
    census: { include: [], quiet: [] },
    connect: {
      ledger: join(folder.path, "deleatur.db"),
      stores: new Map([own, ...others].map((store) => [store.name, store])),
    },
    source: { file: join(folder.path, "deleatur.yaml"), directory: folder.path },
  };
  const kind = declaration.kind === "text" ? textFiles : jsonlFiles;
  const replicas = others.filter(({ name }) => declaration.replicas.includes(name));
  return kind.parse({ declaration, connections: [own, ...replicas], boundary, participation: nobody });
}

export async function openSurface(
  folder: Folder,
  pattern: string,
  given: Partial<SurfaceDeclaration> = {},
): Promise<Surface> {
  return (given.kind === "text" ? textFiles : jsonlFiles).open(parseOptions(folder, pattern, given));
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export function keys(...texts: readonly string[]): ArtifactKey[] {
  return texts.map(artifactKey);
}

export function asNeedles(artifacts: readonly Artifact[], fate: Needle["fate"] = "erased"): Needle[] {
  return artifacts.map(({ surface, key, subjects, content }, index) => ({
    index,
    ref: { surface, key },
    subjects,
    content,
    fate,
  }));
}

export function probe(probes: readonly Probe[], name: Probe["name"]): Probe {
  const found = probes.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no ${name} probe`);
  return found;
}

/** What each probe finds, as `name container key`. */
export async function seen(probes: readonly Probe[], needles: readonly Needle[]): Promise<string[]> {
  const findings: Finding[] = [];
  for (const each of probes) findings.push(...(await collect(each.look(needles, signal))));
  return findings.map(({ probe, place }) => [probe, place.container, place.key].filter(Boolean).join(" "));
}

/** Files are in nobody's memory. */
export function nobody(): never {
  throw new Error("no process takes part here");
}
