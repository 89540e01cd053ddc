// `audit prepare`: fingerprints a target before a foreign tool runs. The ticket holds no text; what the audit needs is sealed in the ledger under its own key.
import { toHex } from "@deleatur/verify";
import { logBoundaryVersion } from "../forget/receive-request.ts";
import { planAlone } from "../forget/plan-together.ts";
import { surveyOrder, surveySurvivors } from "../forget/survey.ts";
import { parseTarget, type GivenTarget } from "../forget/target.ts";
import type { Engine } from "../engine.ts";
import { sweepCanaries } from "../examine/sweep-canaries.ts";
import { sealedValue, type SealedValue } from "../ledger/sealed-value.ts";
import { type ArtifactRef, requestId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { harvestLineage, recordHarvest } from "../record/harvest.ts";
import { openNeedles, sealNeedles } from "../examine/kept-needles.ts";

/** Format of the ticket file. */
export const TICKET_FORMAT = "deleatur-audit-ticket/1";
const DEFAULT_DAYS = 14;
const DAY_MS = 24 * 3600 * 1000;

/** Who or what a ticket is about, beside the needles and the baseline. */
export interface Audited {
  readonly target: "person" | "records";
  readonly identifiers: readonly SubjectIdentifier[];
  /** The named records, there or not; none for a person. */
  readonly refs: readonly ArtifactRef[];
  /** Whose the named records are; none for a person. */
  readonly owners: readonly SubjectIdentifier[];
  readonly identifiersUnknown: readonly { readonly surface: SurfaceId; readonly type: string }[];
}

export const AUDITED: SealedValue<Audited> = sealedValue("audit");

export interface AuditTicket {
  readonly format: typeof TICKET_FORMAT;
  /** Random id under which the fingerprints are sealed. */
  readonly ticket: string;
  readonly boundary: string;
  readonly prepared: string;
  readonly expires: string;
  /** How many artifacts the audit will look for. */
  readonly artifacts: number;
}

/** Takes the needles and the baseline; touches no store. */
export async function prepareAudit(
  engine: Engine,
  given: GivenTarget,
  signal: AbortSignal,
  days: number = DEFAULT_DAYS,
): Promise<AuditTicket> {
  const { ledger } = engine;
  const target = parseTarget(given, engine.boundary);
  const id = requestId(toHex(engine.random(16)));
  const now = engine.clock();
  const expires = new Date(now.getTime() + days * DAY_MS);
  await sweepCanaries(engine, signal);
  const harvest = await harvestLineage(engine, signal);
  recordHarvest(engine, harvest);
  const plan = planAlone(engine, target, harvest);
  const { digest } = logBoundaryVersion(engine);
  // Not a request about the person: a later forget must not join it, so the selector stays empty and the target is sealed beside.
  ledger.openRequest({
    id,
    target: "records",
    identifiers: [],
    refs: [],
    boundaryDigest: digest,
    due: utcTime(expires),
    options: { audit: true },
  });
  AUDITED.put(ledger, id, {
    target: target.kind,
    identifiers: plan.identifiers,
    refs: target.kind === "records" ? target.refs : [],
    owners: plan.owners,
    identifiersUnknown: plan.identifiersUnknown,
  });
  ledger.putItems(
    id,
    plan.items
      .filter(({ present }) => present)
      .map(({ ref, action, depth, origins }) => ({ ref, action, depth, origins })),
  );
  await sealNeedles(
    engine,
    id,
    1,
    plan.items
      .filter(({ present }) => present)
      .map(({ ref, action }) => ({
        ref,
        fate: action === "keep" ? "kept" : "erased",
        withContent: true,
      })),
    undefined,
    signal,
  );
  await surveySurvivors(engine, [surveyOrder(id, plan, openNeedles(engine, id))], [plan], signal);
  return {
    format: TICKET_FORMAT,
    ticket: id,
    boundary: engine.boundary.id,
    prepared: utcTime(now),
    expires: utcTime(expires),
    artifacts: plan.items.filter(({ present }) => present).length,
  };
}
