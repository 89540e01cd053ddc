// The last rows of the verdict table: surfaces that stay uncovered, open horizons, all clean. Pure: no clock, no I/O.
import type { UncoveredReason } from "@deleatur/verify";
import type { Evidence, SurfaceEvidence } from "./evidence.ts";
import { notSeenIn } from "./judge-closure.ts";
import { isReached, listed } from "./judge-row.ts";
import type { NamedHit, Row, RowHit } from "./judge-row.ts";
import type { Reason } from "./judgement.ts";
import { reason } from "./reasons.ts";

/** Another surface that was reached, and not seen (VERDICT-4). */
function judgeBlindProbe(evidence: Evidence): RowHit | undefined {
  const reasons = evidence.surfaces
    .filter((one) => one.role !== "primary" && isReached(one))
    .flatMap((one) => notSeenIn(evidence, one).map((rule) => reason("BLIND_PROBE", rule, { surface: one.surface })));
  return reasons.length === 0
    ? undefined
    : { verdict: "UNCONFIRMED", reasons, attestation: { kind: "tombstone" }, exitCode: 21 };
}

/** Surfaces out of reach, without bound or only watched; what a ground keeps; containers that another ledger claims. */
function judgeUncovered(evidence: Evidence): RowHit | undefined {
  const reasons = [
    ...evidence.surfaces.flatMap((one) => uncoveredReasons(evidence, one)),
    ...keptReasons(evidence),
    ...sharedReasons(evidence),
  ];
  return reasons.length === 0
    ? undefined
    : { verdict: "PARTIAL", reasons, attestation: { kind: "tombstone" }, exitCode: 20 };
}

const RULES: Readonly<Record<Exclude<UncoveredReason, "BLIND">, string>> = {
  UNREACHABLE: "a surface out of reach",
  UNSUPPORTED: "a surface whose kind cannot erase or purge",
  UNBOUNDED: "copies without a bound that may be attested",
  KEPT: "artifacts kept under a ground",
  WATCHED_ONLY: "writers that are only watched",
};

function uncoveredReasons(evidence: Evidence, one: SurfaceEvidence): readonly Reason[] {
  const { surface, role, state, replicas, purge, writers, watched, reingest } = one;
  const codes = new Set<Exclude<UncoveredReason, "BLIND">>();
  const as = state === "unknown" ? "unknown" : state.as;
  // What a ground keeps there is counted by its own reason.
  const isCounted = listed(evidence.kept).some((kept) => kept.surface === surface);
  if (state !== "unknown" && state.as === "uncovered" && state.reason !== "BLIND") codes.add(state.reason);
  if (isCounted) codes.delete("KEPT");
  if (replicas.some(({ reached }) => reached !== true)) codes.add("UNREACHABLE");
  if (as === "covered" && purge !== "unknown" && purge.outcome === "unsupported") codes.add("UNSUPPORTED");
  if (as === "expiring" && role !== "cache" && role !== "backup") codes.add("UNSUPPORTED");
  if (isUnbounded(one)) codes.add("UNBOUNDED");
  if (watched && reingest !== "no-path" && (writers === "unknown" || writers === "foreign")) codes.add("WATCHED_ONLY");
  const isUnclaimed = !codes.has("UNREACHABLE") && as === "covered" && !isNamedByClaim(evidence, surface);
  return [
    ...[...codes].map((code) => reason(code, RULES[code], { surface })),
    ...(isUnclaimed ? [reason("UNREACHABLE", "the claim does not name this surface", { surface })] : []),
  ];
}

function isUnbounded({ state, horizon }: SurfaceEvidence): boolean {
  if (state === "unknown" || state.as === "uncovered") return false;
  return horizon === "unknown" || horizon === "beyond" || (horizon === "none" && state.as === "expiring");
}

/** A claim that names surfaces and leaves this one out did not reach it (CLAIM-5). */
function isNamedByClaim({ claim }: Evidence, surface: string): boolean {
  return claim === "none" || claim.surfacesReached.length === 0 || claim.surfacesReached.includes(surface);
}

