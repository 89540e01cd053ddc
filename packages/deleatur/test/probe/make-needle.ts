// Builds needles and passages for the tests of probe/.
import { artifactKey, surfaceId } from "../../src/model/ids.ts";
import type { ContentField } from "../../src/model/artifact.ts";
import type { Needle, Passage } from "../../src/model/needle.ts";

export function textField(text: string): ContentField {
  return { type: "text", name: "text", text };
}

export function bytesField(bytes: Uint8Array): ContentField {
  return { type: "bytes", name: "data", bytes };
}

export function vectorField(values: readonly number[]): ContentField {
  return { type: "vector", name: "embedding", vector: Float32Array.from(values) };
}

export function makeNeedle(
  index: number,
  content: string | readonly ContentField[],
  fate: Needle["fate"] = "erased",
): Needle {
  return {
    index,
    ref: { surface: surfaceId("episodes"), key: artifactKey(`e${index}`) },
    subjects: [{ type: "account", value: String(index) }],
    content: typeof content === "string" ? [textField(content)] : content,
    fate,
  };
}

export function makePassage(field: string | ContentField, key = "p1"): Passage {
  const surface = surfaceId("summaries");
  return {
    place: { container: "summaries", surface, key: artifactKey(key) },
    field: typeof field === "string" ? textField(field) : field,
  };
}
