// `audit`: judges what a foreign forget tool claims by what the stores show. It signs nothing and believes no return value (CLAIM-1, CLAIM-2).
import { toHex } from "@deleatur/verify";
import { isDeepStrictEqual } from "node:util";
import type { ErasureClaim, Evidence } from "../attest/evidence.ts";
import { judge } from "../attest/judge.ts";
import type { Engine } from "../engine.ts";
import { sweepCanaries } from "../examine/sweep-canaries.ts";
import type { RequestOutcome } from "../forget/outcome.ts";
import { identifierSet } from "../forget/plan.ts";
import { surfaceOutcomes } from "../forget/surface-outcomes.ts";
import { parseTarget, type GivenTarget } from "../forget/target.ts";
import type { RequestItem } from "../ledger/request-record.ts";
import { UsageError } from "../model/errors.ts";
import {
  artifactId,
  artifactKey,
  type ArtifactRef,
  parseIdentifier,
  type RequestId,
  requestId,
  surfaceId,
} from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { contentDigests } from "../record/guard.ts";
import { openKeptBaselines } from "../examine/kept-baselines.ts";
import { gatherEvidence, type Gathered, type Inquiry, type StoodBefore } from "../examine/gather-evidence.ts";
import { openTaken } from "../examine/taken-by-others.ts";
import { type KeptNeedle, openNeedles } from "../examine/kept-needles.ts";
import type { EpochScan } from "../examine/scan-epoch.ts";
import { AUDITED, type Audited, type AuditTicket, TICKET_FORMAT } from "./prepare-audit.ts";

export interface AuditOrder {
  readonly claim: ErasureClaim;
  /** Without one, only the given target is looked for, and the records that the claim names: the report says so. */
  readonly ticket?: AuditTicket;
  /** Without a ticket: whom to look for; the claim's subject where absent. */
  readonly target?: GivenTarget;
  /** Answers how the tool's own insert path, in a copy, took erased content. */
  readonly reingest?: (needles: readonly KeptNeedle[], signal: AbortSignal) => Promise<Evidence["trial"]>;
}

/** @throws UsageError where the ticket is foreign, expired, of another boundary or about others than the claim; without one CLAIM_ABOUT_OTHERS, TICKET_NEEDED, SURFACE_UNKNOWN */
export async function runAudit(engine: Engine, order: AuditOrder, signal: AbortSignal): Promise<RequestOutcome> {
  await sweepCanaries(engine, signal);
  const id = order.ticket === undefined ? undefined : openTicket(engine, order.ticket);
  const inquiry = id === undefined ? withoutTicket(engine, order) : withTicket(engine, id, order.claim);
  const trial = (await order.reingest?.(inquiry.needles, signal)) ?? "not-run";
  const openBefore = (): readonly StoodBefore[] => (id === undefined ? [] : [stoodBefore(engine, id)]);
  const [gathered] = await gatherEvidence(engine, [{ ...inquiry, trial }], openBefore, false, signal);
  if (gathered === undefined) throw new UsageError("NOT_GATHERED", "an audit without evidence has nothing to judge");
  return auditOutcome(engine, order.ticket?.ticket ?? "", inquiry, gathered);
}

function stoodBefore(engine: Engine, id: RequestId): StoodBefore {
  const kept = openKeptBaselines(engine.ledger);
  return { baseline: kept.baselineOf(id), bystanders: kept.bystandersOf(id).without(openTaken(engine, id)) };
}

function withTicket(engine: Engine, id: RequestId, claim: ErasureClaim): Inquiry {
  const { ledger } = engine;
  const audited = AUDITED.open(ledger, id);
  if (audited === undefined) throw badTicket("its fingerprints are gone");
  const needles = openNeedles(engine, id);
  const items = ledger.items(id);
  if (!isAbout(audited, items, claim)) throw badTicket("it is about another person, or other records, than the claim");
  return {
    ...baseInquiry(engine, claim, needles),
    target: audited.target,
    identifiers: audited.identifiers,
    owners: audited.owners,
    items,
    taken: openTaken(engine, id),
    before: { found: items.length > 0, count: items.length },
    identifiersUnknown: audited.identifiersUnknown,
  };
}

