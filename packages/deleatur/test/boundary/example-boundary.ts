// The example of DESIGN §4, without the two kinds that no issue has built: shared by the tests of this folder.
import type { BoundaryInput } from "../../src/boundary/boundary-input.ts";

export const EXAMPLE_YAML = `deleatur: 1
boundary: support-agent/prod
identifiers: [account, email, thread]
surfaces:                                     # with exempt: the declaration
  episodes:   { kind: sqlite, role: primary, label: "chat history", store: memory, table: episodes, key: id,
                subject: { column: user_id, type: account }, content: [text] }
  vectors:    { kind: sqlite-vec, role: index, store: memory, table: episode_vec, key: id, keys: reusable, vector: embedding,
                derivedFrom: { surface: episodes, column: episode_id } }
  summaries:  { kind: sqlite, role: derived, store: memory, table: summaries, key: id, content: [text],
                derivedFrom: { surface: episodes, column: source_ids, as: json }, shared: rederive, rederive: summarise }
  transcripts: { kind: jsonl, role: transcript, store: transcripts, key: id, subject: { field: user, type: account }, content: [text] }
  search:     { kind: sqlite-fts, role: index, store: memory, table: episodes_fts, derivedFrom: { surface: episodes, column: rowid } }
  prompt-cache: { kind: provider-cache, role: cache, horizon: { max: PT1H, basis: "provider contract, read 2026-11" } }
exempt:
  - { name: payments-log, kind: audit-log, store: memory, table: payment_log, ground: "append-only, ids and amounts" }
census: { include: ["memory.*"], quiet: ["memory.billing_*"] }
writers: sdk                                  # for every surface that does not say otherwise
connect:                                      # never digested, never published
  ledger: sqlite:./deleatur.db                # embedded default
  memory: { file: ./memory.db }
  transcripts: { path: ./transcripts/*.jsonl }
`;

/** The same boundary, typed. */
export const EXAMPLE_INPUT: BoundaryInput = {
  deleatur: 1,
  boundary: "support-agent/prod",
  identifiers: ["account", "email", "thread"],
  surfaces: {
    episodes: {
      kind: "sqlite",
      role: "primary",
      label: "chat history",
      store: "memory",
      table: "episodes",
      key: "id",
      subject: { column: "user_id", type: "account" },
      content: ["text"],
    },
    vectors: {
      kind: "sqlite-vec",
      role: "index",
      store: "memory",
      table: "episode_vec",
      key: "id",
      keys: "reusable",
      vector: "embedding",
      derivedFrom: { surface: "episodes", column: "episode_id" },
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
    },
    search: {
      kind: "sqlite-fts",
      role: "index",
      store: "memory",
      table: "episodes_fts",
      derivedFrom: { surface: "episodes", column: "rowid" },
    },
    "prompt-cache": {
      kind: "provider-cache",
      role: "cache",
      horizon: { max: "PT1H", basis: "provider contract, read 2026-11" },
    },
  },
  exempt: [
    {
      name: "payments-log",
      kind: "audit-log",
      store: "memory",
      table: "payment_log",
      ground: "append-only, ids and amounts",
    },
  ],
  census: { include: ["memory.*"], quiet: ["memory.billing_*"] },
  writers: "sdk",
  connect: {
    ledger: "sqlite:./deleatur.db",
    memory: { file: "./memory.db" },
    transcripts: { path: "./transcripts/*.jsonl" },
  },
};
