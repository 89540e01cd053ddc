// Decodes the receipt file strictly into its types (hostile input). It must not look into the envelope's payload.
import type { Envelope } from "../dsse.ts";
import {
  RECEIPT_MEDIA_TYPE,
  RECEIPT_VERSION,
  type LogProof,
  type Manifest,
  type ManifestArtifact,
  type ProofGroup,
  type Receipt,
} from "../receipt.ts";
import {
  base64,
  entries,
  hexDigest,
  id,
  integer,
  list,
  members,
  nullable,
  oneOf,
  sortedList,
  text,
  type Field,
} from "./field.ts";
import { MAX_SURFACES } from "./public-form.ts";
import { parseStrictJson } from "./strict-json.ts";

const MANY = 1_000_000;
/** DXP1: header, bitmap of 32 bytes, 255 siblings and a leaf, as base64. DXM1: bounded by the receipt's own size. */
const MAX_PROOF_TEXT = { DXP1: 11_100, DXM1: Number.MAX_SAFE_INTEGER } as const;

function signature(field: Field): Envelope["signatures"][number] {
  const at = members(field, ["keyid", "sig"]);
  return { keyid: text(at("keyid")), sig: base64(at("sig"), 128) };
}

function envelope(field: Field, maxPayload: number): Envelope {
  const at = members(field, ["payload", "payloadType", "signatures"]);
  return {
    payload: base64(at("payload"), maxPayload),
    payloadType: text(at("payloadType")),
    signatures: list(at("signatures"), signature, 16),
  };
}

function proofGroup(field: Field): ProofGroup {
  const at = members(field, ["surface", "tree", "format", "proofs"]);
  const format = oneOf(at("format"), ["DXP1", "DXM1"]);
  return {
    surface: id(at("surface")),
    tree: oneOf(at("tree"), [0, 1]),
    format,
    proofs: list(at("proofs"), (item) => base64(item, MAX_PROOF_TEXT[format]), MANY),
  };
}

function artifact(field: Field): ManifestArtifact {
  const at = members(field, ["surface", "fate", "name01", "name01Digest", "name02", "name03"]);
  return {
    surface: id(at("surface")),
    fate: oneOf(at("fate"), ["erased", "rewritten"]),
    name01: hexDigest(at("name01")),
    name01Digest: nullable(at("name01Digest"), hexDigest),
    name02: sortedList(at("name02"), hexDigest, (name) => name, 4_096),
    name03: hexDigest(at("name03")),
  };
}

function identifier(field: Field): Manifest["identifiers"][number] {
  const at = members(field, ["type", "name04"]);
  return { type: id(at("type")), name04: hexDigest(at("name04")) };
}

function manifest(field: Field): Manifest {
  const at = members(field, ["artifacts", "identifiers"]);
  return {
    artifacts: sortedList(at("artifacts"), artifact, (each) => each.name01, MANY),
    identifiers: sortedList(at("identifiers"), identifier, (each) => each.name04, 1_024),
  };
}

function epochKeys(field: Field): Receipt["epochKeys"] {
  return Object.fromEntries(entries(field, MAX_SURFACES).map(([surface, key]) => [surface, base64(key, 44)]));
}

function logProof(field: Field): LogProof {
  const at = members(field, ["index", "entry", "proof"]);
  return {
    index: integer(at("index")),
    entry: text(at("entry"), 4_194_304),
    proof: list(at("proof"), (item) => base64(item, 44), 64),
  };
}

/** @throws MalformedError */
export function decodeReceipt(source: string): Receipt {
  const root: Field = { value: parseStrictJson(source), path: "receipt" };
  const at = members(root, [
    "mediaType", "version", "envelope", "proofs", "manifest", "epochKeys", "log", "cosignatures", "timestamp",
  ]); // prettier-ignore
  const log = members(at("log"), ["checkpoint", "entries"]);
  return {
    mediaType: oneOf(at("mediaType"), [RECEIPT_MEDIA_TYPE]),
    version: oneOf(at("version"), [RECEIPT_VERSION]),
    envelope: envelope(at("envelope"), source.length),
    proofs: list(at("proofs"), proofGroup, 2 * MAX_SURFACES),
    manifest: nullable(at("manifest"), manifest),
    epochKeys: nullable(at("epochKeys"), epochKeys),
    log: { checkpoint: text(log("checkpoint"), 65_536), entries: list(log("entries"), logProof, 1_024) },
    cosignatures: list(at("cosignatures"), (item) => envelope(item, 65_536), 16),
    timestamp: nullable(at("timestamp"), (item) => base64(item, 65_536)),
  };
}
