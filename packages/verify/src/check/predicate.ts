// Whether a predicate is possible for its kind (PROOFS §4): states, deletions, probes, lineage, denylist, risks. It must not look at proofs.
import { canonicalJson } from "../canonical-json.ts";
import { fail, pass, warn, type CheckCode, type Finding } from "../report.ts";
import {
  REQUIRED_PROBES,
  type AttestedSurface,
  type EpochPredicate,
  type NotApplicable,
  type ProbeName,
  type ProbeRun,
} from "../statement.ts";

export type EpochKind = "erasure" | "tombstone";

/** One failing finding for each flaw, or the passing one. */
export function allOf(flaws: readonly Finding[], message: string): readonly Finding[] {
  return flaws.length > 0 ? flaws : [pass(message)];
}

function domain(kind: EpochKind, { surfaces }: EpochPredicate): readonly Finding[] {
  const uncovered = surfaces.filter(({ alg }) => alg === 3);
  if (kind === "tombstone")
    return uncovered.length === 0
      ? [fail("a tombstone without an uncovered data location is none")]
      : [pass(`a tombstone: ${uncovered.length} of ${surfaces.length} data locations are uncovered`)];
  const flaws = uncovered.map(({ id }) => fail("an erasure with an uncovered data location is none", id));
  return allOf(flaws, `no data location is uncovered, of ${surfaces.length}`);
}

function stateFlaw(surface: AttestedSurface): string | undefined {
  const { alg, roots, horizon, uncovered, scan, lineageFrom, role } = surface;
  switch (alg) {
    case 1:
      if (roots === null || uncovered !== null) return "a covered data location states its roots and nothing else";
      if (scan !== "full" || lineageFrom === null) return "a covered data location was scanned in full";
      return undefined;
    case 2:
      if (roots !== null || uncovered !== null || horizon === null)
        return "an expiring data location states its horizon";
      if (scan !== "none" || lineageFrom !== null) return "an expiring data location has nothing to scan";
      return role === "cache" || role === "backup" ? undefined : "only a cache or a backup may expire";
    case 3:
      if (roots !== null || horizon !== null || uncovered === null)
        return "an uncovered data location states its reason";
      return undefined;
    default:
      return alg satisfies never;
  }
}

function surfaceStates({ surfaces }: EpochPredicate): readonly Finding[] {
  const flaws = surfaces.flatMap((surface) => {
    const flaw = stateFlaw(surface);
    return flaw === undefined ? [] : [fail(flaw, surface.id)];
  });
  return allOf(flaws, "each data location states what its state needs and nothing else");
}

function deletion({ surfaces }: EpochPredicate): readonly Finding[] {
  const provable: readonly (string | null)[] = ["file-level", "cryptographic", "memory"];
  const flaws = surfaces.flatMap(({ id, alg, deletion: how }) => {
    if (alg === 1 && !provable.includes(how)) return [fail("the deletion is not provable: logical, or by expiry", id)];
    return alg === 2 && how !== "expiry" ? [fail("an expiring data location is deleted by expiry", id)] : [];
  });
  return allOf(flaws, "every deletion is of a kind that can be shown");
}

function fence({ surfaces }: EpochPredicate): readonly Finding[] {
  const flaws = surfaces
    .filter((surface) => surface.alg === 1 && surface.fence !== "strong" && surface.fence !== "leased")
    .map(({ id }) => fail("nothing kept new writes out of a covered data location", id));
  return allOf(flaws, "new writes were kept out of every covered data location");
}

const EXCUSES: Readonly<Record<NotApplicable, readonly ProbeName[]>> = {
  NO_TEXT: ["exact", "excerpt"],
  NO_VECTORS: ["neighbour"],
  NOT_FILE_LEVEL: ["bytes"],
  NO_INSERT_PATH: ["re-ingest"],
};
const MUST_FIND_ALL: readonly ProbeName[] = ["key", "exact", "bytes", "re-ingest"];

function isExcused({ name, why }: ProbeRun, surface: AttestedSurface): boolean {
  const excuse = Object.entries(EXCUSES).find(([code]) => code === why);
  if (excuse === undefined || !excuse[1].includes(name)) return false;
  return why !== "NOT_FILE_LEVEL" || surface.deletion !== "file-level";
}

function probeFlaw(run: ProbeRun, surface: AttestedSurface): string | undefined {
  const { name, outcome, controls, survivors, why } = run;
  if (survivors > 0) return `the probe ${name} found survivors`;
  if (controls.found > controls.taken) return `the probe ${name} found more controls than it took`;
  if (outcome === "blind") return `the probe ${name} was blind`;
  if (outcome === "not-applicable")
    return isExcused(run, surface) ? undefined : `the probe ${name} had no right not to run`;
  if (why !== null) return `the probe ${name} ran and states a cause not to`;
  if (controls.taken === 0) return `the probe ${name} took no controls, so that its zero says nothing`;
  if (MUST_FIND_ALL.includes(name) || controls.floor === null)
    return controls.found === controls.taken && controls.floor === null
      ? undefined
      : `the probe ${name} did not find all its controls, or states a floor where none may be`;
  return controls.floor > 0 && controls.found >= controls.floor
    ? undefined
    : `the probe ${name} found too few controls`;
}

