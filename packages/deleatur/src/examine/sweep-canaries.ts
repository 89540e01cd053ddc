// Takes out canaries that a process left in a store because it was killed while they stood, or could not take them out: an open intent of a dead writer tells of each.
import type { Engine } from "../engine.ts";
import { isKnownDead } from "../ledger/process-identity.ts";
import type { OpenIntent } from "../ledger/ledger.ts";
import { groupBy } from "../model/group-by.ts";
import type { ArtifactKey, SurfaceId } from "../model/ids.ts";
import { contentDigests } from "../record/guard.ts";
import { headOf, isCanaryIdentifier } from "./canary.ts";

/** Done before anything is planned or scanned, so that a canary is nobody's record. A surface out of reach keeps its intents for the next time. */
export async function sweepCanaries(engine: Engine, signal: AbortSignal): Promise<void> {
  const left = engine.ledger
    .openIntents()
    .filter(({ subjects, writer }) => subjects.some(isCanaryIdentifier) && isKnownDead(writer));
  for (const [surface, intents] of groupBy(left, ({ ref }) => ref.surface)) {
    if (!engine.surfaces.some(({ declaration }) => declaration.id === surface)) continue;
    try {
      await sweepSurface(engine, surface, intents, signal);
    } catch {
      signal.throwIfAborted();
      continue; // the scan of this surface will say why it cannot be read
    }
  }
}

/** By key, and by content where the surface made up the key and nobody lived to note it. */
async function sweepSurface(
  engine: Engine,
  id: SurfaceId,
  intents: readonly OpenIntent[],
  signal: AbortSignal,
): Promise<void> {
  const surface = await engine.open(id);
  const keys = new Set(intents.map(({ ref }) => ref.key));
  const digests = new Set(
    intents.flatMap(({ contentDigest }) => (contentDigest === undefined ? [] : [hex(contentDigest)])),
  );
  const found: ArtifactKey[] = [];
  for await (const { key, content } of surface.scan(signal)) {
    if (
      keys.has(key) ||
      contentDigests(engine.ledger, content.map(headOf)).some(({ digest }) => digests.has(hex(digest)))
    )
      found.push(key);
  }
  const erased = found.length === 0 ? [] : await surface.erase(found, signal);
  if (erased.length === found.length && erased.every(({ outcome }) => outcome !== "failed"))
    engine.ledger.abortIntents(intents.map(({ id: intent }) => intent));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
