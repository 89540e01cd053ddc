// A write as the application gives it, read and refused where it is none: nothing is written before that.
import { types } from "node:util";
import type { ContentField } from "../model/artifact.ts";
import { UsageError } from "../model/errors.ts";
import { artifactKey, type ArtifactRef, parseArtifactId, parseIdentifier, surfaceId } from "../model/ids.ts";
import type { OfferedWrite } from "./guard.ts";

/** Content as the application gives it: field name to text, bytes or vector. */
export type GivenContent = Readonly<Record<string, string | Uint8Array | Float32Array>>;

/** One write as the application gives it. `subjects` are `type:value`, `sources` are `surface/key`. */
export interface GivenWrite {
  readonly key: string;
  readonly subjects?: readonly string[];
  readonly sources?: readonly string[];
  readonly content: GivenContent;
}

export interface PreparedWrite extends OfferedWrite {
  readonly sources: readonly ArtifactRef[];
}

/** @throws UsageError where an id is none, and BAD_CONTENT where the guard could not read a field */
export function prepareWrite(surface: string, given: GivenWrite): PreparedWrite {
  return {
    ref: { surface: surfaceId(surface), key: artifactKey(given.key) },
    subjects: (given.subjects ?? []).map(parseIdentifier),
    sources: (given.sources ?? []).map(parseArtifactId),
    content: contentFields(surface, given.content),
  };
}

/** Who calls from plain JavaScript may give anything. A list, a map or a text in place of the record has no fields, or others than it says. */
function contentFields(surface: string, content: unknown): readonly ContentField[] {
  if (typeof content !== "object" || Object.prototype.toString.call(content) !== "[object Object]")
    throw badContent(surface);
  return Object.entries(content ?? {}).map(([name, value]) => contentField(surface, name, value));
}

function contentField(surface: string, name: string, value: unknown): ContentField {
  if (typeof value === "string") return { type: "text", name, text: value };
  // Of any realm: a test runner has its own classes.
  if (types.isFloat32Array(value)) return { type: "vector", name, vector: value };
  if (types.isUint8Array(value)) return { type: "bytes", name, bytes: value };
  throw badContent(surface, name);
}

function badContent(surface: string, field?: string): UsageError {
  return new UsageError("BAD_CONTENT", "content is a record of fields, each a string, a Uint8Array or a Float32Array", {
    place: { surface, ...(field === undefined ? {} : { field }) },
    cure: "give text as a string, a vector as a Float32Array, and leave out a field that is empty",
  });
}
