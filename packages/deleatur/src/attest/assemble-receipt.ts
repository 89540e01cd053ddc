// Signs a statement, logs it and assembles its receipt, in one go inside one ledger transaction. What our own verifier rejects never leaves.
import {
  type AttestationEntry,
  canonicalJson,
  type HexDigest,
  type LogProof,
  type Manifest,
  type ProofGroup,
  type Receipt,
  RECEIPT_MEDIA_TYPE,
  RECEIPT_VERSION,
  type Statement,
  toBase64,
  toHex,
  verifyReceipt,
  type VerifyOutcome,
  WITHHELD_PREDICATE,
} from "@deleatur/verify";
import type { TransparencyLog } from "../ledger/ledger.ts";
import { LedgerError, UsageError } from "../model/errors.ts";
import { canonicalBytes } from "./canonical-bytes.ts";
import { sha256 } from "./fast-hash.ts";
import { signStatement, type StatementSigner } from "./sign-statement.ts";

export interface ReceiptParts {
  readonly statement: Statement;
  readonly signer: StatementSigner;
  readonly log: Pick<TransparencyLog, "append" | "logSize" | "logEntry" | "inclusionProof" | "checkpoint">;
  /** `LogTrail.disclosed`: the attestation's own entry is added. */
  readonly disclosed: readonly number[];
  /** null where the statement is a refusal. */
  readonly exclusion: {
    readonly manifest: Manifest;
    readonly proofs: readonly ProofGroup[];
    readonly epochKeys: { readonly [surface: string]: string };
  } | null;
}

export interface AssembledReceipt {
  /** The bytes of the `*.deleatur.json` file. */
  readonly bytes: Uint8Array;
  /** Of the attestation's entry. */
  readonly logIndex: number;
  readonly payloadDigest: HexDigest;
  /** What the verifier says of it with the boundary pinned and the operator's word taken. */
  readonly outcome: VerifyOutcome;
}

/**
 * Synchronous: call it inside `ledger.transaction`, so that a receipt that fails its own check leaves no attestation in the log.
 * @throws LedgerError RECEIPT_REJECTED, KEY_WRONG; UsageError where parts do not fit the kind
 */
export function assembleReceipt(parts: ReceiptParts): AssembledReceipt {
  const { statement, signer, log, exclusion } = parts;
  if ((exclusion === null) !== (statement.predicateType === WITHHELD_PREDICATE))
    throw new UsageError("PROOFS_MISSING", "a receipt has manifest, proofs and keys exactly where it is no refusal");
  const { envelope, payload } = signStatement(statement, signer);
  const payloadDigest = toHex(sha256(payload));
  const { request, issued } = statement.predicate;
  const { predicateType } = statement;
  const entry: AttestationEntry = { type: "attestation", at: issued, request, predicateType, payloadDigest };
  const logIndex = log.append(entry);
  const size = log.logSize();
  const entries = [...parts.disclosed, logIndex].map((index) => discloseEntry(log, index, size));
  const receipt: Receipt = {
    mediaType: RECEIPT_MEDIA_TYPE,
    version: RECEIPT_VERSION,
    envelope,
    proofs: exclusion?.proofs ?? [],
    manifest: exclusion?.manifest ?? null,
    epochKeys: exclusion?.epochKeys ?? null,
    log: { checkpoint: log.checkpoint(), entries },
    cosignatures: [],
    timestamp: null,
  };
  const bytes = canonicalBytes(receipt);
  return { bytes, logIndex, payloadDigest, outcome: checkReceipt(bytes, statement, signer.publicKey) };
}

function discloseEntry(log: ReceiptParts["log"], index: number, size: number): LogProof {
  return { index, entry: log.logEntry(index).entry, proof: log.inclusionProof(index, size).map(toBase64) };
}

/** Verifies a fresh receipt as a stranger would who pins the key and the boundary. */
function checkReceipt(bytes: Uint8Array, statement: Statement, publicKey: Uint8Array): VerifyOutcome {
  const { outcome, checks } = verifyReceipt(bytes, {
    publicKeys: [publicKey],
    threshold: 1,
    scope: { boundary: canonicalJson(statement.predicate.boundary.publicForm) },
    acceptSelfAttested: true,
    auditorKeys: [],
    now: new Date(statement.predicate.issued),
    limits: { maxBytes: bytes.length, maxQueries: Number.MAX_SAFE_INTEGER },
  });
  if (outcome.kind === "invalid" || outcome.kind === "signature-holds") {
    const failed = checks.filter(({ status }) => status === "fail");
    const why = failed.map(({ code, message }) => `${code}: ${message}`).join("; ");
    throw new LedgerError(
      "RECEIPT_REJECTED",
      `the receipt does not pass its own verification, nothing is issued: ${why}`,
      {
        place: { request: statement.predicate.request },
        cure: "withhold the attestation with what failed as its reason, and report this as a bug",
      },
    );
  }
  return outcome;
}
