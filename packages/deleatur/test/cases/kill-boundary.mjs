// The boundary of the memory that is killed: a table, its full-text index, vectors, a shared summary and transcripts, so that every kind of step has work.
import { defineBoundary } from "../../dist/index.js";

export function killBoundary(directory, anchor) {
  const surfaces = {
    episodes: {
      kind: "sqlite",
      role: "primary",
      store: "memory",
      table: "episodes",
      key: "id",
      subject: { column: "account", type: "account" },
      content: ["text"],
    },
    search: {
      kind: "sqlite-fts",
      role: "index",
      store: "memory",
      table: "search",
      content: ["text"],
      derivedFrom: { surface: "episodes", column: "rowid" },
    },
    vectors: {
      kind: "sqlite-vec",
      role: "index",
      store: "memory",
      table: "vectors",
      key: "id",
      keys: "reusable",
      vector: "embedding",
      derivedFrom: { surface: "episodes", column: "id" },
    },
    summaries: {
      kind: "sqlite",
      role: "derived",
      store: "memory",
      table: "summaries",
      key: "id",
      content: ["text"],
      derivedFrom: { surface: "episodes", column: "source_ids", as: "json" },
      shared: "rederive",
      rederive: "summarise",
    },
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
  return defineBoundary(
    {
      deleatur: 1,
      boundary: "cases/killed",
      identifiers: ["account"],
      writers: "sdk",
      surfaces,
      connect: {
        ledger: "sqlite:./deleatur.db",
        memory: { file: "./memory.db" },
        transcripts: { path: "./transcripts/*.jsonl" },
        ...(anchor === undefined ? {} : { anchor: { file: anchor } }),
      },
    },
    { directory, env: {} },
  );
}
