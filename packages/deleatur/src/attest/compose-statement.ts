// Composes the statement that the judgement allows: erasure, tombstone or the refusal (PROOFS §4). Pure; it must not be able to say more than the judge did.
import {
  boundaryDigest,
  canonicalJson,
  ERASURE_PREDICATE,
  type Statement,
  STATEMENT_TYPE,
  type SurfaceState,
  toHex,
  TOMBSTONE_PREDICATE,
  WITHHELD_PREDICATE,
  type WithheldStatement,
} from "@deleatur/verify";
import { DerivationClosureError, UsageError } from "../model/errors.ts";
import { utcTime } from "../model/utc-time.ts";
import type { AttestationInput } from "./attestation-input.ts";
import { boundaryOf, epochFacts } from "./epoch-facts.ts";
import type { AttestationAnswer, Reason } from "./judgement.ts";
import { erasureWords, limitsOf, tombstoneWords, withheldWords } from "./statement-words.ts";

/**
 * The statement of the judgement's `attestation`. @throws UsageError where the judge allows none or a part is missing,
 * DerivationClosureError DOMAIN_NOT_COVERED where an erasure is asked for over less than the boundary
 */
export function composeStatement(input: AttestationInput): Statement {
  const { attestation } = input.judgement;
  switch (attestation.kind) {
    case "erasure":
      return composeErasure(input, attestation);
    case "tombstone":
      return composeTombstone(input, attestation);
    case "withheld":
      return composeWithheld(input, attestation);
    case "none":
      throw new UsageError("NOTHING_TO_ATTEST", "the judgement allows no statement, nothing is signed");
    default:
      return attestation satisfies never;
  }
}

type Answer<Kind extends AttestationAnswer["kind"]> = Extract<AttestationAnswer, { readonly kind: Kind }>;

function composeErasure(input: AttestationInput, { effective }: Answer<"erasure">): Statement {
  const { roots, facts, counts } = epochFacts(input, effective, []);
  const missing = facts.surfaces.filter(({ alg }) => alg === 3).map(({ id }) => id);
  if (missing.length > 0) {
    throw new DerivationClosureError(
      "DOMAIN_NOT_COVERED",
      "the epoch covers less than the boundary, no erasure is signed",
      {
        surfaces: missing,
        cure: "cover the missing surfaces, or ask for the tombstone by name (`--allow-tombstone`)",
      },
    );
  }
  return {
    _type: STATEMENT_TYPE,
    subject: subjectOf(input, roots.B),
    predicateType: ERASURE_PREDICATE,
    predicate: { ...facts, statement: erasureWords(facts, counts), limits: limitsOf(input, facts.surfaces) },
  };
}

function composeTombstone(input: AttestationInput, { effective, risks }: Answer<"tombstone">): Statement {
  const { roots, facts, counts } = epochFacts(input, effective, risks);
  const uncovered = facts.surfaces.filter(({ alg }) => alg === 3).map(({ id }) => id);
  const named = facts.residualRisks.map(({ surface }) => surface);
  if (uncovered.length === 0 || canonicalJson(uncovered) !== canonicalJson(named))
    throw new UsageError("RISKS_MISSING", "a tombstone has exactly one residual risk for each uncovered surface");
  return {
    _type: STATEMENT_TYPE,
    subject: subjectOf(input, roots.B),
    predicateType: TOMBSTONE_PREDICATE,
    predicate: {
      ...facts,
      statement: tombstoneWords(facts, counts),
      limits: limitsOf(input, facts.surfaces),
    },
  };
}

function composeWithheld(input: AttestationInput, { code }: Answer<"withheld">): WithheldStatement {
  const { request, judgement, roots } = input;
  const boundary = boundaryOf(input);
  const states = allStates(input);
  return {
    _type: STATEMENT_TYPE,
    subject: subjectOf(input, roots === null ? boundaryDigest(boundary.publicForm) : roots.B),
    predicateType: WITHHELD_PREDICATE,
    predicate: {
      version: 1,
      request: request.id,
      who: request.who,
      target: request.target,
      issued: utcTime(input.issued),
      epoch: roots === null ? null : roots.epoch,
      boundary,
      code,
      reasons: judgement.reasons.map((reason) => ({
        code: reason.code,
        surface: reason.signedAs ?? reason.surface ?? null,
        text: reasonText(reason),
      })),
      cures: [...new Set(judgement.reasons.map(({ cure }) => cure))],
      surfaces: states,
      statement: withheldWords(input, code, states),
      limits: limitsOf(input, []),
    },
  };
}

function reasonText({ rule, artifactName, count }: Reason): string {
  const parts = [rule];
  if (count !== undefined) parts.push(`count: ${count}`);
  if (artifactName !== undefined) parts.push(`record named ${artifactName}`);
  return parts.join("; ");
}

function subjectOf({ boundary }: AttestationInput, digest: Uint8Array): Statement["subject"] {
  return [{ name: boundary.publicForm.id, digest: { sha256: toHex(digest) } }];
}

/** Every declared surface, also those where the closure has nothing. */
function allStates({ states, boundary: { publicForm } }: AttestationInput): readonly SurfaceState[] {
  const none = { erased: 0, absent: 0, rewritten: 0, pending: 0, unsupported: 0, failed: 0, blind: 0 };
  return publicForm.surfaces.map(({ id }) => states.find((state) => state.id === id) ?? { id, ...none });
}
