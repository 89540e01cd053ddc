// Tells what an index says that the records which it names do not say: that alone is looked at as content of its own. It compares texts, and holds none.
import type { Engine } from "../engine.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { artifactId, type ArtifactRef } from "../model/ids.ts";
import { foldText } from "../probe/normalise-words.ts";

/**
 * The fields of an index row that no source which is there says. A vector says nothing that can be compared: it is its source's where one is there.
 * A source that is an index row itself says nothing, its own sources do: rows that name each other vouch for nothing. Reads the sources, so it is for rows about which there is a question. @throws StoreError where a source cannot be read
 */
export async function contentOfItsOwn(
  engine: Engine,
  artifact: Artifact,
  sourcesOf: (of: Artifact) => readonly ArtifactRef[],
  signal: AbortSignal,
): Promise<readonly ContentField[]> {
  const { content } = artifact;
  const said: ContentField[] = [];
  let isThere = false;
  const sources = new Map(sourcesOf(artifact).map((ref) => [artifactId(ref), ref]));
  // It goes on to what is added on the way.
  for (const { surface, key } of sources.values()) {
    for await (const row of (await engine.open(surface)).read([key], signal)) {
      const further = engine.bound(surface).declaration.role === "index" ? sourcesOf(row) : [];
      for (const ref of further) if (!sources.has(artifactId(ref))) sources.set(artifactId(ref), ref);
      // One that names nothing is looked at like any other.
      if (further.length > 0) continue;
      isThere = true;
      said.push(...row.content);
    }
  }
  if (!isThere) return content;
  const texts = said.flatMap((field) => (field.type === "text" ? [spaced(field.text)] : []));
  return content.filter((field) => {
    switch (field.type) {
      case "vector":
        return false;
      case "text":
        return !texts.some((text) => text.includes(spaced(field.text)));
      case "bytes":
        return !said.some((one) => one.type === "bytes" && Buffer.from(one.bytes).equals(field.bytes));
    }
  });
}

/** Folded, each word between spaces: a part begins and ends where words do. */
const spaced = (text: string): string => ` ${foldText(text)} `;
