// The memory of a participant that holds one canary and nothing else: it shows that whoever holds a surface is found, asked and heard.
import type { Artifact } from "../model/artifact.ts";
import { artifactId } from "../model/ids.ts";
import type { ProcessMemory } from "./process-memory.ts";

export function canaryMemory({ key, subjects, sources, content }: Artifact): ProcessMemory {
  let isHeld = true;
  return {
    *entries() {
      if (!isHeld) return;
      yield {
        key,
        subjects: subjects.map(({ type, value }) => `${type}:${value}`),
        sources: sources.map(artifactId),
        content: Object.fromEntries(
          content.map((field) => [
            field.name,
            field.type === "text" ? field.text : field.type === "bytes" ? field.bytes : field.vector,
          ]),
        ),
      };
    },
    evict(keys) {
      if (keys.includes(key)) isHeld = false;
    },
  };
}
