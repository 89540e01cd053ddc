// Who it is about and who looked twice: the person code (VERIFY-6) and the auditors' co-signatures (VERIFY-5).
import { equalBytes } from "../bytes.ts";
import { decodeCosignature } from "../decode/cosignature.ts";
import { MalformedError } from "../decode/strict-json.ts";
import { envelopeSigners, type Envelope } from "../dsse.ts";
import { fromBase64, toHex } from "../encodings.ts";
import type { VerifyOptions } from "../options.ts";
import { whoDigest } from "../person-code.ts";
import { COSIGNATURE_PAYLOAD_TYPE, type Cosignature } from "../receipt.ts";
import { fail, notApplicable, pass, warn, type Finding } from "../report.ts";
import type { Statement } from "../statement.ts";

/** Whether every identifier given is one of the statement's, under the person code. */
export function checkPerson(options: VerifyOptions, { predicate: { who } }: Statement): Finding {
  const { personCode, identifiers = [] } = options;
  if (personCode === undefined && identifiers.length === 0) return notApplicable("no person code was given");
  if (personCode === undefined || identifiers.length === 0)
    return warn("a person is checked only with the code and the identifiers together");
  const known = new Set(who.map(({ type, digest }) => `${type}\0${digest}`));
  const given = new Set(
    identifiers.map(({ type, identifier }) => `${type}\0${toHex(whoDigest(personCode, type, identifier))}`),
  );
  for (const each of given)
    if (!known.has(each)) return fail("an identifier given is not one that this receipt is about");
  return pass(
    `the receipt is about the person of this code: ${given.size} of ${known.size} identifiers given and matched`,
  );
}

/** Whether a signed co-signature is about this very statement. */
function isAbout(cosignature: Cosignature, statement: Statement, payloadDigest: string): boolean {
  return (
    cosignature.payloadDigest === payloadDigest &&
    cosignature.boundary === statement.predicate.boundary.id &&
    cosignature.epoch === statement.predicate.epoch &&
    cosignature.root === statement.subject[0].digest.sha256
  );
}

function decoded(envelope: Envelope, payload: Uint8Array): Cosignature | string {
  if (envelope.payloadType !== COSIGNATURE_PAYLOAD_TYPE) return "a co-signature of an unknown payload type";
  try {
    return decodeCosignature(payload);
  } catch (error) {
    if (error instanceof MalformedError) return `a co-signature is malformed: ${error.message}`;
    throw error;
  }
}

export interface CosignatureResult {
  readonly finding: Finding;
  /** Distinct trusted auditors who co-signed this statement. */
  readonly auditors: number;
}

/**
 * Counts the trusted auditors who co-signed this very statement. An auditor's key that is also one of the operator's pinned or log
 * keys counts for nothing: the same pair of eyes is no second one.
 */
export function checkCosignatures(
  cosignatures: readonly Envelope[],
  statement: Statement,
  payloadDigest: string,
  auditorKeys: readonly Uint8Array[],
  operatorKeys: readonly Uint8Array[],
): CosignatureResult {
  const auditors = auditorKeys.filter((key) => !operatorKeys.some((own) => equalBytes(own, key)));
  const signed: Uint8Array[] = [];
  for (const envelope of cosignatures) {
    const payload = fromBase64(envelope.payload);
    const cosignature = decoded(envelope, payload);
    if (typeof cosignature === "string") return { finding: fail(cosignature), auditors: 0 };
    if (!isAbout(cosignature, statement, payloadDigest))
      return { finding: fail("a co-signature is about another statement"), auditors: 0 };
    for (const key of envelopeSigners(envelope.payloadType, payload, envelope.signatures, auditors))
      if (!signed.some((known) => equalBytes(known, key))) signed.push(key);
  }
  if (signed.length > 0)
    return { finding: pass(`co-signed by ${signed.length} trusted auditors`), auditors: signed.length };
  const why =
    cosignatures.length === 0
      ? "self-attested: nobody co-signed"
      : "self-attested: no trusted auditor is among those who co-signed";
  return { finding: warn(why), auditors: 0 };
}
