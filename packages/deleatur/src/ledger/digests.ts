// Keyed digests: how the ledger finds artifacts and persons without holding them in clear. It must not digest anything without the guard key.
import { lp, utf8 } from "@deleatur/verify";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import type { LedgerKeys } from "./keys.ts";
import type { Digests } from "./ledger.ts";

const PREFIX = utf8("deleatur/keyed-digest/v1\0");

/** Digests under the guard key: domain and parts are length-prefixed, so that no two lists of parts run together. */
export function createDigests(keys: LedgerKeys): Digests {
  function keyedDigest(domain: string, ...parts: readonly (string | Uint8Array)[]): Uint8Array {
    const message: Uint8Array[] = [PREFIX, lp(domain)];
    for (const part of parts) {
      const bytes = typeof part === "string" ? utf8(part) : part;
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32BE(bytes.length);
      message.push(length, bytes);
    }
    return new Uint8Array(keys.guardHmac(Buffer.concat(message)));
  }
  return {
    keyedDigest,
    // Lineage, fence and denylist name a person by one digest, so that a lift finds the guard's entries.
    identifierDigest: ({ type, value }: SubjectIdentifier) => keyedDigest("guard/identifier", type, value),
    artifactDigest: ({ surface, key }: ArtifactRef) => keyedDigest("artifact", surface, key),
  };
}
