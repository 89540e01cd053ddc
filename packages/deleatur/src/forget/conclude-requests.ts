// The last steps of a round: gathers the evidence for all requests at once, then judges, attests and settles each by what came out.
import type { Evidence } from "../attest/evidence.ts";
import type { EpochRoots } from "../attest/epoch-commitments.ts";
import { judge } from "../attest/judge.ts";
import type { Judgement } from "../attest/judgement.ts";
import type { Engine } from "../engine.ts";
import { openKeptBaselines } from "../examine/kept-baselines.ts";
import { gatherEvidence, type Gathered, type Inquiry, type StoodBefore } from "../examine/gather-evidence.ts";
import { openNeedles } from "../examine/kept-needles.ts";
import { openTaken } from "../examine/taken-by-others.ts";
import { openReviews } from "../examine/suspects.ts";
import type { RequestItem } from "../ledger/request-record.ts";
import { groupBy } from "../model/group-by.ts";
import type { RequestId } from "../model/ids.ts";
import { textsCutOff } from "./deny.ts";
import { attestRequest, type Attested } from "./attest-request.ts";
import type { ContinueOptions, Ended } from "./carriage.ts";
import { commitClosure, commitEpoch, type CommittedClosure, type Coverage, coverageOf } from "./commit-closure.ts";
import type { RequestOutcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { purgeOnceMore, type RequestPurge, whatToWaitFor } from "./purge-requests.ts";
import { settleRequest } from "./settle-request.ts";
import { allReplacements, openPlan } from "./sealed-plan.ts";
import { surfaceOutcomes } from "./surface-outcomes.ts";
import type { Target } from "./target.ts";

/** A round that has purged and is to be examined. */
export interface PurgedRound {
  readonly id: RequestId;
  readonly round: number;
  readonly target: Target;
  readonly plan: Plan;
  readonly purge: RequestPurge;
  readonly unresolvedIntents: number;
  readonly options: ContinueOptions;
  /** Purged once more since the byte probe found something, and not again. */
  readonly isPurgedAgain?: true;
}

/**
 * Examines all of them in one epoch, and judges, attests and settles each by itself. Where one needs another purge, or leaves other locations
 * uncovered than those that share this epoch's roots, it is examined again in an epoch of its own.
 */
export async function concludeRequests(
  engine: Engine,
  rounds: readonly PurgedRound[],
  concluded: (id: RequestId, conclusion: Ended) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const { id } of rounds) engine.ledger.updateRequest(id, { state: "confirming" });
  let open = rounds;
  while (open.length > 0) open = await concludeEpoch(engine, open, concluded, signal);
}

interface Examined {
  readonly round: PurgedRound;
  readonly inquiry: Inquiry;
  readonly gathered: Gathered;
  readonly judgement: Judgement;
  readonly coverage: Coverage;
}

/** One epoch. Answers the rounds that it could not serve. */
async function concludeEpoch(
  engine: Engine,
  rounds: readonly PurgedRound[],
  concluded: (id: RequestId, conclusion: Ended) => void,
  signal: AbortSignal,
): Promise<readonly PurgedRound[]> {
  const inquiries = openInquiries(engine, rounds);
  const gathered = await gatherEvidence(engine, inquiries, () => openBefore(engine, rounds), true, signal);
  const examined = rounds.flatMap((round, place): readonly Examined[] => {
    const [own, inquiry] = [gathered[place], inquiries[place]];
    if (own === undefined || inquiry === undefined) return [];
    const judgement = judge(own.evidence, { allowTombstone: round.options.allowTombstone === true });
    const coverage = coverageOf(engine, own, judgement);
    return [{ round, inquiry, gathered: own, judgement, coverage }];
  });
  const again = await purgeAgain(engine, examined, signal);
  const ready = examined.filter(({ round }) => !again.some(({ id }) => id === round.id));
  const leading = leadingCoverage(ready);
  const served = ready.filter((one) => isServedBy(one, leading));
  const [first] = served;
  if (first !== undefined && leading !== undefined) {
    await first.gathered.scan.commitments.hashedAhead();
    const roots = commitEpoch(first.gathered, leading);
    const epoch = { logIndex: undefined };
    for (const one of served) {
      const step = { request: one.round.id, step: "judge" };
      engine.report({ ...step, phase: "started" });
      try {
        const outcome = await concludeOne(engine, one, roots, epoch, signal);
        engine.report({ ...step, phase: "finished" });
        concluded(one.round.id, { outcome });
      } catch (error) {
        signal.throwIfAborted();
        concluded(one.round.id, { error });
      }
    }
  }
  return [...again, ...ready.filter((one) => !served.includes(one)).map(({ round }) => round)];
}

