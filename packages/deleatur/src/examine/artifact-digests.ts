// Keyed digests by which an artifact is known again: one of its ref, one of its content, 128 bits each. They are made without a native call; nothing in clear is kept.
import { digestOfField } from "../attest/field-digest.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type SipHash, type SipKey, sipKey } from "../ledger/sip-hash.ts";
import { createSipMessage } from "../ledger/sip-message.ts";
import type { Artifact } from "../model/artifact.ts";
import type { ArtifactRef, SurfaceId } from "../model/ids.ts";

/** Words of 32 bits of one digest. */
export const DIGEST_WORDS = 4;

/** How an artifact stands in any baseline of a ledger: taken once, compared with several. */
export interface ArtifactDigests {
  readonly surface: SurfaceId;
  /** The ref's digest, then the content's: a view that the digester's next answer writes over. */
  readonly words: Uint32Array;
  readonly expires?: Date;
}

export interface ArtifactDigester {
  /** `digests` are the fields' own, where they were made before. */
  digest(artifact: Artifact, digests?: readonly string[]): ArtifactDigests;
  /** Hex of the ref's digest. */
  idOf(ref: ArtifactRef): string;
}

/** Keys that differ for ref and content; two of each, since one SipHash has 64 bits. */
interface Keys {
  readonly ref: readonly [SipKey, SipKey];
  readonly content: readonly [SipKey, SipKey];
}

const digesters = new WeakMap<Ledger, ArtifactDigester>();

/** The digester of a ledger, made once. */
export function artifactDigester(ledger: Ledger): ArtifactDigester {
  let digester = digesters.get(ledger);
  if (digester === undefined) {
    digester = createDigester({ ref: keysOf(ledger, "baseline/ref"), content: keysOf(ledger, "baseline/fields") });
    digesters.set(ledger, digester);
  }
  return digester;
}

function keysOf(ledger: Ledger, domain: string): readonly [SipKey, SipKey] {
  const secret = ledger.keyedDigest(domain);
  return [sipKey(secret), sipKey(secret.subarray(16))];
}

function createDigester(keys: Keys): ArtifactDigester {
  const words = new Uint32Array(2 * DIGEST_WORDS);
  const hash: SipHash = { low: 0, high: 0 };
  const message = createSipMessage();

  function finish([first, second]: readonly [SipKey, SipKey], at: number): void {
    message.end();
    message.hash(first, hash);
    words[at] = hash.low;
    words[at + 1] = hash.high;
    message.hash(second, hash);
    words[at + 2] = hash.low;
    words[at + 3] = hash.high;
  }

  function digestRef({ surface, key }: ArtifactRef): void {
    message.putText(surface);
    message.putText(key);
    finish(keys.ref, 0);
  }

  return {
    digest(artifact, digests) {
      digestRef(artifact);
      const { content } = artifact;
      for (let at = 0; at < content.length; at += 1) {
        const field = content[at];
        if (field === undefined) continue;
        message.putText(field.name);
        message.putHex(digests?.[at] ?? digestOfField(field));
      }
      finish(keys.content, DIGEST_WORDS);
      const { surface, expires } = artifact;
      return expires === undefined ? { surface, words } : { surface, words, expires };
    },
    idOf(ref) {
      digestRef(ref);
      return refId({ words });
    },
  };
}

/** Hex of the ref's digest. */
export function refId({ words }: Pick<ArtifactDigests, "words">): string {
  return Array.from(words.subarray(0, DIGEST_WORDS), (word) => word.toString(16).padStart(8, "0")).join("");
}

/** A ref's digest from its hex. */
export function refWords(id: string): Uint32Array {
  return Uint32Array.from({ length: DIGEST_WORDS }, (_, word) => Number.parseInt(id.slice(8 * word, 8 * word + 8), 16));
}
