// Makes artifact keys of Redis keys and takes them apart again: a key is its own, an entry or a field is named by its key and itself. Pure.
import { canonicalKey } from "@deleatur/verify";
import { type ArtifactKey, artifactKey } from "../../../model/ids.ts";
import { spellKey, unspellKey } from "../key-text.ts";
import type { RedisOptions } from "../options.ts";

/** The Redis key that an artifact stands under; `part` is the entry's id, or the field's name, of it. */
export interface KeyPlace {
  readonly key: Buffer;
  readonly part: Buffer | undefined;
}

export function keyOfPart(spelled: string, part: Buffer): ArtifactKey {
  return artifactKey(canonicalKey([spelled, spellKey(part)]));
}

/** Where an artifact of the surface stands; undefined where the surface can have none of that key. */
export function placeOf({ each, isMeant }: RedisOptions, key: ArtifactKey): KeyPlace | undefined {
  const [spelled, part] = each === "key" ? [key] : pairOf(key);
  const bytes = spelled === undefined ? undefined : unspellKey(spelled);
  if (bytes === undefined || !isMeant(bytes)) return undefined;
  if (each === "key") return { key: bytes, part: undefined };
  const own = part === undefined ? undefined : unspellKey(part);
  return own === undefined ? undefined : { key: bytes, part: own };
}

function pairOf(key: string): readonly string[] {
  let parts: unknown;
  try {
    parts = JSON.parse(key);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return [];
  }
  if (!Array.isArray(parts) || parts.length !== 2) return [];
  return parts.flatMap((part: unknown) => (typeof part === "string" ? [part] : []));
}