function keptReasons({ kept }: Evidence): readonly Reason[] {
  if (kept === "unknown") return [reason("KEPT", "whether a ground keeps anything is not known")];
  const counts = new Map<string, number>();
  for (const { surface } of kept) counts.set(surface, (counts.get(surface) ?? 0) + 1);
  return [...counts].map(([surface, count]) => reason("KEPT", RULES.KEPT, { surface, count }));
}

function sharedReasons({ census }: Evidence): readonly Reason[] {
  const shared = census === "unknown" ? [] : census.shared;
  return shared.flatMap(({ container, surfaces }) => {
    const rule = "another ledger's marker stands in this container";
    return (surfaces.length === 0 ? [container] : surfaces).map((surface) =>
      reason("CONTAINER_SHARED", rule, { surface }),
    );
  });
}

/** When the last copy out of reach has expired; never before the evidence was complete. */
export function effectiveFrom(evidence: Evidence): Date {
  return new Date(Math.max(evidence.at.getTime(), ...openHorizons(evidence).map(({ until }) => until.getTime())));
}

function openHorizons(evidence: Evidence): readonly { readonly surface: string; readonly until: Date }[] {
  return evidence.surfaces.flatMap(({ surface, state, horizon }) => {
    if (typeof horizon !== "object" || state === "unknown" || state.as === "uncovered") return [];
    return horizon.until > evidence.at ? [{ surface, until: horizon.until }] : [];
  });
}

/** All clean, but a copy out of reach has not expired yet: issued is not effective (ATTEST-8). */
function judgeHorizonOpen(evidence: Evidence): RowHit | undefined {
  const reasons = openHorizons(evidence).map(({ surface }) =>
    reason("HORIZON_OPEN", "all clean, and a copy out of reach has not expired yet", { surface }),
  );
  return reasons.length === 0
    ? undefined
    : { verdict: "UNCONFIRMED", reasons, attestation: { kind: "erasure" }, exitCode: 22 };
}

/** The uncovered reason under which a surface stands in a tombstone, strongest first. */
export function uncoveredBy(
  reasons: readonly Reason[],
): ReadonlyMap<string, Reason & { readonly as: UncoveredReason }> {
  const order = ["UNREACHABLE", "BLIND", "UNSUPPORTED", "UNBOUNDED", "WATCHED_ONLY", "KEPT"];
  const bySurface = new Map<string, Reason & { readonly as: UncoveredReason }>();
  for (const one of reasons) {
    const as = uncoveredAs(one);
    if (as === undefined || one.surface === undefined) continue;
    const seen = bySurface.get(one.surface);
    if (seen === undefined || order.indexOf(as) < order.indexOf(seen.as)) bySurface.set(one.surface, { ...one, as });
  }
  return bySurface;
}

function uncoveredAs({ code }: Reason): UncoveredReason | undefined {
  if (code === "BLIND_PROBE") return "BLIND";
  if (code === "CONTAINER_SHARED") return "WATCHED_ONLY";
  return code === "UNREACHABLE" ||
    code === "UNSUPPORTED" ||
    code === "UNBOUNDED" ||
    code === "KEPT" ||
    code === "WATCHED_ONLY"
    ? code
    : undefined;
}

/** In the table's order. */
export const UNCOVERED_ROWS: readonly Row[] = [
  { name: "blind-probe", judge: judgeBlindProbe },
  { name: "uncovered", judge: judgeUncovered },
];

/** Asked only where no other row holds. */
export const HORIZON_ROW: Row = { name: "horizon-open", judge: judgeHorizonOpen };

/** The last row: all clean, reached only where no other row holds. */
export const CLEAN: NamedHit = {
  row: "clean",
  verdict: "COMPLIANT",
  reasons: [],
  attestation: { kind: "erasure" },
  exitCode: 0,
};
