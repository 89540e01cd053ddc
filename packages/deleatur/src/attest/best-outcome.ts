// The best that could be attested over a boundary, by the same judge, and what would improve it (`check`, `--dry-run`). Pure: touches no store.
import { compareUtf8, DEFAULT_HORIZON_LIMIT } from "@deleatur/verify";
import type { Purged } from "../model/artifact.ts";
import { type Boundary, OUT_OF_REACH_KINDS, type SurfaceDeclaration } from "../model/declaration.ts";
import type { ProbeName } from "../model/needle.ts";
import type { Foresight, Guarantees } from "../surface.ts";
import type { Evidence, Known, LineageEvidence, ProbeEvidence, SurfaceEvidence, SurfaceState } from "./evidence.ts";
import { judge } from "./judge.ts";
import type { AttestationAnswer, Reason, Verdict } from "./judgement.ts";

/** What opening, scanning and the census told; what is not told is taken at its best. */
export interface Told {
  readonly surfaces?: ReadonlyMap<string, ToldSurface>;
  /** Names of undeclared containers. */
  readonly undeclared?: readonly string[];
  /** Containers with another ledger's marker, and the surfaces in them. */
  readonly shared?: readonly { readonly container: string; readonly surfaces: readonly string[] }[];
  /** Surfaces in which something is kept; not told: every surface with `keep`. */
  readonly kept?: readonly string[];
  readonly identifiersUnknown?: readonly { readonly surface: string; readonly types: readonly string[] }[];
  readonly ledger?: Evidence["ledger"];
}

export interface ToldSurface {
  readonly isReachable?: boolean;
  /** Why it is not, with what to do, where its store said so. */
  readonly why?: string;
  readonly guarantees?: Guarantees;
  readonly rowsWithoutEdge?: number;
  readonly inferredOnly?: number;
  /** Whether the ledger was set back and may lack what the SDK alone was told of its rows. */
  readonly isLineageLost?: boolean;
  /** Some of its records outlive the time to live that is declared for them. */
  readonly isUnbounded?: boolean;
  /** Replicas that could not be opened. */
  readonly replicasMissing?: readonly string[];
  /** What its acts and its probes would meet; not told: nothing in their way. */
  readonly foresight?: ToldForesight;
  /** Whether no record is left in it that could be a control, so that a canary has to be planted. */
  readonly needsCanary?: boolean;
}

export interface ToldForesight {
  /** What the purge would answer. */
  readonly purge?: Exclude<Purged, { readonly outcome: "purged" }>;
  readonly bytesStay: boolean;
  readonly refused: Foresight["refused"];
  /** The probes that could not look, and why. */
  readonly blind: ReadonlyMap<ProbeName, string>;
}

/** One change that would take a reason away. */
export interface Improvement {
  readonly code: Reason["code"];
  readonly surface?: string;
  /** The line of the boundary file, or the command. */
  readonly change: string;
}

export interface BestOutcome {
  readonly attestation: AttestationAnswer["kind"];
  readonly verdict?: Verdict;
  /** Why it is no more than that. */
  readonly reasons: readonly Reason[];
  /** Surfaces and containers that stand in the way of an erasure, sorted by UTF-8 bytes; none where it can be an erasure. */
  readonly surfaces: readonly string[];
  readonly improvements: readonly Improvement[];
  /** How long after the request it takes effect, at most. */
  readonly effectiveAfterSeconds: number;
}

/** Judges the best evidence that could come out of this boundary. */
export function bestOutcome(boundary: Boundary, told: Told = {}): BestOutcome {
  const { attestation, verdict, reasons: judged } = judge(bestEvidence(boundary, told), { allowTombstone: true });
  // Nothing was tried here: what the judge says of a probe that got in is said of what the declaration leaves open. Nor is there a request that could be resumed.
  const reasons = judged.map((one) => ({
    ...one,
    ...(one.code === "RESURRECTABLE" ? { rule: TRIGGERS_ONLY } : {}),
    cure: changeFor(one, boundary, told),
  }));
  const inTheWay = reasons.filter((one) => one.code !== "HORIZON_OPEN");
  const effective = "effective" in attestation ? attestation.effective.getTime() / 1000 : 0;
  return {
    attestation: attestation.kind,
    ...(verdict === undefined ? {} : { verdict }),
    reasons,
    surfaces: [...new Set(inTheWay.flatMap(({ surface }) => surface ?? []))].toSorted(compareUtf8),
    improvements: inTheWay.map(({ code, surface, cure: change }) => ({
      code,
      ...(surface === undefined ? {} : { surface }),
      change,
    })),
    effectiveAfterSeconds: effective,
  };
}

const TRIGGERS_ONLY =
  "`writers: trigger` refuses a forgotten person only while a request runs, so erased words can be written again after it";

