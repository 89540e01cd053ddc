// The public face of Deleatur for applications: every export is named here.
export { attestErasure, type AttestationDecision, type AttestOrder } from "./attest/attest-erasure.ts";
export { auditErasure, type AuditVerdict } from "./attest/audit-erasure.ts";
export type { ErasureClaim, Evidence, SurfaceEvidence, Survivor } from "./attest/evidence.ts";
export { judge } from "./attest/judge.ts";
export type { AttestationAnswer, JudgedError, Judgement, Reason, ReasonCode, Verdict } from "./attest/judgement.ts";
export { verdictReport, type VerdictReport } from "./attest/verdict-report.ts";
export type { HeldDecision } from "./audit/review-held.ts";
export type { BoundaryInput } from "./boundary/boundary-input.ts";
export { defineBoundary, loadBoundary } from "./boundary/parse-boundary.ts";
export { publicForm } from "./boundary/public-form.ts";
export type { Rederiver } from "./engine.ts";
export type { ForgetOrder } from "./forget/forget-order.ts";
export type { DryRun, RequestOutcome, SurfaceOutcome } from "./forget/outcome.ts";
export type { GivenTarget } from "./forget/target.ts";
export type { Artifact, ContentField } from "./model/artifact.ts";
export type { Boundary } from "./model/declaration.ts";
export {
  BoundaryError,
  DeleaturError,
  DerivationClosureError,
  ErasureAuditError,
  LedgerError,
  StoreError,
  UsageError,
  WriteRefusedError,
} from "./model/errors.ts";
export { type Deleatur, openDeleatur, type OpenOptions } from "./open-deleatur.ts";
export type { LeaseOptions } from "./participate/hold-lease.ts";
export { type HeldEntry, type MapLike, memoryOf, type ProcessMemory } from "./participate/process-memory.ts";
export type { Participant } from "./participate/take-part.ts";
export type { ProgressEvent } from "./progress.ts";
export type { GivenContent, GivenWrite } from "./record/given-write.ts";
export { type Held, type HeldWrite, isHeld } from "./record/hold-write.ts";
