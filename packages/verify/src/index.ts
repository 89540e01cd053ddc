// The public face of the offline verifier: every export is named here, and nothing in this package imports Node or Deleatur.
export { compareBytes, compareUtf8, concatBytes, equalBytes, lp, textOf, u16, u32, u64, utf8 } from "./bytes.ts";
export { fromBase64, fromBase64Url, fromHex, toBase64, toBase64Url, toHex } from "./encodings.ts";
export { canonicalJson, canonicalKey, type JsonObject, type JsonValue } from "./canonical-json.ts";
export {
  artifactDigest,
  artifactNameValue,
  epochKey,
  fieldDigest,
  identifierNameValue,
  keyCommit,
  lineageKey,
  nameKey,
  nameOf,
  parentNameValue,
  tokenOf,
  type FieldType,
  type NameKind,
} from "./epoch-names.ts";
export { bitAt, EMPTY, leafHash, nodeHash, sparseRoot, type TreeNumber } from "./sparse-tree.ts";
export { queryWidth, verifyExclusion, type ExclusionReason, type ExclusionResult } from "./exclusion-proof.ts";
export {
  MAX_MULTIPROOF_QUERIES,
  MULTIPROOF_OPS,
  verifyExclusions,
  type MultiproofReason,
  type MultiproofResult,
} from "./exclusion-multiproof.ts";
export {
  boundaryRoot,
  horizonRoot,
  surfaceCommitment,
  UNCOVERED_REASONS,
  uncoveredRoot,
  type CommitmentAlg,
  type SurfaceCommitmentParts,
  type UncoveredReason,
} from "./surface-commitment.ts";
export {
  boundaryDigest,
  DEFAULT_HORIZON_LIMIT,
  SURFACE_ROLES,
  type DeclaredHorizon,
  type PublicExemption,
  type PublicForm,
  type PublicSurface,
  type SurfaceRole,
} from "./public-form.ts";
export { formatPersonCode, parsePersonCode, whoDigest } from "./person-code.ts";
export {
  logLeafHash,
  logNodeHash,
  logRoot,
  logRootOfHashes,
  verifyConsistency,
  verifyInclusion,
} from "./merkle-log.ts";
export {
  formatCheckpoint,
  formatNote,
  noteKeyId,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  verifyNote,
  type Checkpoint,
  type NoteResult,
  type NoteSignature,
  type NoteVerifier,
} from "./signed-note.ts";
export { parsePublicKey, publicKeyPem, verifyEd25519 } from "./ed25519.ts";
export { envelopeSigners, pae, STATEMENT_PAYLOAD_TYPE, type Envelope, type EnvelopeSignature } from "./dsse.ts";
export {
  ERASURE_PREDICATE,
  PROBE_NAMES,
  REQUIRED_PROBES,
  STATEMENT_TYPE,
  TOMBSTONE_PREDICATE,
  WITHHELD_PREDICATE,
  type Approval,
  type AttestedBoundary,
  type AttestedSurface,
  type Base64,
  type Closure,
  type Deletion,
  type Dropped,
  type EpochPredicate,
  type ErasureStatement,
  type HexDigest,
  type Horizon,
  type NotApplicable,
  type ProbeName,
  type ProbeRun,
  type ResidualRisk,
  type Statement,
  type SurfaceState,
  type TombstoneStatement,
  type UtcTime,
  type Who,
  type WithheldPredicate,
  type WithheldStatement,
} from "./statement.ts";
export {
  COSIGNATURE_PAYLOAD_TYPE,
  RECEIPT_MEDIA_TYPE,
  RECEIPT_VERSION,
  type Cosignature,
  type LogProof,
  type Manifest,
  type ManifestArtifact,
  type ProofGroup,
  type Receipt,
  type ReceiptLog,
} from "./receipt.ts";
export type {
  AttestationEntry,
  BoundaryVersionEntry,
  EpochRootsEntry,
  LogEntry,
  PurgeFinishedEntry,
  RequestEntry,
} from "./log-entry.ts";
export {
  DEFAULT_LIMITS,
  parseExpectList,
  type ExpectList,
  type OwnScope,
  type VerifyLimits,
  type VerifyOptions,
} from "./options.ts";
export {
  CHECK_CODES,
  type Check,
  type CheckCode,
  type CheckStatus,
  type VerifyOutcome,
  type VerifyReport,
} from "./report.ts";
export { MalformedError, parseStrictJson } from "./decode/strict-json.ts";
export { verifyReceipt } from "./verify-receipt.ts";