/** Purges once more for those in whose stores the byte probe found what a purge can clear. */
async function purgeAgain(
  engine: Engine,
  examined: readonly Examined[],
  signal: AbortSignal,
): Promise<readonly PurgedRound[]> {
  const due = examined.filter(
    ({ round, gathered }) => round.isPurgedAgain !== true && hasPurgeableBytes(gathered.evidence),
  );
  if (due.length === 0) return [];
  const isAllowed =
    due.some(({ round }) => round.options.now === true) || (await whatToWaitFor(engine, signal)) === undefined;
  if (!isAllowed) return [];
  const purges = await purgeOnceMore(engine, new Map(due.map(({ round: { id, purge } }) => [id, purge])), signal);
  return due.flatMap(({ round }): readonly PurgedRound[] => {
    const purge = purges.get(round.id);
    return purge === undefined ? [] : [{ ...round, purge, isPurgedAgain: true }];
  });
}

/** What is attested decides what the epoch's roots cover: an erasure before a tombstone; what is refused anyway takes any. */
function leadingCoverage(examined: readonly Examined[]): Coverage | undefined {
  for (const kind of ["erasure", "tombstone"] as const) {
    const groups = groupBy(
      examined.filter(({ judgement }) => judgement.attestation.kind === kind),
      ({ coverage }) => JSON.stringify(coverage),
    );
    const [largest] = [...groups.values()].toSorted((a, b) => b.length - a.length);
    if (largest?.[0] !== undefined) return largest[0].coverage;
  }
  return examined[0]?.coverage;
}

function isServedBy({ judgement, coverage }: Examined, leading: Coverage | undefined): boolean {
  const { kind } = judgement.attestation;
  return (kind !== "erasure" && kind !== "tombstone") || JSON.stringify(coverage) === JSON.stringify(leading);
}

async function concludeOne(
  engine: Engine,
  { round, inquiry, gathered, coverage }: Examined,
  roots: EpochRoots,
  epoch: { logIndex: number | undefined },
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const committed = commitClosure(engine, round, inquiry, gathered, roots, coverage);
  const evidence = withStillThere(gathered.evidence, committed.stillThere);
  const allowTombstone = round.options.allowTombstone === true && excludesAny(round, committed, coverage);
  const judgement = judge(evidence, { allowTombstone });
  keepLost(engine, round, evidence);
  const attested = attestRequest(engine, round, { gathered, evidence, judgement, committed, epoch }, (answer) =>
    outcomeOf(engine, round, gathered, evidence, judgement, answer),
  );
  return settleRequest(engine, round, attested, signal);
}

/** Where nothing of the target is excluded anywhere a tombstone would say nothing, and our own verifier takes none: it is withheld. */
function excludesAny({ target }: PurgedRound, { built }: CommittedClosure, coverage: Coverage): boolean {
  const artifacts = built?.manifest.artifacts ?? [];
  const covered = new Set<string>(coverage.flatMap(({ surface, as }) => (as === "covered" ? [surface] : [])));
  if (target.kind === "person") return artifacts.length > 0 && covered.size > 0;
  return artifacts.some(({ surface, fate }) => fate === "erased" && covered.has(surface));
}

function openInquiries(engine: Engine, rounds: readonly PurgedRound[]): readonly Inquiry[] {
  const running = new Set(rounds.map(({ id }) => id));
  return rounds.map((round) => ({ ...inquire(engine, round), running }));
}

function openBefore(engine: Engine, rounds: readonly PurgedRound[]): readonly StoodBefore[] {
  const kept = openKeptBaselines(engine.ledger);
  return rounds.map(({ id }) => {
    const taken = openTaken(engine, id);
    const bystanders = kept.bystandersOf(id);
    return { baseline: kept.baselineOf(id), bystanders: taken.size === 0 ? bystanders : bystanders.without(taken) };
  });
}

/** Losses that no policy names, of the rounds before this one: a later round must not forget them. */
function lostBefore(engine: Engine, id: RequestId, round: number): number {
  // A round that was cut off has counted nothing.
  for (let before = round - 1; before > 0; before -= 1) {
    const sealed = engine.ledger.getSealed(id, `lost/${before}`);
    if (sealed !== undefined) return Number(new TextDecoder().decode(sealed));
  }
  return 0;
}

function keepLost(engine: Engine, { id, round }: PurgedRound, { bystanders }: Evidence): void {
  const lost = bystanders === "unknown" ? 0 : bystanders.lost - bystanders.lostByPolicy;
  engine.ledger.putSealed(id, `lost/${round}`, new TextEncoder().encode(String(lost)));
}

/** Bytes in a store that says that it is purged: the cheapest means did not suffice. */
function hasPurgeableBytes({ survivors, surfaces }: Evidence): boolean {
  if (survivors === "unknown") return false;
  return survivors.some(
    ({ depth, surface }) =>
      depth === "bytes" &&
      surfaces.some((seen) => seen.surface === surface && seen.purge !== "unknown" && seen.purge.outcome === "purged"),
  );
}

