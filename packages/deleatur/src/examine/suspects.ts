// Binds a request's suspects to what they say, and keeps them and which of them were reviewed, sealed under the request key.
import type { Engine } from "../engine.ts";
import { sealedValue } from "../ledger/sealed-value.ts";
import { artifactId, artifactKey, type ArtifactRef, type RequestId, surfaceId } from "../model/ids.ts";
import { StoreError } from "../model/errors.ts";
import { tagOf } from "../record/guard.ts";
import { readThere } from "../record/what-stands.ts";
import type { Suspect } from "./grade-findings.ts";

const SUSPECTS = sealedValue<readonly Suspect[]>("suspects");
const REVIEWS = sealedValue<readonly string[]>("reviews");

/** The record that a suspect is; undefined where it lies in none. */
export function recordOf({ surface, key }: Suspect): ArtifactRef | undefined {
  return surface === undefined || key === undefined
    ? undefined
    : { surface: surfaceId(surface), key: artifactKey(key) };
}

/** Each with an id of its own for what its record says now: a decision that was taken of another text is none of this one. */
export async function bindToContent(
  engine: Engine,
  suspects: readonly Suspect[],
  signal: AbortSignal,
): Promise<readonly Suspect[]> {
  const { ledger } = engine;
  const tags = new Map<string, Uint8Array>();
  const refs = suspects.flatMap((suspect) => recordOf(suspect) ?? []);
  try {
    for await (const artifact of readThere(engine, refs, signal))
      tags.set(artifactId(artifact), tagOf(ledger, artifact));
  } catch (error) {
    // What cannot be read now is bound to nothing: whatever was decided of its content is asked again.
    if (!(error instanceof StoreError)) throw error;
  }
  return suspects.map((suspect): Suspect => {
    const ref = recordOf(suspect);
    const tag = ref === undefined ? undefined : tags.get(artifactId(ref));
    if (tag === undefined) return suspect;
    const id = Buffer.from(ledger.keyedDigest("suspect/content", suspect.id, tag).subarray(0, 8)).toString("hex");
    return { ...suspect, id, tag: Buffer.from(tag).toString("hex") };
  });
}

export function openSuspects({ ledger }: Engine, id: RequestId): readonly Suspect[] {
  return SUSPECTS.open(ledger, id) ?? [];
}

export function putSuspects({ ledger }: Engine, id: RequestId, suspects: readonly Suspect[]): void {
  SUSPECTS.put(ledger, id, suspects);
}

/** Ids of the suspects that a named role has reviewed. */
export function openReviews({ ledger }: Engine, id: RequestId): ReadonlySet<string> {
  return new Set(REVIEWS.open(ledger, id));
}

export function putReviews({ ledger }: Engine, id: RequestId, reviewed: ReadonlySet<string>): void {
  REVIEWS.put(ledger, id, [...reviewed]);
}
