// The rows of the verdict table about the closure (domain, lineage, provable deletion) and about what was not seen. Pure: no clock, no I/O.
import { compareUtf8 } from "@deleatur/verify";
import type { Evidence, SurfaceEvidence, UndeclaredContainer } from "./evidence.ts";
import { blindProbes, isReached, listed, withhold } from "./judge-row.ts";
import type { Row, RowHit } from "./judge-row.ts";
import type { Reason } from "./judgement.ts";
import { reason } from "./reasons.ts";

/** A commitment over more than the boundary (the paragraph below the table): the domain comes before lineage. */
function judgeBeyondBoundary(evidence: Evidence): RowHit | undefined {
  const reasons = evidence.beyondBoundary.map((surface) =>
    reason("DOMAIN_NOT_EQUAL", "the commitment's domain goes beyond the boundary", { surface }),
  );
  const error = { class: "DerivationClosureError", code: "DOMAIN_NOT_EQUAL", surfaces: surfacesOf(reasons) } as const;
  return withhold("UNCONFIRMED", 21, reasons, { error });
}

/** The closure is not known: rows without lineage, an open intent, an identifier nobody gave (LINEAGE-3, LINEAGE-7). */
function judgeClosureUnknown(evidence: Evidence): RowHit | undefined {
  const reasons: readonly ClosureReason[] = [
    ...evidence.surfaces.flatMap(lineageReasons),
    ...intentReasons(evidence),
    ...(evidence.identifiersUnknown === "unknown"
      ? [reason("IDENTIFIER_UNKNOWN", "the identifier types in use were not counted")]
      : evidence.identifiersUnknown.map(({ surface, types }) =>
          reason("IDENTIFIER_UNKNOWN", `identifier types in use that nobody gave: ${types.join(", ")}`, { surface }),
        )),
  ];
  const [first] = reasons;
  if (first === undefined) return undefined;
  const error = { class: "DerivationClosureError", code: first.code, surfaces: surfacesOf(reasons) } as const;
  return withhold("UNCONFIRMED", 21, reasons, { error });
}

type ClosureReason = Reason & { readonly code: "LINEAGE_MISSING" | "INTENT_UNRESOLVED" | "IDENTIFIER_UNKNOWN" };

function lineageReasons(one: SurfaceEvidence): readonly ClosureReason[] {
  const { surface, lineage } = one;
  if (lineage === "not-derived") return [];
  if (lineage === "unknown")
    return isReached(one) ? [reason("LINEAGE_MISSING", "the lineage of this surface is not known", { surface })] : [];
  const { rowsWithoutEdge, inferredOnly, complete } = lineage;
  if (rowsWithoutEdge > 0)
    return [
      reason("LINEAGE_MISSING", "derived rows without lineage, or with a source that nobody knows", {
        surface,
        count: rowsWithoutEdge,
      }),
    ];
  if (inferredOnly > 0)
    return [reason("LINEAGE_MISSING", "derived rows with inferred edges only", { surface, count: inferredOnly })];
  return complete ? [] : [reason("LINEAGE_MISSING", "the lineage of this surface is incomplete", { surface })];
}

/** A soft delete whose rebuild was not forced, or a deletion that cannot be proven at all (ATTEST-4). */
function judgeEventualDeletion(evidence: Evidence): RowHit | undefined {
  const soft = evidence.surfaces.filter(isDeletedLater);
  const reasons = soft.map(({ surface, eventual }) => {
    const window = typeof eventual === "object" ? `, for up to ${eventual.windowSeconds} seconds` : "";
    return reason("EVENTUAL_DELETION", `deleted softly, rebuild not forced${window}`, { surface });
  });
  const windows = soft.flatMap(({ eventual }) => (typeof eventual === "object" ? [eventual.windowSeconds] : []));
  const window = windows.length === 0 ? {} : { windowSeconds: Math.max(...windows) };
  const error = {
    class: "DerivationClosureError",
    code: "EVENTUAL_DELETION",
    surfaces: surfacesOf(reasons),
    ...window,
  } as const;
  return withhold("UNCONFIRMED", 21, reasons, { error });
}

function isDeletedLater(one: SurfaceEvidence): boolean {
  const { eventual, deletion } = one;
  if (typeof eventual === "object") return true;
  if (!isReached(one)) return false;
  return eventual === "unknown" || deletion === "unknown" || deletion === "logical" || deletion === "expiry";
}