function inquire(
  engine: Engine,
  { id, round, target, plan, purge, unresolvedIntents, options }: PurgedRound,
): Omit<Inquiry, "running"> {
  const { ledger } = engine;
  const items = ledger.items(id);
  const needles = openNeedles(engine, id);
  const entries = ledger.denylistCount(id);
  const plans = [...Array.from({ length: round - 1 }, (_, index) => openPlan(engine, id, index + 1)), plan];
  const lost = plans
    .flatMap((one) => one?.items ?? [])
    .filter(({ because, present }) => because === "shared-destroy" && present);
  return {
    target: target.kind,
    identifiers: plan.identifiers,
    // What a round has erased is nobody's any more in the next.
    owners: plans.flatMap((one) => one?.owners ?? []),
    needles,
    items,
    taken: openTaken(engine, id),
    lostBefore: lostBefore(engine, id, round),
    replaced: allReplacements(engine, id, round).flatMap((replacement) =>
      replacement.outcome === "ready" ? [replacement.artifact] : [],
    ),
    purge: purge.outcomes,
    horizonFrom: horizonFrom(engine, id, purge),
    // Nothing known, and not everything read: whether there was something is not known either.
    before: items.length === 0 && plan.unread.size > 0 ? "unknown" : { found: items.length > 0, count: items.length },
    identifiersUnknown: plan.identifiersUnknown,
    unresolvedIntents,
    claim: "none",
    trial: "not-run",
    denylist: { entries, onContent: needles.some(({ content }) => content.length > 0) && entries > 0 },
    lossByPolicy: lost.length,
    reviewed: openReviews(engine, id),
    isReplay: options.isReplay === true,
  };
}

/** Copies out of reach began to expire when the last artifact was erased and its purge done, not when a later round looked again. */
function horizonFrom(engine: Engine, id: RequestId, purge: RequestPurge): Date {
  let from = purge.finishedAt;
  const details = new Map(engine.ledger.steps(id).map(({ name, detail }) => [name, detail]));
  for (const [name, detail] of details) {
    const round = name.split("/")[0] ?? "";
    if (name !== `${round}/erase`) continue;
    // Both details are our own journal's.
    const { changed } = (detail ?? { changed: 0 }) as { readonly changed: number };
    const purged = details.get(`${round}/purge`) as { readonly finishedAt: string } | undefined;
    if (purged !== undefined && (changed > 0 || round === "1")) from = purged.finishedAt;
  }
  return new Date(from);
}

/** What only the trees still hold is a survivor like any other. */
function withStillThere(evidence: Evidence, stillThere: ReadonlySet<string>): Evidence {
  if (stillThere.size === 0 || evidence.survivors === "unknown") return evidence;
  const named = new Set(
    [evidence.survivors, evidence.back, evidence.primaryHolds].flatMap((list) =>
      list === "unknown" ? [] : list.map(({ surface }) => surface),
    ),
  );
  const added = [...stillThere].filter((surface) => !named.has(surface));
  return {
    ...evidence,
    survivors: [
      ...evidence.survivors,
      ...added.map((surface) => ({
        surface,
        container: surface,
        probe: "key" as const,
        depth: "api" as const,
        provenance: "reached" as const,
        contentKeyed: false,
      })),
    ],
  };
}

/** Items are opened one by one: most requests have none that is told of beyond its number. */
function itemsToTell({ ledger }: Engine, id: RequestId): readonly RequestItem[] {
  const isTold = ledger.itemCounts(id).some(({ action, outcome }) => action === "keep" || outcome === "failed");
  return isTold ? ledger.items(id) : [];
}

function outcomeOf(
  engine: Engine,
  { id }: PurgedRound,
  gathered: Gathered,
  evidence: Evidence,
  judgement: Judgement,
  attested: Attested,
): RequestOutcome {
  const survivors = evidence.survivors === "unknown" ? [] : evidence.survivors;
  const seen = new Set(survivors.map(({ surface, key }) => JSON.stringify([surface, key])));
  const stillHeld = (evidence.primaryHolds === "unknown" ? [] : evidence.primaryHolds).filter(
    ({ surface, key }) => !seen.has(JSON.stringify([surface, key])),
  );
  return {
    request: id,
    state: attested.state,
    ...(attested.why === undefined ? {} : { why: attested.why }),
    ...(attested.until === undefined ? {} : { until: attested.until }),
    ...(judgement.verdict === undefined ? {} : { verdict: judgement.verdict }),
    reasons: judgement.reasons,
    ...(judgement.error === undefined ? {} : { error: judgement.error }),
    attestation: judgement.attestation,
    survivors: [
      ...survivors,
      ...stillHeld.map((mention) => ({
        ...mention,
        container: mention.surface ?? "",
        probe: "key" as const,
        depth: "api" as const,
        provenance: "reached" as const,
        contentKeyed: false,
      })),
    ],
    back: evidence.back === "unknown" ? [] : evidence.back,
    suspects: {
      open: gathered.suspects.length,
      reviewed: evidence.suspects === "unknown" ? 0 : evidence.suspects.reviewed,
    },
    surfaces: surfaceOutcomes(engine, evidence, itemsToTell(engine, id), gathered.scan.unread),
    bystanders:
      evidence.bystanders === "unknown" ? { checked: 0, intact: 0, lost: 0, lostByPolicy: 0 } : evidence.bystanders,
    denylist: engine.ledger.denylistCount(id),
    textsCutOff: textsCutOff(engine.ledger, id),
    exitCode: judgement.exitCode,
  };
}
