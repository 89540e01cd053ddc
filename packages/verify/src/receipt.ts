// The types of the receipt file (`*.deleatur.json`, PROOFS §4): the signed envelope and everything needed to check it offline. Types only.
import type { Envelope } from "./dsse.ts";
import type { Base64, HexDigest, UtcTime } from "./statement.ts";
import type { TreeNumber } from "./sparse-tree.ts";

export const RECEIPT_MEDIA_TYPE = "application/vnd.deleatur.receipt+json";
export const RECEIPT_VERSION = 1;
export const COSIGNATURE_PAYLOAD_TYPE = "application/vnd.deleatur.cosignature+json";

/**
 * The proofs for one tree of one covered surface, in ascending order of the queries, which are not carried. DXP1: one for each query; DXM1:
 * one for all of them, or for each run of `MAX_MULTIPROOF_QUERIES`.
 */
export interface ProofGroup {
  readonly surface: string;
  readonly tree: TreeNumber;
  readonly format: "DXP1" | "DXM1";
  readonly proofs: readonly Base64[];
}

/** Names of one artifact of the closure, as hex. `name02`: one for each distinct old content field, ascending. */
export interface ManifestArtifact {
  readonly surface: string;
  readonly fate: "erased" | "rewritten";
  readonly name01: HexDigest;
  /** The name of the second 01 leaf, with the artifact digest: present exactly where the surface's keys are `reusable`. */
  readonly name01Digest: HexDigest | null;
  readonly name02: readonly HexDigest[];
  readonly name03: HexDigest;
}

export interface Manifest {
  /** Ascending by `name01`, each once. */
  readonly artifacts: readonly ManifestArtifact[];
  /** Ascending by `name04`, each once; empty where the target is records. */
  readonly identifiers: readonly { readonly type: string; readonly name04: HexDigest }[];
}

/** One disclosed log entry. `entry` is its exact text, canonical JSON; `proof` the RFC 9162 inclusion path. */
export interface LogProof {
  readonly index: number;
  readonly entry: string;
  readonly proof: readonly Base64[];
}

/** Proofs of entries under one checkpoint, ascending by index. */
export interface ReceiptLog {
  /** A C2SP signed note. */
  readonly checkpoint: string;
  readonly entries: readonly LogProof[];
}

/** What an auditor signs after recomputing the roots: the canonical JSON of this is the payload of a DSSE envelope. */
export interface Cosignature {
  readonly version: 1;
  /** SHA-256 of the receipt's DSSE payload. */
  readonly payloadDigest: HexDigest;
  readonly boundary: string;
  readonly epoch: number;
  readonly root: HexDigest;
  /** `same-snapshot`: the roots came out bit for bit; `own-epoch`: own scan and keys, the same exclusions held. */
  readonly basis: "same-snapshot" | "own-epoch";
  readonly issued: UtcTime;
}

/** Every member is always present; unknown members make it invalid. */
export interface Receipt {
  readonly mediaType: typeof RECEIPT_MEDIA_TYPE;
  readonly version: typeof RECEIPT_VERSION;
  /** Its payload is the canonical JSON of a `Statement`. */
  readonly envelope: Envelope;
  /** Two groups for every covered surface, sorted by surface (UTF-8 bytes), then tree; empty in a withheld receipt. */
  readonly proofs: readonly ProofGroup[];
  /** null in a withheld receipt. */
  readonly manifest: Manifest | null;
  /** Open: the key of every surface of the statement. null: sealed, or withheld. */
  readonly epochKeys: { readonly [surface: string]: Base64 } | null;
  readonly log: ReceiptLog;
  /** DSSE envelopes over `Cosignature`. */
  readonly cosignatures: readonly Envelope[];
  /** A DER RFC 3161 token over the DSSE payload; carried, and not judged by this version. */
  readonly timestamp: Base64 | null;
}