/** A ticket shows nothing of others: a claim is about its person, and about no records that it has not fingerprinted, or about its very records. */
function isAbout(
  { target, identifiers, refs }: Audited,
  items: readonly RequestItem[],
  { subject, records }: ErasureClaim,
): boolean {
  if (target === "records") return areJust(refs, records);
  const claimed = new Set(records);
  const fingerprinted = new Set(items.map(({ ref }) => artifactId(ref)));
  return identifierSet(identifiers)(parseIdentifier(subject)) && [...claimed].every((id) => fingerprinted.has(id));
}

function areJust(refs: readonly ArtifactRef[], records: ErasureClaim["records"]): boolean {
  return isDeepStrictEqual(new Set(records), new Set(refs.map(artifactId)));
}

function withoutTicket(engine: Engine, { claim, target: given = { subject: [claim.subject] } }: AuditOrder): Inquiry {
  const target = parseTarget(given, engine.boundary);
  const identifiers = target.kind === "person" ? target.identifiers : [];
  const isOfTarget =
    target.kind === "person"
      ? identifierSet(identifiers)(parseIdentifier(claim.subject))
      : areJust(target.refs, claim.records);
  if (!isOfTarget) {
    throw new UsageError("CLAIM_ABOUT_OTHERS", "the claim is about another person, or other records, than the target", {
      cure: "give the identifiers of the claim's subject, or just the records that it names",
    });
  }
  const named = namedRecords(engine, claim);
  const closure = engine.ledger.closure([...engine.ledger.artifactsAbout(identifiers), ...named]);
  const known = new Set(closure.map(({ ref }) => artifactId(ref)));
  const strange = named.filter((ref) => !known.has(artifactId(ref))).map((ref) => ({ ref, depth: 0, origins: [] }));
  return {
    ...baseInquiry(engine, claim, []),
    target: target.kind,
    identifiers,
    owners: [],
    items: [...closure, ...strange].map(({ ref, depth, origins }) => ({ ref, depth, origins, action: "erase" })),
    before: closure.length > 0 ? { found: true, count: closure.length } : "unknown",
    identifiersUnknown: [],
  };
}

/** The records that a claim names, to be looked at by their keys alone. @throws UsageError TICKET_NEEDED, SURFACE_UNKNOWN */
function namedRecords(engine: Engine, { records = [] }: ErasureClaim): readonly ArtifactRef[] {
  if (records.length === 0) return [];
  const target = parseTarget({ records }, engine.boundary);
  const refs = target.kind === "records" ? target.refs : [];
  const reused = refs.find(({ surface }) => engine.bound(surface).declaration.keys === "reusable");
  if (reused === undefined) return refs;
  throw new UsageError(
    "TICKET_NEEDED",
    `the claim names records of ${reused.surface}, which gives its keys again: no key tells whether it is that record`,
    {
      place: { surface: reused.surface },
      cure: "run `deleatur audit prepare` before the tool runs; or leave `records` out of the claim, and they are not looked at",
    },
  );
}

function baseInquiry(
  engine: Engine,
  claim: ErasureClaim,
  needles: readonly KeptNeedle[],
): Pick<
  Inquiry,
  | "needles"
  | "replaced"
  | "purge"
  | "horizonFrom"
  | "unresolvedIntents"
  | "claim"
  | "trial"
  | "denylist"
  | "lossByPolicy"
  | "lostBefore"
  | "taken"
  | "reviewed"
  | "running"
> {
  const digests = needles.flatMap(({ content }) => contentDigests(engine.ledger, content));
  const entries = digests.filter(({ kind, digest }) => engine.ledger.findDenylist(kind, digest).length > 0).length;
  return {
    needles,
    replaced: [],
    purge: undefined,
    horizonFrom: engine.clock(),
    unresolvedIntents: 0,
    claim,
    trial: "not-run",
    denylist: { entries, onContent: entries > 0 },
    lossByPolicy: 0,
    lostBefore: 0,
    taken: new Map(),
    reviewed: new Set(),
    running: new Set(),
  };
}

