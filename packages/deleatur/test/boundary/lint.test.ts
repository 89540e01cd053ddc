// Every lint rule, broken on purpose: one edit of a boundary that is right, one code, the right place. Over 400 lines because it is one list of cases.
import { describe, expect, it } from "vitest";
import { containerKey } from "../../src/boundary/container-names.ts";
import { parseBoundary } from "../../src/boundary/parse-boundary.ts";
import { boundaryProblems } from "../../src/boundary/problem.ts";
import { BoundaryError } from "../../src/model/errors.ts";
import { EXAMPLE_YAML } from "./example-boundary.ts";

interface Broken {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  readonly code: string;
  readonly field: string;
}

const SUMMARY_POLICY = ", shared: rederive, rederive: summarise";
const CACHE =
  'prompt-cache: { kind: provider-cache, role: cache, horizon: { max: PT1H, basis: "provider contract, read 2026-11" } }';

const BROKEN: readonly Broken[] = [
  {
    rule: "a source that is no surface",
    from: "surface: episodes, column: episode_id",
    to: "surface: episode, column: episode_id",
    code: "UNKNOWN_SURFACE",
    field: "surfaces.vectors.derivedFrom",
  },
  {
    rule: "a surface derived from itself",
    from: "surface: episodes, column: source_ids",
    to: "surface: summaries, column: source_ids",
    code: "SELF_DERIVATION",
    field: "surfaces.summaries.derivedFrom",
  },
  {
    rule: "a store that is not connected",
    from: "store: memory, table: summaries",
    to: "store: memry, table: summaries",
    code: "UNKNOWN_STORE",
    field: "surfaces.summaries.store",
  },
  {
    rule: "a store of the wrong kind",
    from: "store: memory, table: summaries",
    to: "store: transcripts, table: summaries",
    code: "STORE_KIND",
    field: "surfaces.summaries.store",
  },
  {
    rule: "an unknown replica",
    from: "key: id,\n                subject: { column: user_id",
    to: "key: id, replicas: [copy],\n                subject: { column: user_id",
    code: "UNKNOWN_STORE",
    field: "surfaces.episodes.replicas",
  },
  {
    rule: "a replica that is the store itself",
    from: "key: id,\n                subject: { column: user_id",
    to: "key: id, replicas: [memory],\n                subject: { column: user_id",
    code: "DUPLICATE_ID",
    field: "surfaces.episodes.replicas",
  },
  {
    rule: "LINEAGE-7: an identifier type that is not declared",
    from: "field: user, type: account",
    to: "field: user, type: handle",
    code: "UNKNOWN_IDENTIFIER_TYPE",
    field: "surfaces.transcripts.subject",
  },
  {
    rule: "LINEAGE-5: several sources and no policy for them",
    from: SUMMARY_POLICY,
    to: "",
    code: "SHARED_NOT_SET",
    field: "surfaces.summaries.shared",
  },
  {
    rule: "LINEAGE-5: a join and no policy for several sources",
    from: "{ surface: episodes, column: episode_id }",
    to: "{ surface: episodes, via: links, on: vector_id, column: episode_id }",
    code: "SHARED_NOT_SET",
    field: "surfaces.vectors.shared",
  },
  {
    rule: "rederive without its function",
    from: SUMMARY_POLICY,
    to: ", shared: rederive",
    code: "REDERIVE_NOT_SET",
    field: "surfaces.summaries.rederive",
  },
  {
    rule: "a function that would never be called",
    from: SUMMARY_POLICY,
    to: ", shared: destroy, rederive: summarise",
    code: "REDERIVE_NOT_SET",
    field: "surfaces.summaries.rederive",
  },
  {
    rule: "one identifier type twice",
    from: "[account, email, thread]",
    to: "[account, email, account]",
    code: "DUPLICATE_ID",
    field: "identifiers[2]",
  },
  {
    rule: "a reserved identifier type",
    from: "[account, email, thread]",
    to: "[account, none]",
    code: "RESERVED_NAME",
    field: "identifiers[1]",
  },
  {
    rule: "a table of SQLite's own",
    from: "table: summaries",
    to: "table: sqlite_sequence",
    code: "RESERVED_NAME",
    field: "surfaces.summaries.table",
  },
  {
    rule: "a table of ours",
    from: "table: summaries",
    to: "table: Deleatur_fence",
    code: "RESERVED_NAME",
    field: "surfaces.summaries.table",
  },
  {
    rule: "a surface id with capitals",
    from: "  search:",
    to: "  Search:",
    code: "RESERVED_NAME",
    field: "surfaces.Search",
  },
  {
    rule: "an anchor beside the ledger",
    from: "  memory: {",
    to: "  anchor: { file: ./a }\n  memory: {",
    code: "ANCHOR_INSIDE",
    field: "connect.anchor",
  },
  {
    rule: "an anchor in a folder that holds a store's folder's files",
    from: "  memory: {",
    to: "  anchor: { file: ./transcripts/2026/a }\n  memory: {",
    code: "ANCHOR_INSIDE",
    field: "connect.anchor",
  },
  {
    rule: "an anchor that is no file",
    from: "  memory: {",
    to: "  anchor: { path: /elsewhere/* }\n  memory: {",
    code: "BAD_CONNECTION",
    field: "connect.anchor",
  },
  {
    rule: "a field locator in SQLite",
    from: "{ column: user_id, type: account }",
    to: "{ field: user_id, type: account }",
    code: "LOCATOR_KIND",
    field: "surfaces.episodes.subject",
  },
  {
    rule: "a column locator in JSONL",
    from: "{ field: user, type: account }",
    to: "{ column: user, type: account }",
    code: "LOCATOR_KIND",
    field: "surfaces.transcripts.subject",
  },
  {
    rule: "a JSON path in JSONL",
    from: "{ field: user, type: account }",
    to: "{ json: payload.user, type: account }",
    code: "LOCATOR_KIND",
    field: "surfaces.transcripts.subject",
  },
  {
    rule: "a join in JSONL",
    from: "{ field: user, type: account }",
    to: "{ via: t, on: a, column: b, type: account }",
    code: "LOCATOR_KIND",
    field: "surfaces.transcripts.subject",
  },
  {
    rule: "a content column in JSONL",
    from: "type: account }, content: [text] }\n  search",
    to: "type: account }, content: [{ column: text }] }\n  search",
    code: "LOCATOR_KIND",
    field: "surfaces.transcripts.content[0]",
  },
  {
    rule: "json without a path",
    from: "{ column: user_id, type: account }",
    to: "{ json: payload, type: account }",
    code: "LOCATOR_KIND",
    field: "surfaces.episodes.subject",
  },
  {
    rule: "a segment of a composite key",
    from: "key: id,\n                subject: { column: user_id, type: account }",
    to: 'key: [a, b],\n                subject: { segment: 1, of: key, sep: ":", type: account }',
    code: "LOCATOR_KIND",
    field: "surfaces.episodes.subject",
  },
  {
    rule: "sqlite-vec without its vector",
    from: " vector: embedding,",
    to: "",
    code: "VECTOR_MISSING",
    field: "surfaces.vectors.vector",
  },
  {
    rule: "a vector in a text index",
    from: "table: episodes_fts,",
    to: "table: episodes_fts, vector: embedding,",
    code: "VECTOR_KIND",
    field: "surfaces.search.vector",
  },
  {
    rule: "a vector in plain text",
    from: "kind: jsonl, role: transcript, store: transcripts, key: id, subject: { field: user, type: account }, content: [text] }",
    to: "kind: text, role: transcript, store: transcripts, vector: v }",
    code: "VECTOR_KIND",
    field: "surfaces.transcripts.vector",
  },
  {
    rule: "msgpack in lines of JSON",
    from: "type: account }, content: [text] }\n  search",
    to: "type: account }, content: { field: text, as: msgpack } }\n  search",
    code: "LOCATOR_KIND",
    field: "surfaces.transcripts.content",
  },
  {
    rule: "ATTEST-7: a whole database as an exemption",
    from: "store: memory, table: payment_log, ",
    to: "store: memory, ",
    code: "EXEMPTION_GROUND",
    field: "exempt[0].table",
  },
  {
    rule: "ATTEST-5: a horizon on what does not expire",
    from: "table: summaries,",
    to: "table: summaries, horizon: { max: PT1H, basis: hope },",
    code: "HORIZON_ROLE",
    field: "surfaces.summaries.horizon",
  },
  {
    rule: "ATTEST-5: a horizon without its basis",
    from: ', basis: "provider contract, read 2026-11"',
    to: "",
    code: "MISSING_FIELD",
    field: "surfaces.prompt-cache.horizon.basis",
  },
  {
    rule: "a provider's cache that claims to be primary",
    from: CACHE,
    to: "prompt-cache: { kind: provider-cache, role: primary }",
    code: "HORIZON_ROLE",
    field: "surfaces.prompt-cache.role",
  },
  {
    rule: "a provider's cache with something to scan",
    from: "kind: provider-cache,",
    to: "kind: provider-cache, store: memory,",
    code: "NOTHING_TO_SCAN",
    field: "surfaces.prompt-cache.store",
  },
  {
    rule: "a backup that claims to be a cache",
    from: CACHE,
    to: `${CACHE}\n  dumps: { kind: backup, role: cache }`,
    code: "HORIZON_ROLE",
    field: "surfaces.dumps.role",
  },
  {
    rule: "a backup with something to scan",
    from: CACHE,
    to: `${CACHE}\n  dumps: { kind: backup, role: backup, store: memory }`,
    code: "NOTHING_TO_SCAN",
    field: "surfaces.dumps.store",
  },
  {
    rule: "a backup of a store that is not connected",
    from: CACHE,
    to: `${CACHE}\n  dumps: { kind: backup, role: backup, of: [memory, elsewhere] }`,
    code: "UNKNOWN_STORE",
    field: "surfaces.dumps.of",
  },
  {
    rule: "a backup of one store twice",
    from: CACHE,
    to: `${CACHE}\n  dumps: { kind: backup, role: backup, of: [memory, memory] }`,
    code: "DUPLICATE_ID",
    field: "surfaces.dumps.of",
  },
  {
    rule: "a cache that is a copy of a store",
    from: "kind: provider-cache,",
    to: "kind: provider-cache, of: memory,",
    code: "FIELD_KIND",
    field: "surfaces.prompt-cache.of",
  },
  {
    rule: "ATTEST-5: a backup whose retention nobody answers for",
    from: CACHE,
    to: `${CACHE}\n  dumps: { kind: backup, role: backup, horizon: { max: P30D } }`,
    code: "MISSING_FIELD",
    field: "surfaces.dumps.horizon.basis",
  },
  {
    rule: "process memory that is rewritten",
    from: CACHE,
    to: `${CACHE}\n  scratchpad: { kind: in-process, role: cache, shared: redact }`,
    code: "FIELD_KIND",
    field: "surfaces.scratchpad.shared",
  },
  {
    rule: "process memory that is a backup",
    from: CACHE,
    to: `${CACHE}\n  scratchpad: { kind: in-process, role: backup }`,
    code: "ROLE_UNFIT",
    field: "surfaces.scratchpad.role",
  },
  {
    rule: "process memory in a store",
    from: CACHE,
    to: `${CACHE}\n  scratchpad: { kind: in-process, role: cache, store: memory }`,
    code: "FIELD_KIND",
    field: "surfaces.scratchpad.store",
  },
  {
    rule: "a trigger where there are none",
    from: "kind: jsonl,",
    to: "kind: jsonl, writers: trigger,",
    code: "WRITERS_KIND",
    field: "surfaces.transcripts.writers",
  },
  {
    rule: "ATTEST-7: an audit log that is nowhere",
    from: "store: memory, table: payment_log, ",
    to: "",
    code: "EXEMPTION_GROUND",
    field: "exempt[0].store",
  },
  {
    rule: "ATTEST-7: an exemption with an empty ground",
    from: '"append-only, ids and amounts"',
    to: '" "',
    code: "EXEMPTION_GROUND",
    field: "exempt[0].ground",
  },
  {
    rule: "ATTEST-6: an embedding kept without an argument",
    from: "kind: audit-log, store: memory, table: payment_log",
    to: "kind: non-recoverable, mechanism: dp, epsilon: 1",
    code: "EXEMPTION_GROUND",
    field: "exempt[0].reference",
  },
  {
    rule: "an exemption in an unknown store",
    from: "store: memory, table: payment_log",
    to: "store: other, table: payment_log",
    code: "UNKNOWN_STORE",
    field: "exempt[0].store",
  },
  {
    rule: "a quiet pattern outside the census",
    from: 'include: ["memory.*"], quiet: ["memory.billing_*"]',
    to: 'include: ["memory.e*"], quiet: ["memory.billing_*"]',
    code: "QUIET_OUTSIDE_INCLUDE",
    field: "census.quiet[0]",
  },
  {
    rule: "a census pattern of an unknown store",
    from: '"memory.billing_*"',
    to: '"other.billing_*"',
    code: "UNKNOWN_STORE",
    field: "census.quiet[0]",
  },
  {
    rule: "two surfaces over one table, whatever its case",
    from: "table: summaries",
    to: "table: Episodes",
    code: "CONTAINER_TWICE",
    field: "surfaces.summaries",
  },
  {
    rule: "an exemption over a declared table",
    from: "table: payment_log",
    to: "table: summaries",
    code: "CONTAINER_TWICE",
    field: "exempt[0]",
  },
  {
    rule: "one file under two names",
    from: "  transcripts: { path",
    to: "  memory2: { file: ./x/../memory.db }\n  transcripts: { path",
    code: "CONTAINER_TWICE",
    field: "surfaces.summaries",
  },
  {
    rule: "two limits for one role",
    from: `  ${CACHE}`,
    to: `  ${CACHE}\n  other: { kind: provider-cache, role: cache, horizonLimit: P7D }`,
    code: "HORIZON_LIMIT_DIFFERS",
    field: "surfaces.other.horizonLimit",
  },
  {
    rule: "a term that ends before a held write is decided",
    from: "deleatur: 1",
    to: "deleatur: 1\nguard: { expire: P29D }",
    code: "BAD_FIELD",
    field: "guard.expire",
  },
  {
    rule: "a window that is none",
    from: "table: summaries,",
    to: "table: summaries, purge: { window: nights },",
    code: "BAD_FIELD",
    field: "surfaces.summaries.purge.window",
  },
  {
    rule: "a date that is none",
    from: "table: summaries,",
    to: "table: summaries, keep: { ground: tax, until: 2026-13-40 },",
    code: "BAD_FIELD",
    field: "surfaces.summaries.keep.until",
  },
  {
    rule: "a duration without a fixed length",
    from: "max: PT1H",
    to: "max: P1M",
    code: "BAD_FIELD",
    field: "surfaces.prompt-cache.horizon.max",
  },
  {
    rule: "an unknown preset",
    from: "  search:",
    to: "  tool: { preset: mem1, store: memory }\n  search:",
    code: "UNKNOWN_PRESET",
    field: "surfaces.tool.preset",
  },
  {
    rule: "a server that nobody knows",
    from: "memory: { file: ./memory.db }",
    to: 'memory: { file: ./memory.db }\n  other: { url: "gopher://host/memory" }',
    code: "BAD_CONNECTION",
    field: "connect.other.url",
  },
  {
    rule: "a ledger that is no SQLite file",
    from: "sqlite:./deleatur.db",
    to: "postgres://localhost/ledger",
    code: "BAD_CONNECTION",
    field: "connect.ledger",
  },
];