/** Only differences of time count here, so the epoch stands for "now". */
const NOW = new Date(0);

/** When the last copy out of reach of a declared surface has expired; `none` where no bound is declared, `beyond` where it is longer than its limit (ATTEST-5). */
export function declaredHorizon(declaration: SurfaceDeclaration, from: Date): SurfaceEvidence["horizon"] {
  const { horizon, horizonLimitSeconds, role } = declaration;
  if (horizon?.maxSeconds === undefined) return "none";
  const limit = horizonLimitSeconds ?? (role === "backup" ? DEFAULT_HORIZON_LIMIT.backup : DEFAULT_HORIZON_LIMIT.cache);
  if (horizon.maxSeconds > limit) return "beyond";
  return { until: new Date(from.getTime() + horizon.maxSeconds * 1000), basis: horizon.basis };
}

function bestEvidence(boundary: Boundary, told: Told): Evidence {
  const kept = told.kept ?? boundary.surfaces.filter((one) => one.keep !== undefined).map((one) => one.id);
  return {
    at: NOW,
    target: "person",
    before: { found: true, count: 1 },
    claim: "none",
    trial: "not-run",
    surfaces: boundary.surfaces.map((one) =>
      bestSurface(one, told.surfaces?.get(one.id) ?? {}, boundary.watchSeconds !== undefined),
    ),
    back: [],
    primaryHolds: boundary.surfaces
      .filter(({ id, role }) => role === "primary" && mayNotErase(told.surfaces?.get(id)))
      .map(({ id }) => ({ surface: id })),
    survivors: boundary.surfaces
      .filter(({ id }) => leavesSeenBytes(told.surfaces?.get(id)))
      .map(({ id }) => {
        const seen = { probe: "bytes", depth: "bytes", provenance: "reached", contentKeyed: false } as const;
        return { surface: id, container: id, ...seen };
      }),
    suspects: { open: 0, reviewed: 0 },
    denylist: { entries: 1, onContent: true },
    census: {
      undeclared: (told.undeclared ?? []).map((container) => ({ container, hits: 0 })),
      shared: told.shared ?? [],
    },
    intents: { unresolved: 0 },
    identifiersUnknown: told.identifiersUnknown ?? [],
    ledger: told.ledger ?? "sound",
    bystanders: { checked: 0, intact: 0, lost: 0, lostByPolicy: 0 },
    kept: kept.map((surface) => {
      const keep = boundary.surfaces.find((one) => one.id === surface)?.keep;
      return { surface, ground: keep?.ground ?? "hold", until: keep === undefined ? NOW : new Date(keep.until) };
    }),
    beyondBoundary: [],
    waiting: [],
  };
}

/** A purge that does not do all leaves what eyes that can look will find. */
function leavesSeenBytes({ foresight, guarantees }: ToldSurface = {}): boolean {
  if (foresight?.bytesStay !== true || guarantees?.deletion !== "file-level") return false;
  return !foresight.blind.has("bytes");
}

function mayNotErase(told: ToldSurface | undefined): boolean {
  return told?.foresight?.refused.some(({ act }) => act === "erase") === true;
}

function bestSurface(declaration: SurfaceDeclaration, told: ToldSurface, watched: boolean): SurfaceEvidence {
  const { id, role, writers, replicas } = declaration;
  const isScanned =
    (told.guarantees?.scan ?? (OUT_OF_REACH_KINDS.has(declaration.kind) ? "none" : "complete")) === "complete";
  const required = told.guarantees?.probes ?? [];
  const { foresight, needsCanary } = told;
  const isRefused = (act: string): boolean => foresight?.refused.some((one) => one.act === act) === true;
  const hasControl = needsCanary !== true || !isRefused("plant");
  const status = (name: ProbeName): ProbeEvidence["status"] => {
    if (name === "re-ingest") return isRefused("offer") && writers === "trigger" ? "not-run" : "ran";
    return foresight?.blind.has(name) === true || !hasControl ? "blind" : "ran";
  };
  return {
    surface: id,
    role,
    state: bestState(told, isScanned),
    scan: { complete: isScanned, snapshot: told.guarantees?.snapshot ?? "yes" },
    erase: isRefused("erase")
      ? { erased: 0, absent: 0, rewritten: 0, failed: 1 }
      : { erased: 1, absent: 0, rewritten: 0, failed: 0 },
    purge: foresight?.purge ?? { outcome: "purged" },
    required,
    probes: [...new Set([...required, "key", "bytes", "re-ingest"] as const)].map((name) => {
      const found = status(name) === "ran" ? 1 : 0;
      return { name, depth: name === "bytes" ? "bytes" : "api", status: status(name), controls: { taken: 1, found } };
    }),
    writers,
    watched,
    reingest: isRefused("offer") && writers === "trigger" ? "not-run" : bestReingest(isScanned, declaration),
    lineage: bestLineage(declaration, told),
    deletion: told.guarantees?.deletion ?? (isScanned ? "file-level" : "expiry"),
    eventual: "none",
    horizon: declaredHorizon(declaration, NOW),
    replicas: replicas.map((store) => ({ store, reached: told.replicasMissing?.includes(store) !== true })),
  };
}