function openTicket(engine: Engine, ticket: AuditTicket): RequestId {
  if (ticket.format !== TICKET_FORMAT || typeof ticket.ticket !== "string")
    throw badTicket("it is not a ticket of this version");
  if (ticket.boundary !== engine.boundary.id) throw badTicket("it was prepared for another boundary");
  const id = requestId(ticket.ticket);
  const record = engine.ledger.request(id);
  // A person's request was received: it is no ticket, and must not be closed as an expired one.
  if (record === undefined || record.received !== undefined) throw badTicket("this ledger does not know it");
  if (new Date(record.due) < engine.clock()) {
    engine.ledger.closeRequest(id);
    throw badTicket("it has expired, and its fingerprints were destroyed");
  }
  return id;
}

function badTicket(why: string): UsageError {
  return new UsageError("BAD_TICKET", `the audit ticket cannot be used: ${why}`, {
    cure: "run `deleatur audit prepare` before the tool runs",
  });
}

function auditOutcome(
  engine: Engine,
  ticket: string,
  inquiry: Inquiry,
  { evidence, suspects, scan }: Gathered,
): RequestOutcome {
  const judgement = judge(evidence);
  for (const code of judgement.violations) {
    const mentions = code === "RESURRECTED" && evidence.back !== "unknown" ? evidence.back : [{}];
    for (const { surface, key } of mentions) {
      engine.ledger.append({
        type: "violation",
        at: utcTime(engine.clock()),
        code,
        surface: surface ?? "",
        ...(surface === undefined || key === undefined ? {} : { name: nameOf(scan, surface, key) }),
      });
    }
  }
  return {
    request: ticket,
    state: "closed",
    ...(judgement.verdict === undefined ? {} : { verdict: judgement.verdict }),
    reasons: judgement.reasons,
    ...(judgement.error === undefined ? {} : { error: judgement.error }),
    attestation: { kind: "none", code: "AUDIT_SIGNS_NOTHING" },
    survivors: [...(evidence.survivors === "unknown" ? [] : evidence.survivors), ...stillHeld(inquiry, evidence)],
    back: evidence.back === "unknown" ? [] : evidence.back,
    suspects: { open: suspects.length, reviewed: 0 },
    surfaces: surfaceOutcomes(engine, evidence, inquiry.items, scan.unread),
    bystanders:
      evidence.bystanders === "unknown" ? { checked: 0, intact: 0, lost: 0, lostByPolicy: 0 } : evidence.bystanders,
    denylist: evidence.denylist === "unknown" ? 0 : evidence.denylist.entries,
    textsCutOff: 0,
    exitCode: judgement.exitCode,
  };
}

/** Rows that a primary surface still holds, in the shape of survivors: the report lists them together. */
function stillHeld(inquiry: Inquiry, evidence: Evidence): RequestOutcome["survivors"] {
  if (evidence.primaryHolds === "unknown") return [];
  const known = new Set(
    evidence.survivors === "unknown" ? [] : evidence.survivors.map((one) => JSON.stringify([one.surface, one.key])),
  );
  const closure = new Set(inquiry.items.map(({ ref }) => artifactId(ref)));
  return evidence.primaryHolds
    .filter(({ surface, key }) => !known.has(JSON.stringify([surface, key])))
    .map((mention) => ({
      ...mention,
      container: mention.surface ?? "",
      probe: "key",
      depth: "api",
      provenance: closure.has(`${mention.surface}/${mention.key}`) ? "reached" : "outside",
      contentKeyed: false,
    }));
}

/** The name of PROOFS §2 under the audit's own epoch: what may stand in the log. */
function nameOf(scan: EpochScan, surface: string, key: string): string {
  return toHex(scan.commitments.names.artifact({ surface: surfaceId(surface), key: artifactKey(key) }));
}
