// `find`: shows everything that is known about a person or record, content included. For the operator's own terminal; nothing is written.
import { planWithoutTrace } from "../forget/dry-run.ts";
import { parseTarget, type GivenTarget } from "../forget/target.ts";
import type { Engine } from "../engine.ts";
import type { Artifact } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId } from "../model/ids.ts";
import { heldAbout, type HeldWrite } from "../record/hold-write.ts";
import { harvestLineage } from "../record/harvest.ts";

export interface FoundArtifact {
  readonly artifact: string;
  readonly surface: string;
  readonly label: string;
  readonly depth: number;
  readonly sources: readonly string[];
  /** Text as stored; vectors and bytes by their size. */
  readonly content: Readonly<Record<string, string>>;
}

export interface Found {
  readonly artifacts: readonly FoundArtifact[];
  /** Writes about them that wait for a decision, or that were made from what was found. */
  readonly held: readonly HeldWrite[];
  readonly unread: readonly { readonly surface: string; readonly why: string }[];
  readonly identifiersUnknown: readonly { readonly surface: string; readonly type: string }[];
}

export async function findPerson(engine: Engine, given: GivenTarget, signal: AbortSignal): Promise<Found> {
  const target = parseTarget(given, engine.boundary);
  const plan = planWithoutTrace(engine, target, await harvestLineage(engine, signal));
  const artifacts: FoundArtifact[] = [];
  for (const [surfaceId, items] of groupBy(
    plan.items.filter(({ present }) => present),
    ({ ref }) => ref.surface,
  )) {
    const byKey = new Map(items.map((item) => [item.ref.key, item]));
    const surface = await engine.open(surfaceId);
    for await (const artifact of surface.read([...byKey.keys()], signal)) {
      artifacts.push({
        artifact: artifactId(artifact),
        surface: surfaceId,
        label: engine.bound(surfaceId).declaration.label,
        depth: byKey.get(artifact.key)?.depth ?? 0,
        sources: artifact.sources.map(artifactId),
        content: shownContent(artifact),
      });
    }
  }
  return {
    artifacts,
    held: heldAbout(engine, { identifiers: plan.identifiers, artifacts: plan.items.map(({ ref }) => ref) }),
    unread: [...plan.unread].map(([surface, why]) => ({ surface, why })),
    identifiersUnknown: plan.identifiersUnknown,
  };
}

/** Content as a person at the terminal reads it. */
export function shownContent({ content }: Artifact): Readonly<Record<string, string>> {
  return Object.fromEntries(
    content.map((field) => {
      if (field.type === "text") return [field.name, field.text];
      if (field.type === "bytes") return [field.name, `(${field.bytes.length} bytes)`];
      return [field.name, `(vector of ${field.vector.length} dimensions)`];
    }),
  );
}
