// Decodes the log entries that a receipt discloses (hostile input): known types only, each in canonical JSON.
import type { BoundaryVersionEntry, EpochRootsEntry, LogEntry, RequestEntry } from "../log-entry.ts";
import { SURFACE_ROLES } from "../public-form.ts";
import { ERASURE_PREDICATE, TOMBSTONE_PREDICATE, WITHHELD_PREDICATE } from "../statement.ts";
import { canonicalField } from "./canonical.ts";
import { hexDigest, id, integer, members, oneOf, sortedList, tagOf, utcTime, type Field } from "./field.ts";
import { MAX_SURFACES } from "./public-form.ts";
import { requestId, whoList } from "./statement.ts";

function pinned(field: Field): RequestEntry["boundary"] {
  const at = members(field, ["id", "version", "digest"]);
  return { id: id(at("id")), version: integer(at("version"), 1), digest: hexDigest(at("digest")) };
}

function declared(field: Field): BoundaryVersionEntry["surfaces"][number] {
  const at = members(field, ["id", "role"]);
  return { id: id(at("id")), role: oneOf(at("role"), SURFACE_ROLES) };
}

function boundaryVersion(field: Field): BoundaryVersionEntry {
  const at = members(field, ["type", "at", "boundary", "version", "digest", "surfaces"]);
  return {
    type: "boundary-version",
    at: utcTime(at("at")),
    boundary: id(at("boundary")),
    version: integer(at("version"), 1),
    digest: hexDigest(at("digest")),
    surfaces: sortedList(at("surfaces"), declared, (each) => each.id, MAX_SURFACES),
  };
}

function committed(field: Field): EpochRootsEntry["surfaces"][number] {
  const at = members(field, ["id", "commitment"]);
  return { id: id(at("id")), commitment: hexDigest(at("commitment")) };
}

function epochRoots(field: Field): EpochRootsEntry {
  const at = members(field, ["type", "at", "boundary", "epoch", "root", "surfaces", "logSizeAtScan"]);
  return {
    type: "epoch-roots",
    at: utcTime(at("at")),
    boundary: pinned(at("boundary")),
    epoch: integer(at("epoch")),
    root: hexDigest(at("root")),
    surfaces: sortedList(at("surfaces"), committed, (each) => each.id, MAX_SURFACES),
    logSizeAtScan: integer(at("logSizeAtScan")),
  };
}

/** One disclosed log entry. @throws MalformedError */
export function decodeLogEntry(source: string): LogEntry {
  const field = canonicalField(source, "log entry");
  const type = tagOf(field, "type", [
    "boundary-version", "request-opened", "request-pinned", "purge-finished", "epoch-roots", "attestation",
  ]); // prettier-ignore
  switch (type) {
    case "boundary-version":
      return boundaryVersion(field);
    case "request-opened":
    case "request-pinned": {
      const at = members(field, ["type", "at", "request", "target", "who", "boundary"]);
      return {
        type,
        at: utcTime(at("at")),
        request: requestId(at("request")),
        target: oneOf(at("target"), ["person", "records"]),
        who: whoList(at("who")),
        boundary: pinned(at("boundary")),
      };
    }
    case "purge-finished": {
      const at = members(field, ["type", "at", "request"]);
      return { type, at: utcTime(at("at")), request: requestId(at("request")) };
    }
    case "epoch-roots":
      return epochRoots(field);
    case "attestation": {
      const at = members(field, ["type", "at", "request", "predicateType", "payloadDigest"]);
      return {
        type,
        at: utcTime(at("at")),
        request: requestId(at("request")),
        predicateType: oneOf(at("predicateType"), [ERASURE_PREDICATE, TOMBSTONE_PREDICATE, WITHHELD_PREDICATE]),
        payloadDigest: hexDigest(at("payloadDigest")),
      };
    }
    default:
      return type satisfies never;
  }
}
