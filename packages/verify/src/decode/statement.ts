// Decodes a statement strictly into its types. It says whether the form is right; whether what it says is possible is for the checks.
import {
  ERASURE_PREDICATE,
  PROBE_NAMES,
  STATEMENT_TYPE,
  TOMBSTONE_PREDICATE,
  WITHHELD_PREDICATE,
  type AttestedBoundary,
  type AttestedSurface,
  type Closure,
  type Dropped,
  type EpochPredicate,
  type ProbeRun,
  type Statement,
  type SurfaceState,
  type Who,
  type WithheldPredicate,
} from "../statement.ts";
import { SURFACE_ROLES } from "../public-form.ts";
import { UNCOVERED_REASONS } from "../surface-commitment.ts";
import {
  hexDigest,
  id,
  integer,
  list,
  matching,
  members,
  nullable,
  oneOf,
  refuse,
  sortedList,
  tagOf,
  text,
  utcTime,
  type Field,
} from "./field.ts";
import { canonicalFieldOfBytes } from "./canonical.ts";
import { exemption, MAX_SURFACES, publicForm } from "./public-form.ts";

const MANY = 100_000;

export function requestId(field: Field): string {
  return matching(field, /^[0-9a-f]{32}$/, "a request id of 32 hex digits");
}

function who(field: Field): Who {
  const at = members(field, ["type", "digest"]);
  return { type: id(at("type")), digest: hexDigest(at("digest")) };
}

export function whoList(field: Field): readonly Who[] {
  return sortedList(field, who, (each) => each.digest, 1_024);
}

/** Whom or what a request is about: a person by at least one identifier, records by none. */
function about(who: Field, target: Field): Pick<EpochPredicate, "who" | "target"> {
  const named = { who: whoList(who), target: oneOf(target, ["person", "records"]) };
  if ((named.target === "person") !== named.who.length > 0)
    refuse(who, "a person is named by an identifier or more, records name nobody");
  return named;
}

function boundary(field: Field): AttestedBoundary {
  const at = members(field, ["id", "version", "digest", "publicForm"]);
  return {
    id: id(at("id")),
    version: integer(at("version"), 1),
    digest: hexDigest(at("digest")),
    publicForm: publicForm(at("publicForm")),
  };
}

function surface(field: Field): AttestedSurface {
  const at = members(field, [
    "id", "alg", "role", "adapter", "scan", "snapshot", "lineageFrom", "fence", "keyCommit", "commitment",
    "roots", "horizon", "uncovered", "deletion", "keys", "outOfReach",
  ]); // prettier-ignore
  const adapter = members(at("adapter"), ["kind", "version"]);
  return {
    id: id(at("id")),
    alg: oneOf(at("alg"), [1, 2, 3]),
    role: oneOf(at("role"), SURFACE_ROLES),
    adapter: { kind: id(adapter("kind")), version: id(adapter("version")) },
    scan: oneOf(at("scan"), ["full", "none"]),
    snapshot: oneOf(at("snapshot"), ["yes", "none"]),
    lineageFrom: nullable(at("lineageFrom"), (each) => oneOf(each, ["store", "ledger", "both"])),
    fence: oneOf(at("fence"), ["strong", "leased", "watch", "none"]),
    keyCommit: hexDigest(at("keyCommit")),
    commitment: hexDigest(at("commitment")),
    roots: nullable(at("roots"), (each) => {
      const root = members(each, ["membership", "lineage"]);
      return { membership: hexDigest(root("membership")), lineage: hexDigest(root("lineage")) };
    }),
    horizon: nullable(at("horizon"), (each) => {
      const horizon = members(each, ["until", "basis"]);
      return { until: integer(horizon("until")), basis: text(horizon("basis")) };
    }),
    uncovered: nullable(at("uncovered"), (each) => ({
      reason: oneOf(members(each, ["reason"])("reason"), UNCOVERED_REASONS),
    })),
    deletion: nullable(at("deletion"), (each) =>
      oneOf(each, ["file-level", "cryptographic", "memory", "logical", "expiry"]),
    ),
    keys: oneOf(at("keys"), ["unique", "reusable"]),
    outOfReach: list(at("outOfReach"), (item) => text(item), 1_024),
  };
}

