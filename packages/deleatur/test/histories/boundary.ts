// The boundary that a history's memory stands under, and what a history may change about it.
import type { BoundaryInput } from "../../src/boundary/boundary-input.ts";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import type { Boundary } from "../../src/model/declaration.ts";

export interface Declared {
  readonly shared: "destroy" | "redact" | "rederive";
  readonly writers: "sdk" | "trigger";
  /** A table that the application also has: a primary surface, or undeclared. */
  readonly notes: boolean;
  /** Left out, the table of vectors is undeclared. */
  readonly vectors: boolean;
  /** Copies in the memory of processes that take part. */
  readonly cache: boolean;
}

export const DECLARED: Declared = { shared: "rederive", writers: "sdk", notes: true, vectors: true, cache: false };

export const TABLES = `
  CREATE TABLE episodes (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT, text TEXT NOT NULL);
  CREATE VIRTUAL TABLE search USING fts5(text, content='episodes', content_rowid='id');
  CREATE VIRTUAL TABLE vectors USING vec0(id INTEGER PRIMARY KEY, embedding float[16]);
  CREATE TABLE summaries (id TEXT PRIMARY KEY, source_ids TEXT NOT NULL, text TEXT NOT NULL);
  CREATE TABLE notes (id TEXT PRIMARY KEY, account TEXT, text);
`;

function surfacesOf({ shared, writers, notes, vectors, cache }: Declared): BoundaryInput["surfaces"] {
  const memory = { store: "memory", writers } as const;
  const subject = { column: "account", type: "account" } as const;
  return {
    episodes: { kind: "sqlite", role: "primary", ...memory, table: "episodes", key: "id", subject, content: ["text"] },
    search: {
      kind: "sqlite-fts",
      role: "index",
      ...memory,
      table: "search",
      content: ["text"],
      derivedFrom: { surface: "episodes", column: "rowid" },
    },
    ...(vectors
      ? {
          vectors: {
            kind: "sqlite-vec",
            role: "index",
            ...memory,
            table: "vectors",
            key: "id",
            keys: "reusable",
            vector: "embedding",
            derivedFrom: { surface: "episodes", column: "id" },
          },
        }
      : {}),
    summaries: {
      kind: "sqlite",
      role: "derived",
      ...memory,
      table: "summaries",
      key: "id",
      content: ["text"],
      derivedFrom: { surface: "episodes", column: "source_ids", as: "json" },
      shared,
      ...(shared === "rederive" ? { rederive: "summarise" } : {}),
    },
    ...(notes
      ? { notes: { kind: "sqlite", role: "primary", ...memory, table: "notes", key: "id", subject, content: ["text"] } }
      : {}),
    ...(cache ? { cache: { kind: "in-process", role: "cache" } } : {}),
    transcripts: {
      kind: "jsonl",
      role: "transcript",
      store: "transcripts",
      key: "id",
      subject: { field: "user", type: "account" },
      content: ["text"],
      derivedFrom: { surface: "episodes", field: "episode" },
    },
  };
}

export function anchorOf(directory: string): string {
  return `${directory}.anchor`;
}

export function historyBoundary(directory: string, declared: Declared): Boundary {
  return defineBoundary(
    {
      deleatur: 1,
      boundary: "cases/histories",
      identifiers: ["account"],
      writers: "sdk",
      surfaces: surfacesOf(declared),
      connect: {
        ledger: "sqlite:./deleatur.db",
        // Beside the folder, which is copied and restored without it.
        anchor: { file: anchorOf(directory) },
        memory: { file: "./memory.db" },
        transcripts: { path: "./transcripts/*.jsonl" },
      },
    },
    { directory, env: {} },
  );
}
