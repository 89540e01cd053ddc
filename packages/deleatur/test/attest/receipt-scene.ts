// One small memory after an erase, for tests: two persons, five surfaces, an epoch over what is left, and everything a statement is made of.
import { randomBytes } from "node:crypto";
import {
  boundaryDigest,
  canonicalJson,
  compareUtf8,
  type ProbeRun,
  type PublicForm,
  type PublicSurface,
  type SurfaceRole,
  toHex,
  whoDigest,
} from "@deleatur/verify";
import type { AttestationInput, EpochEvidence, SurfaceFacts } from "../../src/attest/attestation-input.ts";
import { createEpochCommitments, type EpochRoots } from "../../src/attest/epoch-commitments.ts";
import type { Judgement } from "../../src/attest/judgement.ts";
import { epochRootsEntry, findLogTrail } from "../../src/attest/log-trail.ts";
import { type BuiltManifest, buildManifest, type ClosureArtifact } from "../../src/attest/manifest.ts";
import { proveExclusions, settleQueries, type SettledQueries } from "../../src/attest/prove-exclusions.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Artifact, ContentField } from "../../src/model/artifact.ts";
import { type RequestId, surfaceId, type SurfaceId } from "../../src/model/ids.ts";
import { utcTime } from "../../src/model/utc-time.ts";
import { newRequestId, refOf } from "../ledger/temporary-ledger.ts";

export const PERSON = { type: "account", value: "zz-account-4471" };
export const OTHER = { type: "account", value: "zz-account-8080" };
export const SECRETS: readonly string[] = [
  PERSON.value,
  OTHER.value,
  "zz-episode-1",
  "zz-summary-1",
  "zz-vector-1",
  "the parcel with the green ribbon",
  "both of them like green ribbons",
  "boilerplate that anybody writes",
];

export const text = (value: string): ContentField => ({ type: "text", name: "text", text: value });
const vector = (...values: readonly number[]): ContentField => ({
  type: "vector",
  name: "embedding",
  vector: Float32Array.from(values),
});

const ROLES: readonly (readonly [string, SurfaceRole, PublicSurface["kind"]])[] = [
  ["episodes", "primary", "sqlite"],
  ["prompt-cache", "cache", "provider-cache"],
  ["summaries", "derived", "sqlite"],
  ["transcripts", "transcript", "jsonl"],
  ["vectors", "index", "sqlite-vec"],
];

export const FORM: PublicForm = {
  deleatur: 1,
  id: "support-agent/test",
  identifiers: ["account", "email"],
  surfaces: ROLES.map(([id, role, kind]) => ({
    id,
    kind,
    role,
    label: `label of ${id}`,
    container: null,
    locators: null,
    derivedFrom: null,
    policies: null,
    writers: role === "cache" ? "foreign" : "sdk",
    horizon: role === "cache" ? { maxSeconds: 3_600, basis: "provider contract" } : null,
    replicas: [],
  })),
  exemptions: [{ name: "payments", kind: "audit-log", ground: "append-only, ids and amounts" }],
  census: { include: ["memory.*"], quiet: [] },
  keep: [],
  horizonLimit: { cache: 2_592_000, backup: 7_776_000 },
};

/** The closure before the erase: an episode, its vector, and a summary shared with the other person that was rewritten. */
export const CLOSURE: readonly ClosureArtifact[] = [
  { ref: refOf("vectors", "zz-vector-1"), fate: "erased", content: [vector(0.5, 1)] },
  { ref: refOf("episodes", "zz-episode-1"), fate: "erased", content: [text("the parcel with the green ribbon"), text("boilerplate that anybody writes")] }, // prettier-ignore
  { ref: refOf("summaries", "zz-summary-1"), fate: "rewritten", content: [text("both of them like green ribbons")] },
];

type Left = Omit<Artifact, "expires">;

