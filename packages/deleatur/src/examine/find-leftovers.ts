// Finds in the epoch scan what should be gone: rows of the closure that are still, or again, in a surface.
import type { ArtifactMention, Survivor } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier } from "../model/ids.ts";
import type { Inquiry } from "./gather-evidence.ts";
import { digestOfField } from "../attest/field-digest.ts";
import type { EpochScan } from "./scan-epoch.ts";

export interface Leftovers {
  readonly back: readonly ArtifactMention[];
  readonly primaryHolds: readonly ArtifactMention[];
  readonly survivors: readonly Survivor[];
  /** Every artifact that the known derivations reach now. */
  readonly reached: ReadonlySet<string>;
  /** Artifacts of the closure that live in a surface which the boundary declares no more: nobody can look at them there. */
  readonly undeclared: ReadonlyMap<string, number>;
}

export function findLeftovers(
  engine: Engine,
  inquiry: Inquiry,
  scan: EpochScan,
  isOwn: (identifier: SubjectIdentifier) => boolean,
): Leftovers {
  const items = new Map(inquiry.items.map((item) => [artifactId(item.ref), item]));
  const oldContent = contentByArtifact(inquiry);
  const seeds = inquiry.items
    .filter(({ action, ref }) => action !== "rewrite" && !isReused(engine, scan, oldContent, isOwn, ref))
    .map(({ ref }) => ref);
  const about = [...scan.rows.values()].filter(({ subjects }) => subjects.some(isOwn));
  const declared = new Set<string>(engine.surfaces.map(({ declaration }) => declaration.id));
  const dropped = engine.ledger.artifactsAbout(inquiry.identifiers).filter(({ surface }) => !declared.has(surface));
  const closure = engine.ledger.closure([...seeds, ...about.map(({ surface, key }) => ({ surface, key })), ...dropped]);
  const reached = new Set(closure.map(({ ref }) => artifactId(ref)));
  const undeclared = new Map<string, number>();
  for (const { ref, state } of closure)
    if (!declared.has(ref.surface) && state !== "erased")
      undeclared.set(ref.surface, (undeclared.get(ref.surface) ?? 0) + 1);
  const back: ArtifactMention[] = [];
  const primaryHolds: ArtifactMention[] = [];
  const survivors: Survivor[] = [];
  for (const { ref } of closure) {
    const row = scan.rows.get(ref);
    if (row === undefined) continue;
    const id = artifactId(ref);
    const item = items.get(id);
    if (item?.action === "keep") continue;
    const { role, keys } = engine.bound(row.surface).declaration;
    const isTagged = row.subjects.some(isOwn);
    const hasOldContent = scan.closureFieldsOf(id).some((digest) => oldContent.get(id)?.has(digest) === true);
    const isDerivedFromReached = row.sources.some((source) => {
      const sourceId = artifactId(source);
      return reached.has(sourceId) && items.get(sourceId)?.action !== "rewrite";
    });
    // The store gave the key of an erased row to somebody else's: lawful where keys are reusable (C22).
    if (keys === "reusable" && !isTagged && !hasOldContent && !isDerivedFromReached) continue;
    // A rewritten row stays; it is a leftover only where its tag or an edge to an erased source is still there.
    if (item?.action === "rewrite" && item.outcome === "rewritten" && !isTagged && !isDerivedFromReached) continue;
    if (role === "primary") {
      const wasErased = item?.outcome === "erased" || engine.ledger.wasErased([ref])[0] === true;
      (wasErased && (hasOldContent || keys === "unique") ? back : primaryHolds).push(ref);
    } else {
      survivors.push({
        ...ref,
        container: row.surface,
        probe: "key",
        depth: "api",
        provenance: "reached",
        contentKeyed: false,
      });
    }
  }
  return { back, primaryHolds, survivors, reached, undeclared };
}

/** What derives from a row that lawfully has the key now is not derived from the row that had it before. */
function isReused(
  engine: Engine,
  scan: EpochScan,
  oldContent: ReadonlyMap<string, ReadonlySet<string>>,
  isOwn: (identifier: SubjectIdentifier) => boolean,
  ref: ArtifactRef,
): boolean {
  const id = artifactId(ref);
  const row = scan.rows.get(ref);
  if (row === undefined || engine.bound(ref.surface).declaration.keys !== "reusable") return false;
  const known = oldContent.get(id);
  return !row.subjects.some(isOwn) && !scan.closureFieldsOf(id).some((digest) => known?.has(digest) === true);
}

function contentByArtifact(inquiry: Inquiry): ReadonlyMap<string, ReadonlySet<string>> {
  const digests = new Map<string, Set<string>>();
  for (const { ref, content } of inquiry.needles) {
    const known = digests.get(artifactId(ref)) ?? new Set<string>();
    for (const field of content) known.add(digestOfField(field));
    digests.set(artifactId(ref), known);
  }
  return digests;
}