function problemsIn(text: string): readonly BoundaryError[] {
  try {
    parseBoundary(text, { file: "deleatur.yaml", env: {} });
  } catch (error) {
    if (error instanceof BoundaryError) return boundaryProblems(error);
    throw error;
  }
  return [];
}

describe("lint", () => {
  it.each(BROKEN)("refuses $rule", ({ from, to, code, field, rule }) => {
    expect(EXAMPLE_YAML).toContain(from);
    const text = rule.startsWith("one file")
      ? EXAMPLE_YAML.replace("store: memory, table: summaries", "store: memory2, table: episodes").replace(from, to)
      : EXAMPLE_YAML.replace(from, to);
    const found = problemsIn(text).map((problem) => ({ code: problem.code, field: problem.place.field }));
    expect(found).toContainEqual({ code, field });
    for (const problem of problemsIn(text)) {
      expect(problem.place.line).toBeGreaterThan(0);
      expect(problem.cure).toBeTruthy();
      expect(problem.message).toMatch(/^deleatur\.yaml, line \d+: /);
    }
  });

  it("allows a cycle of derivations", () => {
    const text = EXAMPLE_YAML.replace(
      "subject: { column: user_id, type: account }, content: [text] }",
      "subject: { column: user_id, type: account }, content: [text], derivedFrom: { surface: summaries, column: made_from } }",
    );
    expect(problemsIn(text)).toEqual([]);
  });

  it("reports every flaw of one file at once", () => {
    const text = EXAMPLE_YAML.replace("field: user", "column: user")
      .replace(SUMMARY_POLICY, "")
      .replace("memory.billing", "x.billing");
    expect(problemsIn(text).map((problem) => problem.code)).toEqual([
      "SHARED_NOT_SET",
      "LOCATOR_KIND",
      "UNKNOWN_STORE",
    ]);
  });
});