function dropped(field: Field): Dropped {
  const at = members(field, ["kind", "surface", "name", "why"]);
  const surface = id(at("surface"));
  const name = hexDigest(at("name"));
  const kind = oneOf(at("kind"), [1, 2, 3]);
  return kind === 2
    ? { kind, surface, name, why: oneOf(at("why"), ["shared"]) }
    : { kind, surface, name, why: oneOf(at("why"), ["reused"]) };
}

function closure(field: Field): Closure {
  const at = members(field, ["count", "manifestDigest", "lineage", "dropped"]);
  const lineage = members(at("lineage"), ["recorded", "declared", "inferred"]);
  return {
    count: integer(at("count")),
    manifestDigest: hexDigest(at("manifestDigest")),
    lineage: {
      recorded: integer(lineage("recorded")),
      declared: integer(lineage("declared")),
      inferred: integer(lineage("inferred")),
    },
    // NUL parts the key's parts: it sorts below every other character.
    dropped: sortedList(at("dropped"), dropped, (each) => `${each.kind}\0${each.surface}\0${each.name}`, MANY),
  };
}

function probe(field: Field): ProbeRun {
  const at = members(field, ["surface", "name", "depth", "outcome", "why", "controls", "survivors", "suspects"]);
  const controls = members(at("controls"), ["taken", "found", "floor"]);
  const suspects = members(at("suspects"), ["open", "reviewed"]);
  return {
    surface: id(at("surface")),
    name: oneOf(at("name"), PROBE_NAMES),
    depth: oneOf(at("depth"), ["api", "index", "bytes"]),
    outcome: oneOf(at("outcome"), ["ran", "blind", "not-applicable"]),
    why: nullable(at("why"), text),
    controls: {
      taken: integer(controls("taken")),
      found: integer(controls("found")),
      floor: nullable(controls("floor"), integer),
    },
    survivors: integer(at("survivors")),
    suspects: { open: integer(suspects("open")), reviewed: integer(suspects("reviewed")) },
  };
}

function epochPredicate(field: Field): EpochPredicate {
  const at = members(field, [
    "version", "request", "who", "target", "issued", "effective", "received", "due", "approvals", "epoch", "boundary",
    "surfaces", "closure", "denylist", "probes", "intents", "bystanders", "residualRisks", "exemptions", "quiet", "log",
    "statement", "limits",
  ]); // prettier-ignore
  const denylist = members(at("denylist"), ["count", "scope"]);
  const bystanders = members(at("bystanders"), ["checked", "intact", "lost"]);
  const log = members(at("log"), ["origin", "indices"]);
  const indices = members(log("indices"), ["request", "purgeFinished", "epochRoots"]);
  return {
    version: oneOf(at("version"), [1]),
    request: requestId(at("request")),
    ...about(at("who"), at("target")),
    issued: utcTime(at("issued")),
    effective: utcTime(at("effective")),
    received: nullable(at("received"), utcTime),
    due: nullable(at("due"), utcTime),
    approvals: list(
      at("approvals"),
      (item) => {
        const approval = members(item, ["by", "at"]);
        return { by: id(approval("by")), at: utcTime(approval("at")) };
      },
      1_024,
    ),
    epoch: integer(at("epoch")),
    boundary: boundary(at("boundary")),
    surfaces: sortedList(at("surfaces"), surface, (each) => each.id, MAX_SURFACES),
    closure: closure(at("closure")),
    denylist: {
      count: integer(denylist("count")),
      scope: sortedList(denylist("scope"), id, (each) => each, MAX_SURFACES),
    },
    probes: sortedList(at("probes"), probe, (each) => `${each.surface}\0${each.name}\0${each.depth}`, MANY),
    intents: { unresolved: integer(members(at("intents"), ["unresolved"])("unresolved")) },
    bystanders: {
      checked: integer(bystanders("checked")),
      intact: integer(bystanders("intact")),
      lost: integer(bystanders("lost")),
    },
    residualRisks: sortedList(
      at("residualRisks"),
      (item) => {
        const risk = members(item, ["surface", "code", "text", "deadline", "cure"]);
        return {
          surface: id(risk("surface")),
          code: oneOf(risk("code"), UNCOVERED_REASONS),
          text: text(risk("text")),
          deadline: nullable(risk("deadline"), utcTime),
          cure: text(risk("cure")),
        };
      },
      (risk) => risk.surface,
      MAX_SURFACES,
    ),
    exemptions: sortedList(at("exemptions"), exemption, (each) => each.name, MAX_SURFACES),
    quiet: list(at("quiet"), (item) => text(item), 4_096),
    log: {
      origin: text(log("origin")),
      indices: {
        request: integer(indices("request")),
        purgeFinished: integer(indices("purgeFinished")),
        epochRoots: integer(indices("epochRoots")),
      },
    },
    statement: text(at("statement"), 65_536),
    limits: list(at("limits"), (item) => text(item), 1_024),
  };
}

