// Ends open intents by resolution, never by time: a write that began before the fence is looked for in its store (DESIGN §3.3).
import type { Engine } from "../engine.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier } from "../model/ids.ts";
import { isKnownDead } from "../ledger/process-identity.ts";
import type { OpenIntent } from "../ledger/ledger.ts";
import { mayStand } from "../record/what-stands.ts";

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
  const open = engine.ledger.openIntents();
  if (open.length === 0) return { joined: 0, aborted: 0, unresolved: 0, waitingUntil: undefined };
  const persons = new Set(about.identifiers.map(({ type, value }) => `${type}:${value}`));
  const closure = engine.ledger.derivedFrom([...about.refs, ...engine.ledger.artifactsAbout(about.identifiers)]);
  const isMeant = new Set(about.refs.map(artifactId));
  let waitingUntil: Date | undefined;
  const declared = new Set(engine.surfaces.map(({ declaration }) => declaration.id));
  const isDeclared = ({ ref }: OpenIntent): boolean => declared.has(ref.surface);
  const ended: OpenIntent[] = [];
  const unresolved: OpenIntent[] = [];
  for (const intent of open) {
    const touches =
      intent.subjects.some(({ type, value }) => persons.has(`${type}:${value}`)) ||
      [intent.ref, ...intent.sources].some((ref) => isMeant.has(artifactId(ref)) || closure.has(ref));
    if (!touches) continue;
    const isDead = isKnownDead(intent.writer);
    // A surface that is declared no more cannot be asked.
    if (isDead && isDeclared(intent)) ended.push(intent);
    else if (isDead || intent.leaseUntil <= engine.clock()) unresolved.push(intent);
    else if (waitingUntil === undefined || intent.leaseUntil > waitingUntil) waitingUntil = intent.leaseUntil;
  }
  const standing = await mayStand(engine, [...ended, ...unresolved.filter(isDeclared)], signal);
  const isWritten = (intent: OpenIntent): boolean => standing.has(intent);
  const joined = ended.filter(isWritten).length;
  engine.ledger.transaction(() => {
    // A row at the key of a writer that lives belongs to the closure, but may have stood there before: the slow writer may still put its own over it.
    engine.ledger.recordArtifacts(
      unresolved
        .filter(isWritten)
        .map(({ ref, subjects, sources }) => ({ ref, subjects, sources, origin: "recorded" as const })),
    );
    engine.ledger.resolveIntents([
      ...ended.map((intent) => ({
        id: intent.id,
        how: isWritten(intent) ? ("joined" as const) : ("aborted" as const),
      })),
      ...unresolved.map(({ id }) => ({ id, how: "unresolved" as const })),
    ]);
  });
  return { joined, aborted: ended.length - joined, unresolved: unresolved.length, waitingUntil };
}