describe("a server under connect", () => {
  it("keeps the case of table names apart, and two ways to one database together", () => {
    const [one, two] = ["one", "two"].map(
      (user) => ({ type: "postgres", name: user, url: `postgres://${user}@db.example/memory` }) as const,
    );
    if (one === undefined || two === undefined) throw new Error("no connections");
    expect(containerKey(one, "Notes")).toBe(containerKey(two, "Notes"));
    expect(containerKey(one, "Notes")).not.toBe(containerKey(one, "notes"));
  });
});

describe("PRIVACY-1: credentials under connect", () => {
  const LITERALS = [
    "postgres://agent:hunter2hunter2@db.example/memory",
    "./memory.db?password=hunter2hunter2",
    "https://db.example/?api_key=hunter2hunter2",
    "sk-hunter2hunter2hunter2",
    "hunter2hunter2hunter2hunter2hunter2",
  ];

  it.each(LITERALS.map((literal, number) => ({ literal, number })))(
    "refuses literal $number without repeating it",
    ({ literal }) => {
      const problems = problemsIn(EXAMPLE_YAML.replace("{ file: ./memory.db }", `{ file: "${literal}" }`));
      expect(problems.map((problem) => problem.code)).toContain("LITERAL_CREDENTIAL");
      for (const problem of problems) {
        expect(JSON.stringify([problem.message, problem.cure, problem.place])).not.toContain("hunter2");
      }
    },
  );

  it("refuses a password field even where the shape is wrong", () => {
    const problems = problemsIn(EXAMPLE_YAML.replace("{ file: ./memory.db }", '{ url: "x", password: "hunter2" }'));
    expect(problems.map((problem) => problem.code)).toContain("LITERAL_CREDENTIAL");
    expect(problems.map((problem) => problem.message).join()).not.toContain("hunter2");
  });

  it("accepts an environment variable in its place", () => {
    const text = EXAMPLE_YAML.replace("{ file: ./memory.db }", '{ file: "${MEMORY}" }');
    expect(() => parseBoundary(text, { file: "deleatur.yaml", env: { MEMORY: "/data/m.db" } })).not.toThrow();
  });
});
