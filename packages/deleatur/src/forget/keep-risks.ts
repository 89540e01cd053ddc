// Keeps the ledger of residual risks: what an attestation opens, and what a later one no longer has and thereby closes by evidence (RISK-1).
import type { Evidence } from "../attest/evidence.ts";
import type { Judgement } from "../attest/judgement.ts";
import type { Engine } from "../engine.ts";
import type { Risk, RiskEvidence, RiskOrder } from "../ledger/ledger.ts";
import { surfaceId, type RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";

const HORIZON_OPEN = "HORIZON_OPEN";

/** `audit` is the epoch that was just judged and the log entry of its roots. */
export function keepRisks(
  engine: Engine,
  request: RequestId,
  judged: { readonly judgement: Judgement; readonly evidence: Evidence },
  audit: { readonly epoch: number; readonly logIndex: number },
): void {
  const { ledger } = engine;
  const at = utcTime(engine.clock());
  const open = ledger.risks().filter((risk) => risk.request === request && risk.closed === undefined);
  const orders = [...openRisks(judged.judgement), ...openHorizons(judged)].map((order) => ({ ...order, request }));
  const ids = ledger.openRisks(orders);
  for (const [index, { surface, kind, deadline }] of orders.entries()) {
    const risk = ids[index];
    if (risk === undefined || open.some(({ id }) => id === risk)) continue;
    ledger.append({ type: "risk-opened", at, risk, request, surface, kind, deadline });
  }
  // A refusal has not looked at everything, so it closes nothing.
  const { kind: answer } = judged.judgement.attestation;
  if (answer !== "erasure" && answer !== "tombstone") return;
  for (const { id, surface, kind, ...risk } of open) {
    if (ids.includes(id)) continue;
    ledger.closeRisk(id, evidenceFor({ kind, deadline: risk.deadline }, audit));
    ledger.append({ type: "risk-closed", at, risk: id, request, surface, kind });
  }
}

/** A horizon is closed by its passing, everything else by the audit that looked. */
function evidenceFor(
  { kind, deadline }: Pick<Risk, "kind" | "deadline">,
  audit: { readonly epoch: number; readonly logIndex: number },
): RiskEvidence {
  return kind === HORIZON_OPEN ? { kind: "horizon", until: deadline } : { kind: "audit", ...audit };
}

function openRisks({ attestation }: Judgement): readonly Omit<RiskOrder, "request">[] {
  const risks = "risks" in attestation ? attestation.risks : [];
  return risks.flatMap(({ surface, code, cure, deadline }) =>
    surface === undefined
      ? []
      : [{ surface: surfaceId(surface), kind: code, cure, deadline: deadline.toISOString(), detail: null }],
  );
}

/** Copies out of reach of an erasure that is not in effect yet. */
function openHorizons({
  judgement: { attestation },
  evidence,
}: {
  readonly judgement: Judgement;
  readonly evidence: Evidence;
}): readonly Omit<RiskOrder, "request">[] {
  if (attestation.kind !== "erasure") return [];
  return evidence.surfaces.flatMap(({ surface, horizon, state }) => {
    if (typeof horizon !== "object" || state === "unknown" || horizon.until <= evidence.at) return [];
    const cure = "run `deleatur risks --due` after this date: the confirming audit closes it";
    const deadline = horizon.until.toISOString();
    return [{ surface: surfaceId(surface), kind: HORIZON_OPEN, cure, deadline, detail: null }];
  });
}
