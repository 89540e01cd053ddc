// Streams what keys really hold past the matchers: texts, bytes and vectors, of declared keys and of keys that nobody declared. It judges nothing.
import type { ContentField } from "../../../model/artifact.ts";
import { artifactKey, type SurfaceId } from "../../../model/ids.ts";
import type { Finding, Passage, Place } from "../../../model/needle.ts";
import { contentProbes } from "../../../probe/content-probes.ts";
import { createNearVectors } from "../../../probe/near-vectors.ts";
import { numberArrays } from "../../../probe/vector-bytes.ts";
import type { RedisUnit } from "../../../model/declaration.ts";
import type { Probe } from "../../../surface.ts";
import type { RedisStore } from "../options.ts";
import { keyText } from "./key-probe.ts";
import { asSeenFloats } from "./seen-floats.ts";
import { type Sight, throughSight } from "./see-server.ts";
import { seeKeys, type SeenUnder, seeUnder } from "./see-values.ts";
import { serverTexts } from "./server-texts.ts";
import type { SeenPart } from "./ways-to-read.ts";

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

/** The exact and the excerpt probe of these keys. */
export function keysProbes(seen: KeysSeen): readonly Probe[] {
  return contentProbes(seen.scope, (_, signal) =>
    throughSight(seen.store, signal, (sight) => passagesOf(sight, seen, signal)),
  );
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
        for await (const passages of passagesOf(sight, seen, signal)) {
          if (anchors.length === 0) return;
          for (const { place, field } of passages) {
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

async function* passagesOf(sight: Sight, seen: KeysSeen, signal: AbortSignal): AsyncGenerator<Iterable<Passage>> {
  const keys = await seeKeys(sight, seen.isMeant, signal);
  for await (const trip of seeUnder(sight, keys, signal, seen.type))
    yield { [Symbol.iterator]: () => passagesIn(trip, seen) };
  if (seen.surface !== undefined) yield await serverTexts(sight);
}

function* passagesIn(trip: readonly SeenUnder[], seen: KeysSeen): Generator<Passage> {
  for (const { key, spelled, isFirst, parts } of trip) {
    // Some keep answers under the question itself.
    if (isFirst && key.length >= LEAST_NAME)
      yield {
        place: placeOf(seen, seen.each === "key" ? spelled : undefined),
        field: { type: "text", name: "key", text: key.toString("utf8") },
      };
    for (const part of parts) {
      const place = placeOf(seen, keyText(seen.each, spelled, part));
      for (const field of fieldsOf(part, seen.vector)) yield { place, field };
    }
  }
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
