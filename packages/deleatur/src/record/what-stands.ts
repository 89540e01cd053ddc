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

/** What is told of a write before it stands: whom it is about, and what it is made from. */
type AnnouncedWrite = Pick<Artifact, "subjects" | "sources"> & { readonly ref: ArtifactRef };

/** Those whose key its store holds, but for records of somebody else. */
export async function mayStand<Write extends AnnouncedWrite>(
  engine: Engine,
  writes: readonly Write[],
  signal: AbortSignal,
): Promise<ReadonlySet<Write>> {
  const there = new Map<string, Artifact>();
  const refs = writes.map(({ ref }) => ref);
  for await (const artifact of readThere(engine, refs, signal)) there.set(artifactId(artifact), artifact);
  return new Set(
    writes.filter((write) => {
      const standing = there.get(artifactId(write.ref));
      return standing !== undefined && !isSomebodyElses(standing, write);
    }),
  );
}

export async function isThere(engine: Engine, ref: ArtifactRef, signal: AbortSignal): Promise<boolean> {
  return (await mayStand(engine, [{ ref, subjects: [], sources: [] }], signal)).size > 0;
}

/** Whether the record itself says what the write was to say, persons of a type or sources in a surface, and names none of those: then it is not what was written. */
export function isSomebodyElses(there: Artifact, announced: Pick<AnnouncedWrite, "subjects" | "sources">): boolean {
  const standing = namesIn(there);
  const said = new Set(standing.map(({ of }) => of));
  const asked = namesIn(announced).filter(({ of }) => said.has(of));
  return asked.length > 0 && !asked.some(({ of, name }) => standing.some((one) => one.of === of && one.name === name));
}

function namesIn({ subjects, sources }: Pick<AnnouncedWrite, "subjects" | "sources">): readonly {
  readonly of: string;
  readonly name: string;
}[] {
  return [
    ...subjects.map(({ type, value }) => ({ of: `person ${type}`, name: value })),
    ...sources.map(({ surface, key }) => ({ of: `source ${surface}`, name: key })),
  ];
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
