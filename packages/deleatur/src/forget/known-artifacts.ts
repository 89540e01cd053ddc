// What earlier rounds of a request reached and a later round must still hold: without the keys that the store has lawfully given to somebody else (C22).
import type { Engine } from "../engine.ts";
import { type KeptNeedle, openNeedles } from "../examine/kept-needles.ts";
import { digestOfField } from "../attest/field-digest.ts";
import type { RequestItem } from "../ledger/request-record.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef, type RequestId } from "../model/ids.ts";

export interface KnownArtifacts {
  readonly known: readonly ArtifactRef[];
  readonly isReused: (ref: ArtifactRef) => boolean;
}

/**
 * What an earlier round rewrote is clean; it comes into the closure again only by a tag or an edge that it still has. A reusable key that was
 * erased and holds a row again counts only where the row has the old content: by its tags or edges the plan finds it anyway.
 */
export async function knownArtifacts(engine: Engine, id: RequestId, signal: AbortSignal): Promise<KnownArtifacts> {
  const items = engine.ledger.items(id);
  const reused = await reusedKeys(
    engine,
    items.filter(({ ref, outcome }) => isGone(outcome) && engine.bound(ref.surface).declaration.keys === "reusable"),
    openNeedles(engine, id),
    signal,
  );
  const isReused = (ref: ArtifactRef): boolean => reused.has(artifactId(ref));
  return {
    isReused,
    known: items.flatMap(({ ref, outcome }) => (outcome === "rewritten" || isReused(ref) ? [] : [ref])),
  };
}

function isGone(outcome: string | undefined): boolean {
  return outcome === "erased" || outcome === "absent";
}

async function reusedKeys(
  engine: Engine,
  gone: readonly RequestItem[],
  needles: readonly KeptNeedle[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const reused = new Set<string>();
  if (gone.length === 0) return reused;
  const old = new Set(
    needles.flatMap(({ ref, content }) => content.map((field) => `${artifactId(ref)} ${digestOfField(field)}`)),
  );
  for (const [surfaceId, members] of groupBy(gone, ({ ref }) => ref.surface)) {
    const surface = await engine.open(surfaceId);
    const keys = members.map(({ ref }) => ref.key);
    for await (const { surface: at, key, content } of surface.read(keys, signal)) {
      const name = artifactId({ surface: at, key });
      if (!content.some((field) => old.has(`${name} ${digestOfField(field)}`))) reused.add(name);
    }
  }
  return reused;
}
