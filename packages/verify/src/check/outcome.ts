// What the checks amount to, and on what each part of it rests. A fail makes it invalid, whatever else holds (VERIFY-2).
import type { VerifyOutcome } from "../report.ts";
import type { Scope } from "./boundary.ts";
import { ERASURE_PREDICATE, WITHHELD_PREDICATE, type EpochPredicate, type Statement } from "../statement.ts";

export interface Judged {
  readonly statement: Statement;
  readonly hasFailed: boolean;
  readonly hasScope: boolean;
  readonly hasExclusion: boolean;
  readonly auditors: number;
  readonly acceptSelfAttested: boolean;
  readonly isEffective: boolean;
}

export function outcomeOf(judged: Judged): VerifyOutcome {
  const { statement, hasScope, hasExclusion } = judged;
  if (judged.hasFailed) return { kind: "invalid", exitCode: 24 };
  const isErasure = statement.predicateType === ERASURE_PREDICATE;
  const isWithheld = statement.predicateType === WITHHELD_PREDICATE;
  const missing: ("scope" | "exclusion" | "second pair of eyes")[] = [];
  if (!hasScope) missing.push("scope");
  if (!isWithheld && !hasExclusion) missing.push("exclusion");
  if (isErasure && judged.auditors === 0 && !judged.acceptSelfAttested) missing.push("second pair of eyes");
  if (missing.length > 0) return { kind: "signature-holds", exitCode: 23, missing };
  if (isWithheld) return { kind: "withheld", exitCode: 21 };
  if (!isErasure) return { kind: "tombstone", exitCode: 20 };
  return judged.isEffective ? { kind: "erasure", exitCode: 0 } : { kind: "not-yet-effective", exitCode: 22 };
}

/** What holds unless a hash or a signature is broken. */
export function mathematics(
  judged: Judged,
  signers: number,
  queries: number,
  scope: Scope | undefined,
): readonly string[] {
  if (judged.hasFailed) return [];
  const { predicate, predicateType } = judged.statement;
  const lines = [`the statement is signed, as it stands, by ${signers} of the pinned keys`];
  if (scope !== undefined)
    lines.push(`its ${predicate.surfaces.length} data locations are those of the verifier's ${scope.kind}`);
  lines.push("the log holds the request and the attestation in this order under one checkpoint");
  if (predicateType === WITHHELD_PREDICATE) return lines;
  lines.push("the log holds the end of the purge before the scan, and the scan's roots before the attestation");
  if (judged.hasExclusion) lines.push(`${queries} queries are not in the trees that the scan's signed roots commit to`);
  return lines;
}

function names(ids: readonly string[]): string {
  return ids.join(", ");
}

function epochOperator(predicate: EpochPredicate, judged: Judged): readonly string[] {
  const { surfaces, closure, boundary, probes } = predicate;
  const lines = [
    judged.auditors > 0
      ? `the scans read every row: ${judged.auditors} auditors say so too`
      : "the scans read every row: self-attested, a row left out of a scan or a store left out of both inventories would not show",
    "the manifest's names are those of this person's records, and the trees were built with the committed keys",
    "the probes ran as stated, and their controls were fair",
    "no copy was derived through an intermediate that nothing recorded",
    "times are by the issuer's clock",
  ];
  const pick = (test: (surface: (typeof surfaces)[number]) => boolean): readonly string[] =>
    surfaces.filter(test).map(({ id }) => id);
  const say = (ids: readonly string[], what: string): void => {
    if (ids.length > 0) lines.push(`${what}: ${names(ids)}`);
  };
  say(
    pick(({ alg, snapshot }) => alg === 1 && snapshot === "none"),
    "scanned without a snapshot",
  );
  say(
    pick(({ alg }) => alg === 2),
    "copies expire by themselves at the stated horizon",
  );
  say(
    pick(({ alg }) => alg === 3),
    "uncovered, nothing is shown",
  );
  say(
    pick(({ outOfReach }) => outOfReach.length > 0),
    "copies out of the store's own reach are stated",
  );
  const foreign = new Set(
    boundary.publicForm.surfaces.filter(({ writers }) => writers === "foreign").map(({ id }) => id),
  );
  say(
    pick(({ id }) => foreign.has(id)),
    "others may write here",
  );
  const excused = [
    ...new Set(probes.filter(({ outcome }) => outcome === "not-applicable").map(({ surface }) => surface)),
  ];
  say(excused, "a probe is said to have nothing to look for");
  const shared = closure.dropped.filter(({ why }) => why === "shared").length;
  const reused = closure.dropped.length - shared;
  if (shared > 0) lines.push(`${shared} queries are left out because a record of another person has the same content`);
  if (reused > 0) lines.push(`${reused} queries are left out because a lawful record has taken the key again`);
  if (predicate.exemptions.length > 0)
    lines.push(`${predicate.exemptions.length} exemptions hold what their ground says`);
  if (predicate.quiet.length > 0)
    lines.push(`${predicate.quiet.length} quiet patterns cover containers that hold nothing`);
  return lines;
}

/** What is so only if the operator says the truth. */
export function operatorsWord(judged: Judged): readonly string[] {
  const { statement } = judged;
  if (statement.predicateType === WITHHELD_PREDICATE)
    return ["the reasons and counts are as stated", "times are by the issuer's clock"];
  return epochOperator(statement.predicate, judged);
}
