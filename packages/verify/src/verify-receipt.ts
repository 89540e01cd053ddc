// Verifies a receipt offline: one readable run over every check of PROOFS §4. It must never throw on hostile input, nor leave a check out.
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, lp, textOf, utf8 } from "./bytes.ts";
import {
  checkBoundaryForm,
  checkHorizonBounds,
  checkScope,
  checkSurfaces,
  readScope,
  type Scope,
} from "./check/boundary.ts";
import { checkBoundaryRoot, checkCommitments, checkEpochKeys, surfaceKeys } from "./check/commitments.ts";
import { checkExclusions, checkQueries, fixedQueries, queryBound } from "./check/exclusions.ts";
import { checkBoundaryHistory } from "./check/history.ts";
import {
  checkLogBinding,
  checkLogOrder,
  includedEntries,
  isFinding,
  openCheckpoint,
  trailOf,
  type LogTrail,
} from "./check/log.ts";
import { checkDropped, checkManifest } from "./check/manifest.ts";
import { mathematics, operatorsWord, outcomeOf, type Judged } from "./check/outcome.ts";
import { checkCosignatures, checkPerson } from "./check/people.ts";
import { checkPredicate } from "./check/predicate.ts";
import { checkEffective, checkTime, isEffective } from "./check/time.ts";
import { decodeReceipt } from "./decode/receipt.ts";
import { decodeStatement } from "./decode/statement.ts";
import { MalformedError } from "./decode/strict-json.ts";
import { envelopeSigners, STATEMENT_PAYLOAD_TYPE } from "./dsse.ts";
import { fromBase64, toHex } from "./encodings.ts";
import { DEFAULT_LIMITS, readKeys, type VerifyLimits, type VerifyOptions } from "./options.ts";
import type { Receipt } from "./receipt.ts";
import { CheckRecorder, fail, notApplicable, pass, warn, type CheckCode, type VerifyReport } from "./report.ts";
import { ERASURE_PREDICATE, WITHHELD_PREDICATE, type EpochPredicate, type Statement } from "./statement.ts";

/** What the verifier brings, read once: what is wrong in it is the caller's, and thrown. */
interface Own {
  readonly options: VerifyOptions;
  readonly pinned: readonly Uint8Array[];
  readonly logKeys: readonly Uint8Array[];
  readonly auditors: readonly Uint8Array[];
  readonly scope: Scope | undefined;
  readonly limits: VerifyLimits;
}

function readOptions(options: VerifyOptions): Own {
  const { threshold, now, personCode, scope, identifiers = [] } = options;
  if (!Number.isSafeInteger(threshold) || threshold < 1)
    throw new RangeError("the threshold of signatures is a whole number from 1");
  if (Number.isNaN(now.getTime())) throw new RangeError("the verifier needs a clock value that is a time");
  if (personCode !== undefined && personCode.length !== 32) throw new RangeError("a person code is 32 bytes");
  // What has no bytes has no digest: told here, since in the run it would read as a flaw of the receipt.
  for (const { type, identifier } of identifiers) concatBytes(lp(type), utf8(identifier));
  const pinned = readKeys(options.publicKeys);
  return {
    options,
    pinned,
    logKeys: options.logKeys === undefined ? pinned : readKeys(options.logKeys),
    auditors: readKeys(options.auditorKeys),
    scope: scope === undefined ? undefined : readScope(scope),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  };
}

interface Signed {
  readonly receipt: Receipt;
  readonly payload: Uint8Array;
  readonly signers: number;
}

/** Size → strict form → payload type → threshold of distinct pinned keys over the PAE. */
function openReceipt(
  source: Uint8Array | string,
  checks: CheckRecorder,
  { options, pinned, limits: { maxBytes } }: Own,
): Signed | undefined {
  // A string has at least one UTF-8 byte for each unit.
  if (source.length > maxBytes) checks.record("SIZE", fail(`the receipt is larger than ${maxBytes} bytes`));
  else checks.record("SIZE", pass("the receipt's size is within the limit"));
  if (!checks.holds("SIZE")) return undefined;
  let receipt: Receipt;
  try {
    receipt = decodeReceipt(typeof source === "string" ? source : textOf(source));
  } catch (error) {
    if (!(error instanceof MalformedError || error instanceof RangeError)) throw error;
    checks.record("RECEIPT_FORM", fail(`no receipt of this version: ${error.message}`));
    return undefined;
  }
  checks.record("RECEIPT_FORM", pass("a receipt of version 1, nothing unknown in it"));
  const { payloadType, signatures } = receipt.envelope;
  if (payloadType !== STATEMENT_PAYLOAD_TYPE) {
    checks.record("PAYLOAD_TYPE", fail("the envelope's payload is not an in-toto statement"));
    return undefined;
  }
  checks.record("PAYLOAD_TYPE", pass("the envelope's payload is an in-toto statement"));
  const payload = fromBase64(receipt.envelope.payload);
  const signers = envelopeSigners(payloadType, payload, signatures, pinned).length;
  const message = `${signers} distinct pinned keys signed, ${options.threshold} are wanted`;
  checks.record("SIGNATURES", signers >= options.threshold ? pass(message) : fail(message));
  return signers >= options.threshold ? { receipt, payload, signers } : undefined;
}

