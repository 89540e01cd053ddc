// Streams what keys really hold past the matchers: texts, bytes and vectors, of declared keys and of keys that nobody declared. It judges nothing.
import type { ContentField } from "../../../model/artifact.ts";
import { artifactKey, type SurfaceId } from "../../../model/ids.ts";
import type { Finding, Needle, Passage, Place } from "../../../model/needle.ts";
import { createExactMatcher } from "../../../probe/exact-matcher.ts";
import { createExcerptMatcher } from "../../../probe/excerpt-matcher.ts";
import type { Matcher } from "../../../probe/matcher.ts";
import { createNearVectors } from "../../../probe/near-vectors.ts";
import { numberArrays } from "../../../probe/vector-bytes.ts";
import type { RedisUnit } from "../../../model/declaration.ts";
import type { Probe } from "../../../surface.ts";
import type { RedisStore } from "../options.ts";
import { keyText } from "./key-probe.ts";
import { asSeenFloats } from "./seen-floats.ts";
import { type Sight, throughSight } from "./see-server.ts";
import { asList, seeKeys, type SeenPart, seeParts, seeTypes } from "./see-values.ts";

/** Keys to look at; declared ones know their surface. */
export interface KeysSeen {
  readonly store: RedisStore;
  readonly container: string;
  readonly scope: string;
  readonly isMeant: (key: Buffer) => boolean;
  /** Where only keys of one type are meant. */
  readonly type?: string;
  readonly surface?: SurfaceId;
  readonly each: RedisUnit;
  readonly vector?: string | undefined;
}

export function exactProbe(seen: KeysSeen): Probe {
  return contentProbe("exact", seen, createExactMatcher);
}

export function excerptProbe(seen: KeysSeen): Probe {
  return contentProbe("excerpt", seen, createExcerptMatcher);
}

function contentProbe(
  name: "exact" | "excerpt",
  seen: KeysSeen,
  createMatcher: (needles: readonly Needle[]) => Matcher,
): Probe {
  return {
    name,
    depth: "api",
    scope: `${name}:${seen.scope}`,
    look(needles, signal) {
      const matcher = createMatcher(needles);
      return throughSight(seen.store, signal, async function* (sight): AsyncGenerator<Finding> {
        for await (const passage of passagesOf(sight, seen, signal)) {
          if (needles.length === 0) return;
          for (const finding of matcher.match(passage)) yield { ...finding, probe: name, depth: "api" };
        }
      });
    },
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

export function neighbourProbe(seen: KeysSeen): Probe {
  return {
    name: "neighbour",
    depth: "index",
    scope: `neighbour:${seen.scope}`,
    look(needles, signal) {
      const anchors = needles.flatMap((needle) =>
        needle.content.flatMap((field) =>
          field.type !== "vector" || needle.explained?.explainsVector(field.vector) === true
            ? []
            : [{ needle: needle.index, vector: field.vector }],
        ),
      );
      const near = createNearVectors(anchors.map(({ vector }) => vector));
      return throughSight(seen.store, signal, async function* (sight): AsyncGenerator<Finding> {
        for await (const { place, field } of passagesOf(sight, seen, signal)) {
          if (anchors.length === 0) return;
          for (const vector of vectorsIn(field)) {
            const found: Finding[] = [];
            near.find(vector, (anchor, distance, identical) => {
              const needle = anchors[anchor]?.needle ?? -1;
              found.push({
                probe: "neighbour",
                depth: "index",
                needle,
                place,
                match: { how: "vector", distance, identical },
              });
            });
            yield* found;
          }
        }
      });
    },
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

/** What may be an embedding: float32 under the declared name, JSON arrays of numbers anywhere. */
function vectorsIn(field: ContentField): Iterable<Float32Array> {
  if (field.type === "vector") return [field.vector];
  return field.type === "text" ? numberArrays(field.text) : [];
}

async function* passagesOf(sight: Sight, seen: KeysSeen, signal: AbortSignal): AsyncGenerator<Passage> {
  const keys = await seeKeys(sight, seen.isMeant, signal);
  const types = await seeTypes(sight, keys);
  for (const [at, { key, spelled }] of keys.entries()) {
    signal.throwIfAborted();
    const type = types[at] ?? "none";
    if (seen.type !== undefined && seen.type !== type) continue;
    // Some keep answers under the question itself.
    if (key.length >= LEAST_NAME)
      yield {
        place: placeOf(seen, seen.each === "key" ? spelled : undefined),
        field: { type: "text", name: "key", text: key.toString("utf8") },
      };
    for await (const part of seeParts(sight, key, type)) {
      const place = placeOf(seen, keyText(seen.each, spelled, part));
      for (const field of fieldsOf(part, seen.vector)) yield { place, field };
    }
  }
  if (seen.surface !== undefined) yield* slowCommands(sight, seen.store);
}

function placeOf({ container, surface }: KeysSeen, key: string | undefined): Place {
  return {
    container,
    ...(surface === undefined ? {} : { surface }),
    ...(surface === undefined || key === undefined ? {} : { key: artifactKey(key) }),
  };
}

/** A shorter name of a key or a field says nothing. */
const LEAST_NAME = 12;

/** A text as a text, bytes as bytes; and once more as a vector where they are one. The name of a field is somebody's text as well. */
function* fieldsOf({ name, bytes, part }: SeenPart, vector: string | undefined): Generator<ContentField> {
  const text = bytes.toString("utf8");
  const isText = !text.includes("\ufffd") || Buffer.from(text, "utf8").equals(bytes);
  if (name === vector && !(isText && text.startsWith("["))) {
    const floats = asSeenFloats(bytes);
    if (floats !== undefined) yield { type: "vector", name, vector: floats };
  } else yield isText ? { type: "text", name, text } : { type: "bytes", name, bytes: new Uint8Array(bytes) };
  if (part !== undefined && name.length >= LEAST_NAME) yield { type: "text", name: "name", text: name };
}

/** The slow log keeps the first bytes of each argument of a command that took long, whoever sent it. It is looked at where it may be. */
async function* slowCommands(sight: Sight, store: RedisStore): AsyncGenerator<Passage> {
  const [log = null] = await sight.askAll([["SLOWLOG", "GET", "-1"]]);
  for (const entry of asList(log)) {
    const [, , , args] = asList(entry);
    for (const arg of asList(args))
      if (Buffer.isBuffer(arg))
        yield {
          place: { container: `${store.name}.[slowlog]` },
          field: { type: "text", name: "argument", text: arg.toString("utf8") },
        };
  }
}
