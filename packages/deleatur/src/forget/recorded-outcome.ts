// The outcome of a request as its record keeps it: what is left to tell after it ended, survivors and keys no longer among it.
import type { Reason } from "../attest/judgement.ts";
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import { textsCutOff } from "./deny.ts";
import type { RequestOutcome } from "./outcome.ts";

/** @throws UsageError REQUEST_UNKNOWN, of an audit's ticket too: nobody made it as a request */
export function recordedOutcome(engine: Engine, id: RequestId): RequestOutcome {
  const record = engine.ledger.request(id);
  if (record?.received === undefined) {
    throw new UsageError("REQUEST_UNKNOWN", "no request has this id, see `deleatur requests`", {
      place: { request: id },
    });
  }
  const summary = record.reasons as RecordedSummary | undefined;
  return {
    request: id,
    state: record.state,
    ...(record.why === undefined ? {} : { why: record.why }),
    ...(record.until === undefined ? {} : { until: record.until }),
    ...(record.verdict === undefined ? {} : { verdict: record.verdict }),
    reasons: summary?.reasons ?? [],
    attestation: reviveAttestation(summary),
    survivors: [],
    back: [],
    suspects: summary?.suspects ?? { open: 0, reviewed: 0 },
    surfaces: summary?.surfaces ?? [],
    bystanders: summary?.bystanders ?? { checked: 0, intact: 0, lost: 0, lostByPolicy: 0 },
    denylist: engine.ledger.denylistCount(id),
    textsCutOff: textsCutOff(engine.ledger, id),
    ...(record.receipt === undefined ? {} : { receipt: record.receipt }),
    exitCode: summary?.exitCode ?? 1,
  };
}

/** What the record keeps under `reasons`: nothing of it names a key or a person. */
export interface RecordedSummary {
  readonly reasons: readonly Reason[];
  readonly attestation: RequestOutcome["attestation"];
  readonly suspects: RequestOutcome["suspects"];
  readonly surfaces: RequestOutcome["surfaces"];
  readonly bystanders: RequestOutcome["bystanders"];
  readonly exitCode: number;
}

/** Dates went through JSON. */
function reviveAttestation(summary: RecordedSummary | undefined): RequestOutcome["attestation"] {
  const attestation = summary?.attestation;
  if (attestation === undefined) return { kind: "none", code: "NOT_JUDGED" };
  const risks =
    "risks" in attestation ? attestation.risks.map((risk) => ({ ...risk, deadline: new Date(risk.deadline) })) : [];
  switch (attestation.kind) {
    case "erasure":
      return { kind: "erasure", effective: new Date(attestation.effective) };
    case "tombstone":
      return { kind: "tombstone", effective: new Date(attestation.effective), risks };
    case "withheld":
      return { ...attestation, risks };
    case "none":
      return attestation;
  }
}
