// The shape of one row of the verdict table, and the few questions that several rows ask of the evidence. Pure: no clock, no I/O.
import type { ProbeName } from "../model/needle.ts";
import type { ArtifactMention, Evidence, ProbeEvidence, SurfaceEvidence, Survivor } from "./evidence.ts";
import type { AttestationAnswer, JudgedError, Reason, Verdict } from "./judgement.ts";

/** What a row says when it holds. `tombstone` and `erasure` are made of all the reasons once the deciding row is known. */
export interface RowHit {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly error?: JudgedError;
  readonly attestation:
    | { readonly kind: "erasure" | "tombstone" }
    | { readonly kind: "withheld"; readonly code: string; readonly resumable?: boolean }
    | (AttestationAnswer & { readonly kind: "none" });
  readonly exitCode: 0 | 20 | 21 | 22;
}

/** One row: its name, and a pure function that answers undefined where the row does not hold. */
export interface Row {
  readonly name: string;
  readonly judge: (evidence: Evidence) => RowHit | undefined;
}

/** A row's answer under the row's name. */
export type NamedHit = RowHit & { readonly row: string };

/** A withheld answer with these reasons, or undefined where there are none. */
export function withhold(
  verdict: Verdict,
  exitCode: 20 | 21,
  reasons: readonly Reason[],
  detail: { readonly resumable?: boolean; readonly error?: JudgedError } = {},
): RowHit | undefined {
  const [first] = reasons;
  if (first === undefined) return undefined;
  return {
    verdict,
    reasons,
    attestation: { kind: "withheld", code: first.code, resumable: detail.resumable ?? false },
    exitCode,
    ...(detail.error === undefined ? {} : { error: detail.error }),
  };
}

/** The list, or nothing where it is unknown: for rows that need something shown; the unknown itself is a reason of another row. */
export function listed<T>(list: readonly T[] | "unknown"): readonly T[] {
  return list === "unknown" ? [] : list;
}

/** The evidence with what a recorded ground keeps set aside: it comes back in its own row. */
export function setAsideKept(evidence: Evidence): Evidence {
  const kept = listed(evidence.kept);
  if (kept.length === 0) return evidence;
  const names = new Set(
    kept.flatMap((one) => (one.name === undefined ? [] : [JSON.stringify([one.surface, one.name])])),
  );
  const keys = new Set(kept.flatMap((one) => (one.key === undefined ? [] : [JSON.stringify([one.surface, one.key])])));
  const isOpen = (one: ArtifactMention): boolean =>
    !(one.name !== undefined && names.has(JSON.stringify([one.surface, one.name]))) &&
    !(one.key !== undefined && keys.has(JSON.stringify([one.surface, one.key])));
  return {
    ...evidence,
    primaryHolds: evidence.primaryHolds === "unknown" ? "unknown" : evidence.primaryHolds.filter(isOpen),
    survivors: evidence.survivors === "unknown" ? "unknown" : evidence.survivors.filter(isOpen),
  };
}

/** Whether a surface can be looked at: covered, or uncovered for what may be done there, not for what can be seen. Unknown counts as reached: it must be shown. */
export function isReached({ state }: SurfaceEvidence): boolean {
  if (state === "unknown" || state.as === "covered") return true;
  return state.as === "uncovered" && ["BLIND", "KEPT", "WATCHED_ONLY"].includes(state.reason);
}

/** Whether a purge is owed: it waits, failed, or never ran over something that we erased. A foreign tool's purge is judged by its bytes alone. */
export function isPurgeOwed(evidence: Evidence, surface: SurfaceEvidence): boolean {
  const { purge, erase } = surface;
  if (purge !== "unknown" && (purge.outcome === "pending" || purge.outcome === "failed")) return true;
  if (purge !== "unknown" && purge.outcome !== "not-run") return false;
  if (evidence.claim !== "none" || !isReached(surface)) return false;
  return purge === "unknown" || erase === "unknown" || erase.erased + erase.rewritten > 0;
}

/** Survivors at byte depth in a surface whose purge is owed: the purge's row has them. */
export function isPurgeBytes(evidence: Evidence, survivor: Survivor): boolean {
  if (survivor.depth !== "bytes") return false;
  return evidence.surfaces.some((one) => one.surface === survivor.surface && isPurgeOwed(evidence, one));
}

/** Whether a survivor lies in a surface that the boundary declares. */
export function isDeclared(evidence: Evidence, survivor: Survivor): boolean {
  return survivor.surface !== undefined && evidence.surfaces.some((one) => one.surface === survivor.surface);
}

/** Foreign writers that a watch follows: there is no door of ours to try, and the surface is never more than watched. */
function isOnlyWatched({ watched, writers, reingest }: SurfaceEvidence): boolean {
  return watched && writers === "foreign" && reingest === "not-run";
}

/** The probes that a surface must answer, whatever its kind says (DESIGN §6). */
function requiredProbes(surface: SurfaceEvidence): readonly ProbeName[] {
  const required = new Set<ProbeName>([...surface.required, "key"]);
  if (surface.deletion === "file-level" || surface.deletion === "unknown") required.add("bytes");
  if (surface.reingest === "no-path" || isOnlyWatched(surface)) required.delete("re-ingest");
  else required.add("re-ingest");
  return [...required];
}

/** Whether a probe ran and its controls were found: all of them, or the stated floor where likeness is measured. */
function hasSeen(probe: ProbeEvidence): boolean {
  const { taken, found, floor } = probe.controls;
  const mayMiss = probe.name === "excerpt" || probe.name === "neighbour";
  const needed = mayMiss && floor !== undefined ? Math.max(1, floor) : taken;
  return probe.status === "ran" && taken > 0 && found >= needed;
}

/** Whether a probe had nothing to do. A key can always be read; bytes are always there at file level; the guard itself says whether there is a path. */
function isNotApplicable(surface: SurfaceEvidence, probe: ProbeEvidence): boolean {
  if (probe.status !== "not-applicable" || probe.name === "key" || probe.name === "re-ingest") return false;
  return probe.name !== "bytes" || (surface.deletion !== "file-level" && surface.deletion !== "unknown");
}

/** The required probes of a surface that did not run, were blind, or whose controls stayed silent. */
export function blindProbes(surface: SurfaceEvidence): readonly ProbeName[] {
  const isUnanswered = surface.reingest === "unknown" || surface.reingest === "not-run";
  return requiredProbes(surface).filter((name) => {
    const runs = surface.probes.filter((probe) => probe.name === name);
    const isSeen = runs.length > 0 && runs.every((probe) => hasSeen(probe) || isNotApplicable(surface, probe));
    return !isSeen || (name === "re-ingest" && isUnanswered);
  });
}