/** The kind, and that the receipt carries what its kind has and nothing else. */
function checkKind(statement: Statement, receipt: Receipt, checks: CheckRecorder): void {
  if (statement.predicateType !== WITHHELD_PREDICATE) {
    checks.record(
      "KIND",
      pass(
        statement.predicateType === ERASURE_PREDICATE ? "an erasure" : "a tombstone: it covers less than the inventory",
      ),
    );
    return;
  }
  const isBare = receipt.proofs.length === 0 && receipt.manifest === null && receipt.epochKeys === null;
  checks.record(
    "KIND",
    isBare ? pass("withheld: a refusal to attest") : fail("a withheld receipt carries proofs, a manifest or keys"),
  );
}

const OF_EPOCHS_ONLY: readonly CheckCode[] = [
  "DOMAIN", "SURFACE_STATES", "DELETION", "FENCE", "PROBES", "SUSPECTS", "LINEAGE", "INTENTS", "DENYLIST", "RESIDUAL_RISKS",
  "EXEMPTIONS", "BYSTANDERS", "HORIZON_BOUNDS", "EPOCH_KEYS", "COMMITMENTS", "MANIFEST", "DROPPED", "QUERIES", "EXCLUSION", "EFFECTIVE",
]; // prettier-ignore

/** Manifest → fixed queries → exclusion per surface; the number of queries that were excluded. */
function checkProofs(
  predicate: EpochPredicate,
  receipt: Receipt,
  checks: CheckRecorder,
  { options, limits }: Own,
): number {
  const keys = surfaceKeys(receipt.epochKeys, options.epochKeys);
  checks.record("EPOCH_KEYS", ...checkEpochKeys(predicate, keys));
  checks.record("COMMITMENTS", ...checkCommitments(predicate));
  const { manifest, proofs } = receipt;
  checks.record("MANIFEST", ...checkManifest(predicate, manifest));
  if (manifest === null || !checks.holds("MANIFEST")) return 0;
  const dropped = checkDropped(predicate, manifest);
  checks.record("DROPPED", ...dropped);
  if (dropped.some(({ status }) => status === "fail")) return 0;
  if (queryBound(predicate, manifest) > limits.maxQueries) {
    checks.record("QUERIES", fail("there can be more queries than this verifier's limit"));
    return 0;
  }
  const queries = fixedQueries(predicate, manifest);
  checks.record("QUERIES", ...checkQueries(predicate, queries, proofs));
  if (!checks.holds("QUERIES") || !checks.holds("EPOCH_KEYS") || keys === undefined) return 0;
  checks.record("EXCLUSION", ...checkExclusions(queries, proofs, keys));
  return queries.reduce((sum, each) => sum + each.queries.length, 0);
}

/** Checkpoint → inclusion → order → binding → the boundary's history. */
function checkLog(statement: Statement, signed: Signed, checks: CheckRecorder, own: Own): LogTrail | undefined {
  const { log } = signed.receipt;
  const origin = statement.predicateType === WITHHELD_PREDICATE ? null : statement.predicate.log.origin;
  const checkpoint = openCheckpoint(log, own.logKeys, origin);
  if (isFinding(checkpoint)) {
    checks.record("LOG_CHECKPOINT", checkpoint);
    return undefined;
  }
  checks.record(
    "LOG_CHECKPOINT",
    pass(`a checkpoint of ${checkpoint.size} entries, signed by a trusted key of the log`),
  );
  const entries = includedEntries(log, checkpoint);
  if (isFinding(entries)) {
    checks.record("LOG_INCLUSION", entries);
    return undefined;
  }
  checks.record("LOG_INCLUSION", pass(`${entries.length} log entries are included under the checkpoint`));
  const trail = trailOf(entries);
  if (trail === undefined) {
    checks.record("LOG_ORDER", fail("a log entry is missing, or stands twice"));
    return undefined;
  }
  checks.record("LOG_ORDER", ...checkLogOrder(statement, trail));
  checks.record("LOG_BINDING", ...checkLogBinding(statement, toHex(sha256(signed.payload)), trail));
  checks.record("BOUNDARY_HISTORY", ...checkBoundaryHistory(statement.predicate.boundary, trail));
  return trail;
}