/** What is left after an honest erase: the other person's records. */
export const LEFT: readonly Left[] = [
  { ...refOf("episodes", "e2"), subjects: [OTHER], sources: [], content: [text("boilerplate that anybody writes")] },
  { ...refOf("vectors", "v2"), subjects: [], sources: [refOf("episodes", "e2")], content: [vector(3, 4)] },
  { ...refOf("summaries", "zz-summary-1"), subjects: [], sources: [refOf("episodes", "e2")], content: [text("a new summary")] }, // prettier-ignore
];

export interface SceneOptions {
  readonly left?: readonly Left[];
  /** Uncovered because nobody could reach it. */
  readonly unreachable?: readonly string[];
  readonly target?: "person" | "records";
  readonly closure?: readonly ClosureArtifact[];
}

export interface Scene {
  readonly roots: EpochRoots;
  readonly built: BuiltManifest;
  readonly settled: SettledQueries;
}

const HORIZON = new Date("2026-11-02T09:14:00Z");

/** One epoch over what is left, and the settled queries. Content that the other person also has is shared; a key that a row of theirs took is reused. */
export function scanScene(epoch: number, key: Uint8Array, options: SceneOptions = {}): Scene {
  const { left = LEFT, unreachable = [], target = "person", closure = CLOSURE } = options;
  const surfaces = ROLES.map(([id, role]) => ({
    id: surfaceId(id),
    role,
    keys: id === "vectors" ? ("reusable" as const) : ("unique" as const),
  }));
  const commitments = createEpochCommitments({ boundaryId: FORM.id, epoch, key, surfaces });
  for (const artifact of left) commitments.addArtifact(artifact.surface, artifact);
  for (const { id, role } of surfaces) {
    if (unreachable.includes(id)) commitments.setUncovered(id, "UNREACHABLE");
    else if (role === "cache") commitments.setExpiring(id, { until: HORIZON, basis: "provider contract" });
    else commitments.setCovered(id);
  }
  const roots = commitments.finish();
  const identifiers = target === "person" ? [PERSON] : [];
  const built = buildManifest(commitments.names, roots.surfaces, closure, identifiers, target);
  const settled = settleQueries(built, roots, {
    isShared: (content, surface) => left.some((each) => each.surface === surface && each.subjects[0] === OTHER && each.content.some((own) => canonicalJson(describe(own)) === canonicalJson(describe(content)))), // prettier-ignore
    isReused: (position) => {
      const { ref } = closure[position] ?? { ref: undefined };
      return left.some(({ surface, key: taken }) => surface === ref?.surface && taken === ref.key);
    },
  });
  return { roots, built, settled };
}

function describe(field: ContentField): string {
  return field.type === "text" ? field.text : field.type;
}

export interface LoggedScene extends Scene {
  readonly request: RequestId;
  readonly personCode: Uint8Array;
  readonly input: AttestationInput;
  readonly exclusion: () => {
    readonly manifest: BuiltManifest["manifest"];
    readonly proofs: ReturnType<typeof proveExclusions>;
    readonly epochKeys: EpochRoots["epochKeys"];
  };
}