function probes({ surfaces, probes: runs }: EpochPredicate): readonly Finding[] {
  const byId = new Map(surfaces.map((surface) => [surface.id, surface]));
  const flaws: Finding[] = [];
  for (const run of runs) {
    const surface = byId.get(run.surface);
    if (surface === undefined)
      flaws.push(fail("a probe of a data location that the statement does not have", run.surface));
    else if (surface.alg === 1) {
      // A blind look-alike probe costs no more than its own word; the required ones may not be blind.
      const isOptional =
        run.survivors === 0 && run.outcome !== "ran" && !REQUIRED_PROBES.some((name) => name === run.name);
      const flaw = isOptional ? undefined : probeFlaw(run, surface);
      if (flaw !== undefined) flaws.push(fail(flaw, run.surface));
    } else if (run.survivors > 0) flaws.push(fail(`the probe ${run.name} found survivors`, run.surface));
  }
  const present = new Set(runs.map((run) => `${run.surface}\0${run.name}`));
  for (const { id } of surfaces.filter(({ alg }) => alg === 1))
    for (const name of REQUIRED_PROBES)
      if (!present.has(`${id}\0${name}`)) flaws.push(fail(`the required probe ${name} is missing`, id));
  return allOf(flaws, "every required probe of every covered data location ran and found its controls");
}

function isZero(count: number, message: string): Finding {
  return count === 0 ? pass(`${message}: none`) : fail(`${message}: ${count}, where none may be`);
}

function denylist({ denylist: { count, scope }, surfaces, boundary }: EpochPredicate): readonly Finding[] {
  if (count === 0 || scope.length === 0) return [fail("no do-not-store entry guards against the data's return")];
  const flaws: Finding[] = [];
  if (scope.some((id) => surfaces.every((surface) => surface.id !== id)))
    flaws.push(fail("the do-not-store entries claim to guard a data location that the statement does not have"));
  // A backup is written through nothing of the application's; anywhere else who writes unasked could bring the data back.
  const unasked = new Set(
    boundary.publicForm.surfaces.flatMap(({ id, writers }) => (writers === "foreign" ? [id] : [])),
  );
  for (const { id, alg, role } of surfaces)
    if (alg === 1 && role !== "backup" && unasked.has(id))
      flaws.push(fail("others write to a covered data location, and no do-not-store entry holds them", id));
  return allOf(flaws, `${count} do-not-store entries guard ${scope.length} data locations`);
}

function residualRisks(kind: EpochKind, { residualRisks: risks, surfaces }: EpochPredicate): readonly Finding[] {
  if (kind === "erasure") return [isZero(risks.length, "residual risks of an erasure")];
  const uncovered = surfaces.filter(({ alg }) => alg === 3);
  const flaws = uncovered
    .filter(({ id, uncovered: state }) => !risks.some((risk) => risk.surface === id && risk.code === state?.reason))
    .map(({ id }) => fail("an uncovered data location without its residual risk", id));
  if (risks.length !== uncovered.length)
    flaws.push(fail("residual risks are not one for each uncovered data location"));
  return allOf(flaws, "exactly one residual risk for each uncovered data location");
}

function exemptions({ exemptions: stated, quiet, boundary: { publicForm } }: EpochPredicate): Finding {
  const isEqual =
    canonicalJson(stated) === canonicalJson(publicForm.exemptions) &&
    canonicalJson(quiet) === canonicalJson(publicForm.census.quiet);
  return isEqual
    ? pass(`exemptions (${stated.length}) and quiet patterns (${quiet.length}) are those of the inventory`)
    : fail("exemptions or quiet patterns are not those of the inventory");
}

function bystanders({ bystanders: { checked, intact, lost } }: EpochPredicate): Finding {
  if (checked !== intact + lost) return fail("the bystanders do not add up");
  return lost > 0 ? warn(`${lost} records of others were lost`) : pass(`${intact} records of others are intact`);
}

/** Every check of the predicate by itself, by code. */
export function checkPredicate(
  kind: EpochKind,
  predicate: EpochPredicate,
): readonly (readonly [CheckCode, readonly Finding[]])[] {
  const suspects = predicate.probes.reduce((sum, run) => sum + run.suspects.open, 0);
  return [
    ["DOMAIN", domain(kind, predicate)],
    ["SURFACE_STATES", surfaceStates(predicate)],
    ["DELETION", deletion(predicate)],
    ["FENCE", fence(predicate)],
    ["PROBES", probes(predicate)],
    ["SUSPECTS", [isZero(suspects, "suspects that nobody has reviewed")]],
    ["LINEAGE", [isZero(predicate.closure.lineage.inferred, "edges of the lineage that are only inferred")]],
    ["INTENTS", [isZero(predicate.intents.unresolved, "writes whose end is not known")]],
    ["DENYLIST", denylist(predicate)],
    ["RESIDUAL_RISKS", residualRisks(kind, predicate)],
    ["EXEMPTIONS", [exemptions(predicate)]],
    ["BYSTANDERS", [bystanders(predicate)]],
  ];
}
