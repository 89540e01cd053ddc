// The last steps of a round: gathers the evidence, judges it, attests, and settles the request's state by what came out.
import type { Evidence } from "../attest/evidence.ts";
import { judge } from "../attest/judge.ts";
import type { Judgement } from "../attest/judgement.ts";
import type { Engine } from "../engine.ts";
import { openBaseline } from "../examine/baseline.ts";
import { gatherEvidence, type Gathered } from "../examine/gather-evidence.ts";
import { openNeedles } from "../examine/kept-needles.ts";
import { openReviews, putSuspects } from "../examine/suspects.ts";
import type { RequestId } from "../model/ids.ts";
import { attestRequest, type Attested } from "./attest-request.ts";
import type { ContinueOptions } from "./continue-request.ts";
import { commitClosure } from "./commit-closure.ts";
import type { RequestOutcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { purgeAgain, type RequestPurge, whatToWaitFor } from "./purge-request.ts";
import { settleRequest } from "./settle-request.ts";
import { allReplacements, openPlan } from "./sealed-plan.ts";
import { surfaceOutcomes } from "./surface-outcomes.ts";
import { settleBystanders } from "./survey.ts";
import type { Target } from "./target.ts";

/** A round that has purged and is to be examined. */
export interface PurgedRound {
  readonly id: RequestId;
  readonly round: number;
  readonly target: Target;
  readonly plan: Plan;
  readonly purge: RequestPurge;
  readonly unresolvedIntents: number;
}

export async function concludeRequest(
  engine: Engine,
  round: PurgedRound,
  options: ContinueOptions,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const { id } = round;
  engine.ledger.updateRequest(id, { state: "confirming" });
  let gathered = await gatherEvidence(engine, inquire(engine, round), signal);
  if (
    hasPurgeableBytes(gathered.evidence) &&
    (options.now === true || (await whatToWaitFor(engine, signal)) === undefined)
  ) {
    const purge = await purgeAgain(engine, id, signal);
    gathered = await gatherEvidence(engine, inquire(engine, { ...round, purge }), signal);
  }
  engine.report({ request: id, step: "judge", phase: "started" });
  const judgeOptions = { allowTombstone: options.allowTombstone === true };
  const committed = commitClosure(engine, round, gathered, judge(gathered.evidence, judgeOptions));
  const evidence = withStillThere(gathered.evidence, committed.stillThere);
  // Where no location is covered nothing is excluded anywhere: such a tombstone would say nothing, so it is withheld.
  const isAnyCovered = committed.roots.surfaces.some(({ alg }) => alg === 1);
  const judgement = judge(evidence, { allowTombstone: judgeOptions.allowTombstone && isAnyCovered });
  keepLost(engine, round, evidence);
  const attested = attestRequest(engine, round, { gathered, evidence, judgement, committed }, (answer) =>
    outcomeOf(engine, round, gathered, evidence, judgement, answer),
  );
  settleBystanders(engine, id, gathered.scan.unread);
  putSuspects(engine, id, [...gathered.suspects, ...gathered.unexplained]);
  return settleRequest(engine, round, attested, signal);
}

/** Losses that no policy names, of the rounds before this one: a later round must not forget them. */
function lostBefore(engine: Engine, id: RequestId, round: number): number {
  const sealed = engine.ledger.getSealed(id, `lost/${round - 1}`);
  return sealed === undefined ? 0 : Number(new TextDecoder().decode(sealed));
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
  { id, round, target, plan, purge, unresolvedIntents }: PurgedRound,
): Parameters<typeof gatherEvidence>[1] {
  const { ledger } = engine;
  const items = ledger.items(id);
  const needles = openNeedles(engine, id);
  const entries = ledger.denylistCount(id);
  const plans = Array.from({ length: round }, (_, index) => openPlan(engine, id, index + 1));
  const lost = plans
    .flatMap((one) => one?.items ?? [])
    .filter(({ because, present }) => because === "shared-destroy" && present);
  return {
    target: target.kind,
    identifiers: plan.identifiers,
    needles,
    items,
    baseline: openBaseline(ledger, ledger.getSealed(id, "baseline")),
    bystanders: openBaseline(ledger, ledger.getSealed(id, "bystanders")),
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
    surfaces: surfaceOutcomes(engine, evidence, engine.ledger.items(id)),
    bystanders:
      evidence.bystanders === "unknown" ? { checked: 0, intact: 0, lost: 0, lostByPolicy: 0 } : evidence.bystanders,
    denylist: engine.ledger.denylistCount(id),
    exitCode: judgement.exitCode,
  };
}