function surfaceState(field: Field): SurfaceState {
  const at = members(field, [
    "id", "erased", "absent", "rewritten", "pending", "unsupported", "failed", "blind",
  ]); // prettier-ignore
  return {
    id: id(at("id")),
    erased: integer(at("erased")),
    absent: integer(at("absent")),
    rewritten: integer(at("rewritten")),
    pending: integer(at("pending")),
    unsupported: integer(at("unsupported")),
    failed: integer(at("failed")),
    blind: integer(at("blind")),
  };
}

function withheldPredicate(field: Field): WithheldPredicate {
  const at = members(field, [
    "version", "request", "who", "target", "issued", "epoch", "boundary", "code", "reasons", "cures", "surfaces",
    "statement", "limits",
  ]); // prettier-ignore
  return {
    version: oneOf(at("version"), [1]),
    request: requestId(at("request")),
    ...about(at("who"), at("target")),
    issued: utcTime(at("issued")),
    epoch: nullable(at("epoch"), integer),
    boundary: boundary(at("boundary")),
    code: id(at("code")),
    reasons: list(
      at("reasons"),
      (item) => {
        const reason = members(item, ["code", "surface", "text"]);
        return { code: id(reason("code")), surface: nullable(reason("surface"), id), text: text(reason("text")) };
      },
      4_096,
    ),
    cures: list(at("cures"), (item) => text(item), 4_096),
    surfaces: sortedList(at("surfaces"), surfaceState, (each) => each.id, MAX_SURFACES),
    statement: text(at("statement"), 65_536),
    limits: list(at("limits"), (item) => text(item), 1_024),
  };
}

function oneSubject(field: Field): Statement["subject"][0] {
  const at = members(field, ["name", "digest"]);
  return { name: id(at("name")), digest: { sha256: hexDigest(members(at("digest"), ["sha256"])("sha256")) } };
}

function subject(field: Field): Statement["subject"] {
  const [first, ...more] = list(field, oneSubject, 2);
  return first === undefined || more.length > 0 ? refuse(field, "exactly one subject is wanted") : [first];
}

/** The statement in exactly the bytes that were verified. @throws MalformedError */
export function decodeStatement(payload: Uint8Array): Statement {
  const field = canonicalFieldOfBytes(payload, "statement");
  const at = members(field, ["_type", "subject", "predicateType", "predicate"]);
  const head = { _type: oneOf(at("_type"), [STATEMENT_TYPE]), subject: subject(at("subject")) };
  const predicateType = tagOf(field, "predicateType", [ERASURE_PREDICATE, TOMBSTONE_PREDICATE, WITHHELD_PREDICATE]);
  switch (predicateType) {
    case ERASURE_PREDICATE:
    case TOMBSTONE_PREDICATE:
      return { ...head, predicateType, predicate: epochPredicate(at("predicate")) };
    case WITHHELD_PREDICATE:
      return { ...head, predicateType, predicate: withheldPredicate(at("predicate")) };
    default:
      return predicateType satisfies never;
  }
}
