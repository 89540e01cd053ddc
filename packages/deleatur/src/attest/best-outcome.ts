// The best that could be attested over a boundary, by the same judge, and what would improve it (`check`, `--dry-run`). Pure: touches no store.
import { compareUtf8, DEFAULT_HORIZON_LIMIT } from "@deleatur/verify";
import { type Boundary, OUT_OF_REACH_KINDS, type SurfaceDeclaration } from "../model/declaration.ts";
import type { Guarantees } from "../surface.ts";
import type { Evidence, Known, LineageEvidence, SurfaceEvidence, SurfaceState } from "./evidence.ts";
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
  readonly guarantees?: Guarantees;
  readonly rowsWithoutEdge?: number;
  readonly inferredOnly?: number;
  /** Whether the ledger was set back and may lack what the SDK alone was told of its rows. */
  readonly isLineageLost?: boolean;
  /** Some of its records outlive the time to live that is declared for them. */
  readonly isUnbounded?: boolean;
  /** Replicas that could not be opened. */
  readonly replicasMissing?: readonly string[];
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
  // Nothing was tried here: what the judge says of a probe that got in is said of what the declaration leaves open.
  const reasons = judged.map((one) => (one.code === "RESURRECTABLE" ? { ...one, rule: TRIGGERS_ONLY } : one));
  const inTheWay = reasons.filter((one) => one.code !== "HORIZON_OPEN");
  const effective = "effective" in attestation ? attestation.effective.getTime() / 1000 : 0;
  return {
    attestation: attestation.kind,
    ...(verdict === undefined ? {} : { verdict }),
    reasons,
    surfaces: [...new Set(inTheWay.flatMap(({ surface }) => surface ?? []))].toSorted(compareUtf8),
    improvements: inTheWay.map((one) => improve(one, boundary, told)),
    effectiveAfterSeconds: effective,
  };
}

const TRIGGERS_ONLY =
  "`writers: trigger` refuses a forgotten person only while a request runs, so erased words can be written again after it";

/** Only differences of time count here, so the epoch stands for "now". */
const NOW = new Date(0);

/** When the last copy out of reach of a declared surface has expired; `none` where no bound is declared, or one beyond its limit (ATTEST-5). */
export function declaredHorizon(declaration: SurfaceDeclaration, from: Date): SurfaceEvidence["horizon"] {
  const { horizon, horizonLimitSeconds, role } = declaration;
  if (horizon?.maxSeconds === undefined) return "none";
  const limit = horizonLimitSeconds ?? (role === "backup" ? DEFAULT_HORIZON_LIMIT.backup : DEFAULT_HORIZON_LIMIT.cache);
  if (horizon.maxSeconds > limit) return "none";
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
    primaryHolds: [],
    survivors: [],
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

function bestSurface(declaration: SurfaceDeclaration, told: ToldSurface, watched: boolean): SurfaceEvidence {
  const { id, role, writers, replicas } = declaration;
  const isScanned =
    (told.guarantees?.scan ?? (OUT_OF_REACH_KINDS.has(declaration.kind) ? "none" : "complete")) === "complete";
  const required = told.guarantees?.probes ?? [];
  const controls = { taken: 1, found: 1 };
  return {
    surface: id,
    role,
    state: bestState(told, isScanned),
    scan: { complete: isScanned, snapshot: told.guarantees?.snapshot ?? "yes" },
    erase: { erased: 1, absent: 0, rewritten: 0, failed: 0 },
    purge: { outcome: "purged" },
    required,
    probes: [...new Set([...required, "key", "bytes", "re-ingest"] as const)].map((name) => {
      return { name, depth: name === "bytes" ? "bytes" : "api", status: "ran", controls };
    }),
    writers,
    watched,
    reingest: bestReingest(isScanned, declaration),
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
  Partial<Record<Reason["code"], (declaration: SurfaceDeclaration, told?: ToldSurface) => string>>
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
  UNREACHABLE: ({ id, kind }) =>
    kind === "in-process"
      ? `call \`participate\` for ${id} in every process that holds it`
      : `mend the connection of ${id} under \`connect\`, replicas included`,
};

function improve({ code, surface, cure }: Reason, boundary: Boundary, told: Told): Improvement {
  const declaration = boundary.surfaces.find((one) => one.id === surface);
  const change =
    declaration === undefined ? undefined : CHANGES[code]?.(declaration, told.surfaces?.get(declaration.id));
  return { code, ...(surface === undefined ? {} : { surface }), change: change ?? cure };
}
