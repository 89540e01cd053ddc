// What a process may not hold when it joins, or when it wakes after its lease: what is being erased, was erased, or carries erased content.
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact } from "../model/artifact.ts";
import type { ArtifactKey } from "../model/ids.ts";
import { guardWrite } from "../record/guard.ts";

export function forbiddenKeys(ledger: Ledger, artifacts: readonly Artifact[]): readonly ArtifactKey[] {
  return artifacts.filter((artifact) => isForbidden(ledger, artifact)).map(({ key }) => key);
}

function isForbidden(ledger: Ledger, { surface, key, subjects, sources, content }: Artifact): boolean {
  const ref = { surface, key };
  const known = ledger.sourcesOf(ref);
  const named = [...sources, ...known.flatMap(({ ref: source }) => (source === undefined ? [] : [source]))];
  if (ledger.isFenced({ identifiers: [...subjects, ...ledger.subjectsOf(ref)], refs: [ref], sources: named }))
    return true;
  if (ledger.artifact(ref)?.state === "erased") return true;
  // A source that only a digest is left of was erased.
  if (known.some((source) => source.ref === undefined)) return true;
  if (sources.some((source) => ledger.artifact(source)?.state === "erased")) return true;
  return guardWrite(ledger, { ref, subjects, content }).answer !== "pass";
}
