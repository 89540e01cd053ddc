// Keyed digests: how the ledger finds artifacts and persons without holding them in clear. It must not digest anything without the guard key.
import { concatBytes, lp, utf8 } from "@deleatur/verify";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import type { LedgerKeys } from "./keys.ts";
import type { Digests } from "./ledger.ts";

const PREFIX = utf8("deleatur/keyed-digest/v1\0");

/** For the ledger's own parts, which need both. */
export interface HexDigests extends Digests {
  /** Hex of `identifierDigest`. */
  hashIdentifier(identifier: SubjectIdentifier): string;
  /** Hex of `artifactDigest`. */
  hashArtifact(ref: ArtifactRef): string;
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex, "hex");

/** Digests under the guard key: domain and parts are length-prefixed, so that no two lists of parts run together. */
export function createDigests(keys: LedgerKeys): HexDigests {
  const prefixes = new Map<string, Uint8Array>();

  function prefixOf(domain: string): Uint8Array {
    let prefix = prefixes.get(domain);
    if (prefix === undefined) {
      prefix = concatBytes(PREFIX, lp(domain));
      prefixes.set(domain, prefix);
    }
    return prefix;
  }

  const hashIdentifier = ({ type, value }: SubjectIdentifier): string =>
    keys.guardHash(prefixOf("guard/identifier"), [type, value]);
  const hashArtifact = ({ surface, key }: ArtifactRef): string => keys.guardHash(prefixOf("artifact"), [surface, key]);
  return {
    keyedDigest: (domain, ...parts) => bytes(keys.guardHash(prefixOf(domain), parts)),
    // Lineage, fence and denylist name a person by one digest, so that a lift finds the guard's entries.
    identifierDigest: (identifier) => bytes(hashIdentifier(identifier)),
    artifactDigest: (ref) => bytes(hashArtifact(ref)),
    hashIdentifier,
    hashArtifact,
  };
}
