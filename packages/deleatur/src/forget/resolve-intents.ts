// Ends open intents by resolution, never by time: a write that began before the fence is looked for in its store (DESIGN §3.3).
import type { Engine } from "../engine.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier } from "../model/ids.ts";
import { isKnownDead } from "../ledger/process-identity.ts";
import { isThere } from "../record/write-under-intent.ts";

export interface IntentResolution {
  readonly joined: number;
  readonly aborted: number;
  /** Writers that still hold their lease: wait for them until this instant. */
  readonly waitingUntil: Date | undefined;
  /** Lease over and writer not known dead: it may write yet, also where a fence refuses it now and is taken down later. Nothing is COMPLIANT. */
  readonly unresolved: number;
}

/** Resolves every open intent that could touch the target. */
export async function resolveIntents(
  engine: Engine,
  about: { readonly identifiers: readonly SubjectIdentifier[]; readonly refs: readonly ArtifactRef[] },
  signal: AbortSignal,
): Promise<IntentResolution> {
  const persons = new Set(about.identifiers.map(({ type, value }) => `${type}:${value}`));
  const closure = new Set(
    engine.ledger
      .closure([...about.refs, ...engine.ledger.artifactsAbout(about.identifiers)])
      .map(({ ref }) => artifactId(ref)),
  );
  let [joined, aborted, unresolved] = [0, 0, 0];
  let waitingUntil: Date | undefined;
  for (const intent of engine.ledger.openIntents()) {
    const touches =
      intent.subjects.some(({ type, value }) => persons.has(`${type}:${value}`)) ||
      [intent.ref, ...intent.sources].some((ref) => closure.has(artifactId(ref)));
    if (!touches) continue;
    const isDead = isKnownDead(intent.writer);
    if (!isDead && intent.leaseUntil > engine.clock()) {
      if (waitingUntil === undefined || intent.leaseUntil > waitingUntil) waitingUntil = intent.leaseUntil;
      continue;
    }
    // A surface that is declared no more cannot be asked.
    const isDeclared = engine.surfaces.some(({ declaration }) => declaration.id === intent.ref.surface);
    const isWritten = isDeclared && (await isThere(engine, intent.ref, signal));
    if (isDead && isDeclared) {
      engine.ledger.resolveIntent(intent.id, isWritten ? "joined" : "aborted");
      if (isWritten) joined += 1;
      else aborted += 1;
      continue;
    }
    // A row at its key belongs to the closure, but may have stood there before: the slow writer may still put its own over it.
    if (isWritten) {
      const { ref, subjects, sources } = intent;
      engine.ledger.recordArtifacts([{ ref, subjects, sources, origin: "recorded" }]);
    }
    engine.ledger.resolveIntent(intent.id, "unresolved");
    unresolved += 1;
  }
  return { joined, aborted, unresolved, waitingUntil };
}