/** The same through a real ledger, from the boundary's version to the epoch's roots. Call it inside `ledger.transaction` or not. */
export function logScene(
  ledger: Ledger,
  setClock: (at: string) => void,
  judgement: Judgement,
  options: SceneOptions = {},
): LoggedScene {
  const { target = "person" } = options;
  const request = newRequestId();
  const personCode = new Uint8Array(randomBytes(32));
  const digest = toHex(boundaryDigest(FORM));
  const who = target === "person" ? [{ type: "account", digest: toHex(whoDigest(personCode, PERSON.type, PERSON.value)) }] : []; // prettier-ignore
  setClock("2026-11-02T08:10:00Z");
  if (ledger.recordBoundary(digest, canonicalJson(FORM))) {
    ledger.append({
      type: "boundary-version",
      at: "2026-11-02T08:10:00Z",
      boundary: FORM.id,
      version: latestVersion(ledger),
      digest,
      surfaces: ROLES.map(([id, role]) => ({ id, role })),
    });
  }
  const version = latestVersion(ledger);
  const boundary = { id: FORM.id, version, digest };
  ledger.append({ type: "request-opened", at: "2026-11-02T08:10:01Z", request, target, who, boundary });
  ledger.append({ type: "step-started", at: "2026-11-02T08:11:00Z", request, step: "purge" });
  ledger.append({ type: "purge-finished", at: "2026-11-02T08:12:00Z", request });
  const logSizeAtScan = ledger.logSize();
  const { epoch, key } = ledger.newEpoch();
  const scene = scanScene(epoch, key, options);
  ledger.append(epochRootsEntry(scene.roots, boundary, "2026-11-02T08:14:00Z", logSizeAtScan));
  const issued = new Date("2026-11-02T08:15:00.700Z");
  setClock(utcTime(issued));
  return {
    ...scene,
    request,
    personCode,
    input: {
      request: { id: request, target, who, received: "2026-11-01T00:00:00Z", due: "2026-12-01T00:00:00Z" },
      issued,
      boundary: { version, publicForm: FORM },
      judgement,
      roots: scene.roots,
      evidence: evidenceOf(scene),
      states: [],
      log: findLogTrail(ledger, { request, boundaryVersion: version, epoch }),
      hasAnchor: false,
    },
    exclusion: () => ({
      manifest: scene.built.manifest,
      proofs: proveExclusions(scene.built, scene.roots, scene.settled.dropped),
      epochKeys: scene.roots.epochKeys,
    }),
  };
}

function latestVersion(ledger: Ledger): number {
  return ledger.boundaryVersions().at(-1)?.version ?? 1;
}

function evidenceOf({ built, settled, roots }: Scene): EpochEvidence {
  const facts = ROLES.map(([id, role, kind]): SurfaceFacts => ({
    id,
    adapter: { kind, version: "0.1.0" },
    snapshot: kind === "jsonl" ? "none" : "yes",
    lineageFrom: "both",
    fence: role === "cache" ? "none" : "strong",
    deletion: role === "cache" ? "expiry" : "file-level",
    outOfReach: kind === "sqlite" ? ["copies that an operator took by hand"] : [],
  }));
  const covered = roots.surfaces.filter(({ alg }) => alg === 1).map(({ id }) => id);
  return {
    surfaces: facts,
    manifest: built.manifest,
    dropped: settled.dropped,
    lineage: { recorded: 2, declared: 1, inferred: 0 },
    denylist: { count: 6, scope: covered.toSorted((a, b) => compareUtf8(b, a)) },
    probes: covered.flatMap(probeRuns),
    intents: { unresolved: 0 },
    bystanders: { checked: 3, intact: 3, lost: 0 },
  };
}

function probeRuns(surface: SurfaceId): readonly ProbeRun[] {
  const run = (name: ProbeRun["name"], depth: ProbeRun["depth"], floor: number | null = null): ProbeRun => ({
    surface,
    name,
    depth,
    outcome: "ran",
    why: null,
    controls: { taken: 4, found: 4, floor },
    survivors: 0,
    suspects: { open: 0, reviewed: 0 },
  });
  const none = (name: ProbeRun["name"], why: string): ProbeRun => ({
    ...run(name, "api"),
    outcome: "not-applicable",
    why,
    controls: { taken: 0, found: 0, floor: null },
  });
  const text = surface === "vectors" ? [none("exact", "NO_TEXT"), none("excerpt", "NO_TEXT")] : [run("exact", "api"), run("excerpt", "api", 4)]; // prettier-ignore
  const vectors = surface === "vectors" ? run("neighbour", "index", 3) : none("neighbour", "NO_VECTORS");
  return [run("re-ingest", "api"), run("key", "api"), run("bytes", "bytes"), vectors, ...text];
}

export function judged(attestation: Judgement["attestation"], more: Partial<Judgement> = {}): Judgement {
  return { row: "test", reasons: [], violations: [], exitCode: 0, attestation, ...more };
}

export const ERASURE: Judgement = judged({ kind: "erasure", effective: HORIZON });