/** The triggers of a store know persons and keys, not content: erased words come in again under a new key and nobody's name. */
function bestReingest(isScanned: boolean, { writers }: SurfaceDeclaration): SurfaceEvidence["reingest"] {
  if (!isScanned) return "no-path";
  return writers === "trigger" ? "accepted" : "refused";
}

function bestState(told: ToldSurface, isScanned: boolean): SurfaceState {
  if (told.isReachable === false) return { as: "uncovered", reason: "UNREACHABLE" };
  if (told.foresight?.purge?.outcome === "unsupported") return { as: "uncovered", reason: "UNSUPPORTED" };
  if (told.isUnbounded === true) return { as: "uncovered", reason: "UNBOUNDED" };
  return { as: isScanned ? "covered" : "expiring" };
}

/** A derived surface has lineage where the boundary says how to read it, or where the SDK records it. */
function bestLineage(declaration: SurfaceDeclaration, told: ToldSurface): Known<LineageEvidence | "not-derived"> {
  const isDerived =
    declaration.role === "derived" || declaration.role === "index" || declaration.derivedFrom.length > 0;
  const isLost = told.isLineageLost === true;
  if (!isDerived && !isLost) return "not-derived";
  return {
    rowsWithoutEdge: told.rowsWithoutEdge ?? 0,
    inferredOnly: told.inferredOnly ?? 0,
    complete: !isLost && (declaration.derivedFrom.length > 0 || declaration.writers === "sdk"),
  };
}

/** Changes that name the line of the boundary; every other reason's cure is a command already. */
const CHANGES: Readonly<
  Partial<Record<Reason["code"], (declaration: SurfaceDeclaration, told?: ToldSurface) => string | undefined>>
> = {
  GUARD_NOT_SHOWN: ({ id }) => `let all writes to ${id} go through the SDK, and declare \`writers: sdk\``,
  RESURRECTABLE: ({ id }) => `let all writes to ${id} go through the SDK, and declare \`writers: sdk\``,
  UNBOUNDED: ({ id, horizon }) =>
    horizon?.isReadBack === true
      ? `have the store set the declared time to live on every record of ${id}`
      : `give ${id} a \`horizon: { max: …, basis: … }\` within its horizonLimit`,
  LINEAGE_MISSING: ({ id }, told) =>
    told?.isLineageLost === true
      ? `record the rows of ${id} anew through the SDK: the ledger was set back, and what it was told of them may be lost`
      : `give ${id} a \`derivedFrom\`, then run \`deleatur scan\``,
  UNSUPPORTED: ({ id }, told) => purgeCure(id, told),
  PURGE_PENDING: ({ id }, told) => purgeCure(id, told),
  SURVIVOR_FOUND: ({ id }, told) => refusalCure(id, told) ?? purgeCure(id, told),
  PRIMARY_STILL_HOLDS: ({ id }, told) => refusalCure(id, told),
  PRIMARY_BLIND: ({ id }, told) => blindCure(id, told),
  BLIND_PROBE: ({ id }, told) => blindCure(id, told),
  UNREACHABLE: ({ id, kind }, { why } = {}) => {
    if (kind === "in-process") return `call \`participate\` for ${id} in every process that holds it`;
    return why === undefined
      ? `mend the connection of ${id} under \`connect\`, replicas included`
      : `let ${id} be opened: ${why}`;
  },
};

/** What the store said of itself, which names the cure. */
function purgeCure(id: string, told: ToldSurface | undefined): string | undefined {
  const purge = told?.foresight?.purge;
  return purge === undefined ? undefined : `the purge of ${id} would be ${purge.outcome}: ${purge.why}`;
}

function refusalCure(id: string, told: ToldSurface | undefined): string | undefined {
  const refused = told?.foresight?.refused.find(({ act }) => act === "erase");
  return refused === undefined ? undefined : `grant the right to erase in ${id}: ${refused.why}`;
}

function blindCure(id: string, told: ToldSurface | undefined): string | undefined {
  const blind = [...(told?.foresight?.blind ?? [])].map(([name, why]) => `${name} (${why})`);
  return blind.length === 0 ? undefined : `let the probes of ${id} see: ${blind.join(", ")}`;
}

function changeFor({ code, surface, cure }: Reason, boundary: Boundary, told: Told): string {
  const declaration = boundary.surfaces.find((one) => one.id === surface);
  return (declaration && CHANGES[code]?.(declaration, told.surfaces?.get(declaration.id))) ?? cure;
}