/** What was not seen: undeclared containers, open suspects, a blind primary, a ledger that went back, and evidence nobody gathered. */
function judgeNotSeen(evidence: Evidence): RowHit | undefined {
  const reasons = [
    ...undeclaredReasons(evidence),
    ...suspectReasons(evidence),
    ...primaryReasons(evidence),
    ...(evidence.ledger === "rolled-back"
      ? [reason("ROLLED_BACK", "the ledger was set back: it was shorter than its anchor, or no prefix of it")]
      : []),
    ...(evidence.ledger === "anchor-lost"
      ? [reason("ANCHOR_LOST", "the declared anchor cannot be compared with: missing, damaged or another's")]
      : []),
    ...(evidence.ledger === "unknown" ? [reason("ROLLED_BACK", "the ledger was not compared with its anchor")] : []),
    ...(evidence.survivors === "unknown" ? [reason("BLIND_PROBE", "the probes' findings were not gathered")] : []),
    ...(evidence.bystanders === "unknown" ? [reason("BLIND_PROBE", "bystanders were not counted")] : []),
  ];
  return withhold("UNCONFIRMED", 21, reasons);
}

function undeclaredReasons(evidence: Evidence): readonly Reason[] {
  const declared = new Set(evidence.surfaces.map((one) => one.surface));
  const strays = listed(evidence.survivors).filter((one) => one.surface === undefined || !declared.has(one.surface));
  const hits = new Map<string, number>();
  for (const stray of strays) hits.set(stray.container, (hits.get(stray.container) ?? 0) + 1);
  if (evidence.census === "unknown") return [reason("UNDECLARED_CONTAINER", "the census was not taken")];
  const known = new Map<string, UndeclaredContainer>();
  for (const one of evidence.census.undeclared) {
    hits.set(one.container, Math.max(one.hits, hits.get(one.container) ?? 0));
    known.set(one.container, one);
  }
  return [...hits].map(([surface, count]) => {
    const { isUnread, signedAs } = known.get(surface) ?? {};
    const rule =
      isUnread === true
        ? "a container that no surface declares could not be looked into: no ground exempts what nobody can see"
        : "a container that no surface declares and no ground exempts";
    return reason("UNDECLARED_CONTAINER", rule, { surface, count, ...(signedAs === undefined ? {} : { signedAs }) });
  });
}

function suspectReasons({ suspects }: Evidence): readonly Reason[] {
  if (suspects === "unknown") return [reason("SUSPECT_OPEN", "suspects were not counted")];
  return suspects.open > 0 ? [reason("SUSPECT_OPEN", "suspects that nobody reviewed", { count: suspects.open })] : [];
}

function primaryReasons(evidence: Evidence): readonly Reason[] {
  const whole = [
    ...(evidence.surfaces.length === 0 ? ["no surface of the boundary was looked at"] : []),
    ...(evidence.before === "unknown" ? ["whether the target was there before the erase is not known"] : []),
    ...(evidence.primaryHolds === "unknown" ? ["whether a primary surface still holds the target is not known"] : []),
    ...(evidence.back === "unknown" ? ["whether anything erased earlier is back is not known"] : []),
  ].map((rule) => reason("PRIMARY_BLIND", rule));
  const blind = evidence.surfaces
    .filter((one) => one.role === "primary")
    .flatMap((one) => notSeenIn(evidence, one).map((rule) => reason("PRIMARY_BLIND", rule, { surface: one.surface })));
  return [...whole, ...blind];
}

/** Why a surface that should have been looked at was not, in words. */
export function notSeenIn(evidence: Evidence, surface: SurfaceEvidence): readonly string[] {
  const probes = blindProbes(surface);
  const { scan, erase, state } = surface;
  return [
    ...(probes.length > 0 ? [`required probes not run, blind, or with silent controls: ${probes.join(", ")}`] : []),
    ...(state === "unknown" ? ["its state is not known"] : []),
    ...(state !== "unknown" && state.as === "uncovered" && state.reason === "BLIND"
      ? ["it was reached but not seen"]
      : []),
    ...(scan === "unknown" || !scan.complete ? ["it could not be enumerated"] : []),
    ...(erase === "unknown" && evidence.claim === "none" ? ["what the erase did there is not known"] : []),
  ];
}

function intentReasons({ intents }: Evidence): readonly ClosureReason[] {
  if (intents === "unknown") return [reason("INTENT_UNRESOLVED", "open intents were not counted")];
  const count = intents.unresolved;
  return count > 0 ? [reason("INTENT_UNRESOLVED", "writes whose end is not known", { count })] : [];
}

function surfacesOf(reasons: readonly Reason[]): readonly string[] {
  const surfaces = new Set(reasons.flatMap((one) => (one.surface === undefined ? [] : [one.surface])));
  return [...surfaces].toSorted(compareUtf8);
}

/** In the table's order. */
export const CLOSURE_ROWS: readonly Row[] = [
  { name: "domain-beyond-boundary", judge: judgeBeyondBoundary },
  { name: "closure-unknown", judge: judgeClosureUnknown },
  { name: "eventual-deletion", judge: judgeEventualDeletion },
  { name: "not-seen", judge: judgeNotSeen },
];
