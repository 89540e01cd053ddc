// Receipts of all three kinds, filled in by hand for the letter's tests: shapes are real, signatures and proofs are not (a letter verifies nothing).
import {
  type AttestedSurface,
  ERASURE_PREDICATE,
  type EpochPredicate,
  type PublicForm,
  type Receipt,
  STATEMENT_TYPE,
  type Statement,
  toBase64,
  TOMBSTONE_PREDICATE,
  type UncoveredReason,
  utf8,
  WITHHELD_PREDICATE,
} from "@deleatur/verify";

const ZERO = "0".repeat(64);
const REQUEST = "8f14e45fceea167a5a36dedd4bea2543";

export interface SampleOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly ground?: string;
  readonly effective?: string;
  readonly keep?: PublicForm["keep"];
  readonly reason?: UncoveredReason;
  /** Replaces the predicate type that belongs to the predicate, as a forger would. */
  readonly predicateType?: string;
}

function publicForm(options: SampleOptions): PublicForm {
  const label = (id: string, text: string): string => options.labels?.[id] ?? text;
  const surface = (id: string, role: PublicForm["surfaces"][number]["role"], text: string) => ({
    id,
    kind: "sqlite",
    role,
    label: label(id, text),
    container: null,
    locators: null,
    derivedFrom: null,
    policies: null,
    writers: "sdk" as const,
    horizon: null,
    replicas: null,
  });
  return {
    deleatur: 1,
    id: "household/prod",
    identifiers: ["account"],
    surfaces: [
      surface("episodes", "primary", "conversation memory"),
      surface("prompt-cache", "cache", "prompt cache of the model provider"),
      surface("summaries", "derived", "shared summaries"),
    ],
    exemptions: [{ name: "payments-log", kind: "audit-log", ground: options.ground ?? "append-only, ids and amounts" }],
    census: { include: ["memory.*"], quiet: [] },
    keep: options.keep ?? [],
    horizonLimit: { cache: 2_592_000, backup: 7_776_000 },
  };
}

function attestedSurface(id: string, alg: 1 | 2 | 3): AttestedSurface {
  return {
    id,
    alg,
    role: id === "prompt-cache" ? "cache" : "primary",
    adapter: { kind: "sqlite", version: "0.1.0" },
    scan: alg === 1 ? "full" : "none",
    snapshot: "yes",
    lineageFrom: alg === 1 ? "both" : null,
    fence: "strong",
    keyCommit: ZERO,
    commitment: ZERO,
    roots: alg === 1 ? { membership: ZERO, lineage: ZERO } : null,
    horizon: alg === 2 ? { until: Date.UTC(2026, 10, 30, 15) / 1000, basis: "contract" } : null,
    uncovered: alg === 3 ? { reason: "UNREACHABLE" } : null,
    deletion: alg === 1 ? "file-level" : alg === 2 ? "expiry" : null,
    keys: "unique",
    outOfReach: [],
  };
}

function epochPredicate(options: SampleOptions, summaries: 1 | 3): EpochPredicate {
  return {
    version: 1,
    request: REQUEST,
    who: [{ type: "account", digest: ZERO }],
    target: "person",
    issued: "2026-11-30T14:00:00Z",
    effective: options.effective ?? "2026-11-30T14:00:00Z",
    received: "2026-11-02T09:00:00Z",
    due: "2026-12-02T00:00:00Z",
    approvals: [],
    epoch: 1,
    boundary: { id: "household/prod", version: 1, digest: ZERO, publicForm: publicForm(options) },
    surfaces: [
      attestedSurface("episodes", 1),
      attestedSurface("prompt-cache", 2),
      attestedSurface("summaries", summaries),
    ],
    closure: { count: 3, manifestDigest: ZERO, lineage: { recorded: 1, declared: 1, inferred: 0 }, dropped: [] },
    denylist: { count: 5, scope: ["episodes"] },
    probes: [],
    intents: { unresolved: 0 },
    bystanders: { checked: 4, intact: 4, lost: 0 },
    residualRisks:
      summaries === 1
        ? []
        : [
            {
              surface: "summaries",
              code: options.reason ?? "UNREACHABLE",
              text: "t",
              deadline: "2026-12-31T00:00:00Z",
              cure: "c",
            },
          ],
    exemptions: [],
    quiet: [],
    log: { origin: "o", indices: { request: 1, purgeFinished: 2, epochRoots: 3 } },
    statement: "Everything has been erased.",
    limits: [],
  };
}

function sealed(statement: unknown, receipt: Partial<Receipt> = {}): Receipt {
  return {
    mediaType: "application/vnd.deleatur.receipt+json",
    version: 1,
    envelope: {
      payloadType: "application/vnd.in-toto+json",
      payload: toBase64(utf8(JSON.stringify(statement))),
      signatures: [],
    },
    proofs: [],
    manifest: null,
    epochKeys: null,
    log: { checkpoint: "", entries: [] },
    cosignatures: [],
    timestamp: null,
    ...receipt,
  };
}

const artifact = (surface: string, fate: "erased" | "rewritten", digit: string) => ({
  surface,
  fate,
  name01: digit.repeat(64),
  name01Digest: null,
  name02: [],
  name03: digit.repeat(64),
});
const MANIFEST = {
  artifacts: [
    artifact("episodes", "erased", "1"),
    artifact("episodes", "erased", "2"),
    artifact("summaries", "rewritten", "3"),
  ],
  identifiers: [],
};
const subject: Statement["subject"] = [{ name: "household/prod", digest: { sha256: ZERO } }];

export function sampleErasure(options: SampleOptions = {}): Receipt {
  const predicate = epochPredicate(options, 1);
  const predicateType = options.predicateType ?? ERASURE_PREDICATE;
  return sealed({ _type: STATEMENT_TYPE, subject, predicateType, predicate }, { manifest: MANIFEST });
}

export function sampleTombstone(options: SampleOptions = {}): Receipt {
  const predicate = epochPredicate(options, 3);
  const predicateType = options.predicateType ?? TOMBSTONE_PREDICATE;
  return sealed({ _type: STATEMENT_TYPE, subject, predicateType, predicate }, { manifest: MANIFEST });
}

export function sampleWithheld(options: SampleOptions = {}): Receipt {
  const state = { erased: 0, absent: 0, rewritten: 0, pending: 0, unsupported: 0, failed: 0, blind: 0 };
  const predicate = {
    version: 1,
    request: REQUEST,
    who: [],
    target: "person",
    issued: "2026-11-30T14:00:00Z",
    epoch: null,
    boundary: { id: "household/prod", version: 1, digest: ZERO, publicForm: publicForm(options) },
    code: "SURVIVOR_FOUND",
    reasons: [
      { code: "SURVIVOR_FOUND", surface: "summaries", text: "t" },
      { code: "SURVIVOR_FOUND", surface: "summaries", text: "t" },
      { code: "LINEAGE_MISSING", surface: null, text: "t" },
    ],
    cures: ["c"],
    surfaces: [
      { id: "episodes", ...state, erased: 2 },
      { id: "summaries", ...state, failed: 1 },
    ],
    statement: "Everything has been erased.",
    limits: [],
  };
  const predicateType = options.predicateType ?? WITHHELD_PREDICATE;
  return sealed({ _type: STATEMENT_TYPE, subject, predicateType, predicate });
}
