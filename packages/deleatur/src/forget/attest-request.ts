// Attests what the judge allows, in one ledger transaction with its log entries, and seals receipt and outcome so that no crash tells them apart.
import { formatPersonCode, toHex } from "@deleatur/verify";
import { roundedCount } from "../audit/rounded-count.ts";
import { assembleReceipt } from "../attest/assemble-receipt.ts";
import { composeStatement } from "../attest/compose-statement.ts";
import type { Evidence } from "../attest/evidence.ts";
import type { Judgement } from "../attest/judgement.ts";
import { epochRootsEntry, findLogTrail } from "../attest/log-trail.ts";
import { proveExclusions } from "../attest/prove-exclusions.ts";
import { publicForm } from "../boundary/public-form.ts";
import type { Engine } from "../engine.ts";
import type { Gathered } from "../examine/gather-evidence.ts";
import { putSuspects } from "../examine/suspects.ts";
import type { RequestState } from "../ledger/request-record.ts";
import { artifactKey, surfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { textsCutOff } from "./deny.ts";
import { epochEvidence, surfaceStates } from "./attested-facts.ts";
import type { CommittedClosure } from "./commit-closure.ts";
import type { PurgedRound } from "./conclude-requests.ts";
import type { RequestOutcome } from "./outcome.ts";
import { keepRisks } from "./keep-risks.ts";
import { logBoundaryVersion, whoOf } from "./receive-request.ts";
import { sealOutcome } from "./settle-request.ts";
import { settleBystanders } from "./survey.ts";

export interface Judged {
  readonly gathered: Gathered;
  readonly evidence: Evidence;
  readonly judgement: Judgement;
  readonly committed: CommittedClosure;
  /** The epoch's roots are logged once, with the first request that they serve. */
  readonly epoch: { logIndex: number | undefined };
}

/** Where the request goes from here. */
export interface Attested {
  readonly state: RequestState;
  readonly why?: string;
  readonly until?: string;
}

/** Signs, logs and seals. Answers the outcome that now stands. @throws LedgerError RECEIPT_REJECTED where our own verifier would not take it */
export function attestRequest(
  engine: Engine,
  round: PurgedRound,
  judged: Judged,
  toOutcome: (attested: Attested) => RequestOutcome,
): RequestOutcome {
  const { ledger } = engine;
  const { id } = round;
  const { judgement, committed, gathered } = judged;
  let { logIndex } = judged.epoch;
  const attested = ledger.transaction(() => {
    const boundary = logBoundaryVersion(engine);
    const form = publicForm(engine.boundary);
    const { scan } = gathered;
    const now = engine.clock();
    logIndex ??= logEpoch(engine, judged, boundary);
    logJudgement(engine, round, judged);
    settleBystanders(engine, id, scan.unread);
    putSuspects(engine, id, [...gathered.suspects, ...gathered.unexplained]);
    keepRisks(engine, id, judged, { epoch: scan.epoch, logIndex });
    const next = nextState(judgement, now);
    const outcome = toOutcome(next);
    if (judgement.attestation.kind === "none") return sealOutcome(engine, round, outcome, undefined);
    const isRefusal = judgement.attestation.kind === "withheld";
    const { built, settled } = committed;
    const record = ledger.request(id);
    const trail = findLogTrail(ledger, { request: id, boundaryVersion: boundary.version, epoch: scan.epoch });
    const statement = composeStatement({
      request: {
        id,
        target: round.target.kind,
        who: whoOf(engine, id),
        none: round.target.kind === "person" ? round.target.none : [],
        ...(record?.received === undefined ? {} : { received: record.received }),
        ...(record?.due === undefined ? {} : { due: record.due }),
      },
      issued: now,
      boundary: { version: boundary.version, publicForm: form },
      judgement,
      roots: committed.roots,
      evidence: built === undefined ? null : epochEvidence(engine, round, judged, built.manifest, settled.dropped),
      states: surfaceStates(engine, id, judged.evidence),
      log: trail,
      hasAnchor: judged.evidence.ledger !== "no-anchor",
      textsCutOff: roundedCount(textsCutOff(ledger, id)),
    });
    const exclusion =
      isRefusal || built === undefined
        ? null
        : {
            manifest: built.manifest,
            proofs: proveExclusions(built, committed.roots, settled.dropped),
            epochKeys: committed.roots.epochKeys,
          };
    const { bytes } = assembleReceipt({
      statement,
      signer: ledger.keys,
      log: ledger,
      disclosed: trail.disclosed,
      exclusion,
    });
    const code = record?.personCode;
    return sealOutcome(
      engine,
      round,
      code === undefined ? outcome : { ...outcome, personCode: formatPersonCode(code) },
      bytes,
    );
  });
  // Only now does the entry stand: a request that could not be attested takes it back.
  judged.epoch.logIndex = logIndex;
  return attested;
}

function logEpoch(
  { ledger, clock }: Engine,
  { committed: { roots }, gathered: { scan } }: Judged,
  boundary: ReturnType<typeof logBoundaryVersion>,
): number {
  const logIndex = ledger.append(epochRootsEntry(roots, boundary, utcTime(clock()), scan.logSizeAtScan));
  ledger.recordEpoch(scan.epoch, {
    root: toHex(roots.B),
    boundaryDigest: boundary.digest,
    begun: scan.begun,
    finished: scan.finished,
    surfaces: roots.surfaces.map(({ id: surface, alg, commitment }) => ({ surface, alg, commitment })),
  });
  return logIndex;
}

function nextState({ attestation, reasons, verdict }: Judgement, now: Date): Attested {
  switch (attestation.kind) {
    case "erasure":
      // The verdict says whether a horizon is open; the clock may have gone back since the evidence was complete.
      if (verdict === "COMPLIANT" || attestation.effective.getTime() <= now.getTime()) return { state: "closed" };
      return { state: "confirming", why: "HORIZON_OPEN", until: utcTime(attestation.effective) };
    case "tombstone": {
      const last = Math.max(...attestation.risks.map(({ deadline }) => deadline.getTime()));
      return { state: "confirming", why: "RESIDUAL_RISKS", until: utcTime(new Date(last)) };
    }
    case "withheld":
      return { state: "stuck", why: attestation.code };
    case "none":
      // A write whose end is not known may still come: then even "nothing was there" is not yet true.
      return attestation.code === "NOTHING_FOUND" && reasons.every(({ code }) => code !== "INTENT_UNRESOLVED")
        ? { state: "closed" }
        : { state: "stuck", why: reasons[0]?.code ?? attestation.code };
  }
}

function logJudgement(engine: Engine, { id }: PurgedRound, { judgement, evidence, gathered }: Judged): void {
  const { ledger } = engine;
  const at = utcTime(engine.clock());
  ledger.append({
    type: "verdict",
    at,
    request: id,
    verdict: judgement.verdict ?? "none",
    reasons: [...new Set(judgement.reasons.map(({ code }) => code))].toSorted(),
  });
  for (const code of judgement.violations) {
    const mentions = code === "RESURRECTED" && evidence.back !== "unknown" ? evidence.back : [];
    if (mentions.length === 0) ledger.append({ type: "violation", at, code, surface: "", request: id });
    for (const { surface, key } of mentions) {
      if (surface === undefined) continue;
      const named =
        key === undefined
          ? {}
          : {
              name: toHex(
                gathered.scan.commitments.names.artifact({ surface: surfaceId(surface), key: artifactKey(key) }),
              ),
            };
      ledger.append({ type: "violation", at, code, surface, request: id, ...named });
    }
  }
}
