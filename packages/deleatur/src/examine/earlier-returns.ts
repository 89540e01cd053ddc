// Looks for what earlier requests about the same person erased and somebody put back: no closure reaches it any more, keyed digests know it. It erases nothing.
import type { ArtifactMention, Survivor } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import type { RequestState } from "../ledger/request-record.ts";
import { artifactId, type ArtifactRef, type RequestId, type SubjectIdentifier } from "../model/ids.ts";
import { findReturnsOf, type FoundReturn, type Returns } from "./find-returns.ts";
import type { Suspect } from "./grade-findings.ts";
import { isErasing, stillOwed } from "./still-owed.ts";

/** Whose earlier requests are asked for. */
export interface Asking {
  readonly identifiers: readonly SubjectIdentifier[];
}

/**
 * For each what its earlier requests erased and is there; undefined where there was none. `running`: the requests of this very run, which know
 * their own by other means. One scan for all, and none where nobody was ever forgotten before.
 */
export async function findEarlierReturns(
  engine: Engine,
  asking: readonly Asking[],
  running: ReadonlySet<RequestId>,
  signal: AbortSignal,
): Promise<readonly (Returns | undefined)[]> {
  const earlier = asking.map(({ identifiers }) => earlierRequests(engine, identifiers, running));
  const looking = earlier.filter((requests) => requests.size > 0);
  if (looking.length === 0) return asking.map(() => undefined);
  const orders = looking.map((requests) => {
    const states = [...requests].flatMap((id) => engine.ledger.request(id) ?? []);
    const owed = stillOwed(engine, states).refs;
    return {
      counts: (request: RequestId): boolean => requests.has(request),
      passOver: (ref: ArtifactRef): boolean => owed.has(artifactId(ref)),
      withKept: true,
    };
  });
  const found = await findReturnsOf(engine, orders, signal);
  return earlier.map((requests) => found[looking.indexOf(requests)]);
}

/** One that waits may have erased: for the purge, or for a process. What it has not, it owes still. */
function hasErased(state: RequestState | undefined): boolean {
  return state === "waiting" || !isErasing(state);
}

/** Those that denied the person or what was the person's, have erased, and were not lifted; a replay's own stand for them too. */
function earlierRequests(
  { ledger }: Engine,
  identifiers: readonly SubjectIdentifier[],
  running: ReadonlySet<RequestId>,
): ReadonlySet<RequestId> {
  const digests = identifiers.map((identifier) => ledger.identifierDigest(identifier));
  const own = [
    ...digests.flatMap((digest) => ledger.findDenylist("identifier", digest).map(({ request }) => request)),
    ...ledger.guardedFor(digests),
    ...ledger.recordRequestsOf(digests),
  ];
  const all = new Set(own.flatMap((id) => [id, ...ledger.standInsOf(id).map(({ request }) => request)]));
  return new Set([...all].filter((id) => !running.has(id) && hasErased(ledger.request(id)?.state)));
}

/** What was erased as it stands there, or made from it, and names nobody else: it is erased again with what the request reaches. */
export function erasableReturns({ back }: Returns): readonly ArtifactRef[] {
  return back.flatMap((one) => (one.rule === "identifier" || isAnothers(one) ? [] : [one.ref]));
}

export interface GradedReturns {
  readonly back: readonly ArtifactMention[];
  readonly survivors: readonly Survivor[];
  readonly suspects: readonly Suspect[];
  readonly unexplained: readonly Suspect[];
  /** Kept as lawful by a review of this very request. */
  readonly reviewed: number;
}

/**
 * An erased record, or the whole of an erased content under nobody's name, is no likeness: back where it is of first hand, else a survivor. A run
 * of its words, and anything under another name, is for a person to decide. What the closure reaches is found there already.
 */
export function gradeReturns(
  engine: Engine,
  found: Returns | undefined,
  reached: ReadonlySet<string>,
  reviewed: ReadonlySet<string>,
): GradedReturns {
  const back: ArtifactMention[] = [];
  const survivors: Survivor[] = [];
  const suspects: Suspect[] = [];
  const unexplained: Suspect[] = [];
  let kept = 0;
  for (const one of found === undefined ? [] : [...found.back, ...found.held]) {
    const { ref, rule } = one;
    if (reached.has(artifactId(ref))) continue;
    const suspect = toSuspect(engine, one);
    const isLikeness = isAnothers(one) || rule === "contained";
    if (isLikeness && engine.ledger.isKeptLikeness(ref, one.tag)) {
      if (reviewed.has(suspect.id)) kept += 1;
      continue;
    }
    if (isLikeness) {
      suspects.push(suspect);
      continue;
    }
    unexplained.push({ ...suspect, isSurvivor: true });
    const mention = { surface: ref.surface, key: ref.key };
    if (engine.bound(ref.surface).declaration.role === "primary") back.push(mention);
    else
      survivors.push({
        ...mention,
        container: ref.surface,
        probe: rule === "record" ? "key" : "exact",
        depth: "api",
        provenance: "outside",
        contentKeyed: false,
      });
  }
  return { back, survivors, suspects, unexplained, reviewed: kept };
}

/** It names somebody and not the person, or says the words of somebody's record: whose it is now, a person decides. */
function isAnothers({ isNamed, isMadeFromNamed, isHeld, persons }: FoundReturn): boolean {
  return (isNamed && persons.length === 0) || (isHeld && isMadeFromNamed);
}

function toSuspect(engine: Engine, { ref, rule, tag }: FoundReturn): Suspect {
  const digest = engine.ledger.keyedDigest("suspect/return", ref.surface, ref.key, tag);
  return {
    id: Buffer.from(digest.subarray(0, 8)).toString("hex"),
    tag: Buffer.from(tag).toString("hex"),
    surface: ref.surface,
    key: ref.key,
    container: ref.surface,
    returned: rule,
    probe: rule === "contained" ? "excerpt" : "exact",
  };
}