/** What only erasures and tombstones have; a withheld statement's root is the boundary digest, or is held against the log. */
function checkEpoch(statement: Statement, signed: Signed, checks: CheckRecorder, own: Own): number {
  const root = statement.subject[0].digest.sha256;
  if (statement.predicateType === WITHHELD_PREDICATE) {
    for (const code of OF_EPOCHS_ONLY) checks.record(code, notApplicable("a refusal to attest claims nothing here"));
    const { epoch, boundary } = statement.predicate;
    if (epoch !== null) checks.record("BOUNDARY_ROOT", pass("the root is the logged one of an epoch, see LOG_BINDING"));
    else if (root === boundary.digest)
      checks.record("BOUNDARY_ROOT", pass("no epoch was scanned: the subject is the inventory"));
    else checks.record("BOUNDARY_ROOT", fail("no epoch was scanned and the subject is not the inventory"));
    return 0;
  }
  const { predicate } = statement;
  const kind = statement.predicateType === ERASURE_PREDICATE ? "erasure" : "tombstone";
  for (const [code, findings] of checkPredicate(kind, predicate)) checks.record(code, ...findings);
  checks.record("HORIZON_BOUNDS", ...checkHorizonBounds(own.scope, predicate));
  checks.record("BOUNDARY_ROOT", checkBoundaryRoot(predicate, root));
  return checkProofs(predicate, signed.receipt, checks, own);
}

const UNREAD = {
  outcome: { kind: "invalid", exitCode: 24 },
  scope: "not checked",
  restsOnMathematics: [],
  restsOnOperator: [],
} as const;

function verify(source: Uint8Array | string, own: Own, checks: CheckRecorder): Omit<VerifyReport, "checks"> {
  const { options, scope } = own;
  const signed = openReceipt(source, checks, own);
  if (signed === undefined) return UNREAD;
  const { receipt, payload, signers } = signed;
  let statement: Statement;
  try {
    statement = decodeStatement(payload);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    checks.record("STATEMENT_FORM", fail(`no statement of this version: ${error.message}`));
    return UNREAD;
  }
  checks.record("STATEMENT_FORM", pass("a statement of version 1 in canonical JSON, nothing unknown in it"));
  checkKind(statement, receipt, checks);
  checks.record("BOUNDARY_FORM", checkBoundaryForm(statement));
  checks.record("SURFACES", ...checkSurfaces(statement));
  checks.record("SCOPE", ...checkScope(scope, statement.predicate.boundary));
  const queries = checkEpoch(statement, signed, checks, own);
  const trail = checkLog(statement, signed, checks, own);
  checks.record("PERSON", checkPerson(options, statement));
  const operatorKeys = [...own.pinned, ...own.logKeys];
  const cosigned = checkCosignatures(
    receipt.cosignatures,
    statement,
    toHex(sha256(payload)),
    own.auditors,
    operatorKeys,
  );
  checks.record("COSIGNATURES", cosigned.finding);
  checks.record(
    "TIMESTAMP",
    receipt.timestamp === null
      ? notApplicable("no time-stamp token")
      : warn("a time-stamp token is carried and not judged by this version"),
  );
  checks.record("TIME", checkTime(statement, options.now, trail));
  const ofEpoch = statement.predicateType === WITHHELD_PREDICATE ? undefined : statement.predicate;
  if (ofEpoch !== undefined) checks.record("EFFECTIVE", ...checkEffective(ofEpoch, options.now, trail));

  const judged: Judged = {
    statement,
    hasFailed: checks.hasFailed(),
    hasScope: checks.holds("SCOPE"),
    hasExclusion: checks.holds("EXCLUSION"),
    auditors: cosigned.auditors,
    acceptSelfAttested: options.acceptSelfAttested,
    isEffective: ofEpoch !== undefined && isEffective(ofEpoch, options.now),
  };
  return {
    outcome: outcomeOf(judged),
    scope: scope?.kind ?? "not checked",
    restsOnMathematics: mathematics(judged, signers, queries, scope),
    restsOnOperator: operatorsWord(judged),
  };
}

/**
 * Verifies a receipt (`*.deleatur.json`, hostile input) against what the verifier brings of its own. Returns every check in order,
 * also those not reached. The outcome's exit code is DESIGN §8's. Needs no network and no clock but `options.now`.
 * @throws RangeError or MalformedError where the *options* are wrong; nothing in the receipt makes it throw
 */
export function verifyReceipt(receiptBytes: Uint8Array | string, options: VerifyOptions): VerifyReport {
  const own = readOptions(options);
  const checks = new CheckRecorder();
  let report: Omit<VerifyReport, "checks">;
  try {
    report = verify(receiptBytes, own, checks);
    checks.record("VERIFIER", pass("the verifier ran to its end"));
  } catch (error) {
    // Fail closed: a fault of ours, met on hostile input, must read as invalid and be seen.
    checks.record(
      "VERIFIER",
      fail(`the verifier itself failed (${error instanceof Error ? error.name : "unknown"}), so nothing holds`),
    );
    report = UNREAD;
  }
  return { ...report, checks: checks.checks() };
}
