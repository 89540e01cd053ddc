// Reads from the stores what stands under the keys of announced writes, and tells whether it is what was offered. It must not change anything.
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef } from "../model/ids.ts";
import { contentDigests, type OfferedWrite } from "./guard.ts";

/** Each that its store holds. */
export async function* readThere(
  engine: Engine,
  refs: readonly ArtifactRef[],
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  for (const [id, wanted] of groupBy(refs, (ref) => ref.surface)) {
    const surface = await engine.open(id);
    const keys = new Set(wanted.map(({ key }) => key));
    for await (const artifact of surface.read([...keys], signal)) if (keys.has(artifact.key)) yield artifact;
  }
}

/** `surface/key` of each that its store holds. */
export async function areThere(
  engine: Engine,
  refs: readonly ArtifactRef[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  for await (const artifact of readThere(engine, refs, signal)) there.add(artifactId(artifact));
  return there;
}

export async function isThere(engine: Engine, ref: ArtifactRef, signal: AbortSignal): Promise<boolean> {
  return (await areThere(engine, [ref], signal)).size > 0;
}

/** Whether it names nobody and says nothing that was not offered. What names and says nothing may have stood there before. */
export function isAsOffered(ledger: Ledger, there: Artifact, offered: OfferedWrite): boolean {
  const tagsOf = ({ subjects, content }: Pick<OfferedWrite, "subjects" | "content">): readonly string[] => [
    ...subjects.map(({ type, value }) => `${type}:${value}`),
    ...contentDigests(ledger, content).map(({ kind, digest }) => `${kind} ${Buffer.from(digest).toString("hex")}`),
  ];
  const given = new Set(tagsOf(offered));
  const standing = tagsOf(there);
  return standing.length > 0 && standing.every((tag) => given.has(tag));
}
