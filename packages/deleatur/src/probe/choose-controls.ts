// Chooses surviving artifacts as positive controls, by chance from a source that is passed in, and says where none is to be had; it reads no store.
import type { Artifact, ContentField } from "../model/artifact.ts";
import { StoreError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { ProbeName } from "../model/needle.ts";
import { MIN_RUN } from "./byte-patterns.ts";
import { viewWords } from "./view-words.ts";
import { isDistinctiveVector } from "./vector-bytes.ts";
import { unfoldContent, type View } from "./unfold-content.ts";
import { MIN_WORDS } from "./word-grams.ts";

/** True where a probe of this kind can find an artifact with this content: what it cannot see is no test of its eyes. */
export function canFind(probe: ProbeName, content: readonly ContentField[]): boolean {
  switch (probe) {
    case "key":
      return true;
    case "exact":
      return content.some((field) =>
        field.type === "vector" ? isDistinctiveVector(field.vector) : hasWords(field, 3),
      );
    case "excerpt":
      return content.some((field) => field.type !== "vector" && hasWords(field, MIN_WORDS));
    case "neighbour":
      return content.some((field) => field.type === "vector" && isDistinctiveVector(field.vector));
    case "bytes":
      return content.some((field) => isLongEnough(field));
    case "re-ingest":
      return false; // its control is a door that must let a canary in, which the engine offers itself
    default:
      return probe satisfies never;
  }
}

function hasWords(field: ContentField, min: number): boolean {
  if (field.type === "text" && field.text.length >= 12 && hasPlainWords(field.text, min)) return true;
  return readable(field).some(
    (view) => view.type === "text" && view.text.length >= 12 && viewWords(view).length >= min,
  );
}

/** What unfolds beyond the bound is no control: the eyes cannot look into it either, and say so themselves. */
function readable(field: ContentField): readonly View[] {
  try {
    return unfoldContent(field);
  } catch (error) {
    if (error instanceof StoreError && error.code === "UNFOLD_LIMIT") return [];
    throw error;
  }
}

/** By ASCII character: 1 where words are made of it. */
const IN_WORDS = Uint8Array.from({ length: 128 }, (_, code) => (/[a-z0-9]/i.test(String.fromCharCode(code)) ? 1 : 0));

/** The quick way for most texts, no further than it must: so many runs of letters are so many words at least. */
function hasPlainWords(text: string, min: number): boolean {
  let count = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; at += 1) {
    const isLetter = IN_WORDS[text.charCodeAt(at)] === 1;
    if (isLetter && !isInWord) count += 1;
    if (count === min) return true;
    isInWord = isLetter;
  }
  return false;
}

function isLongEnough(field: ContentField): boolean {
  if (field.type === "vector") return isDistinctiveVector(field.vector) && field.vector.length >= 16;
  if (field.type === "bytes") return field.bytes.length >= MIN_RUN && hasThree(field.bytes);
  const text = field.text.trim();
  return (text.length >= MIN_RUN || Buffer.byteLength(text) >= MIN_RUN) && hasThree(text);
}

/** True where three different bytes or characters stand in it: most have them at once. */
function hasThree(values: Iterable<string | number>): boolean {
  const met = new Set<string | number>();
  for (const value of values) if (met.add(value).size > 2) return true;
  return false;
}

const CHOSEN_FOR = ["key", "exact", "excerpt", "neighbour", "bytes"] as const satisfies readonly ProbeName[];

export interface ControlChoice {
  readonly controls: readonly Artifact[];
  /** Surfaces where nothing that survives can test this kind of eyes: a canary must be planted, or the probe is blind. */
  readonly lacking: readonly { readonly surface: SurfaceId; readonly probe: ProbeName }[];
}

export interface ControlChooser {
  /** Offers one surviving artifact; each has the same chance, however many there are. */
  offer(artifact: Artifact): void;
  choose(): ControlChoice;
}

interface Reservoir {
  seen: number;
  readonly kept: Artifact[];
}

/**
 * @param surfaces every surface that probes look at, also those where nothing is offered
 * @param random numbers from 0 up to, not including, 1; the same numbers over the same artifacts choose the same controls
 * @param perProbe how many are kept for each surface and kind of probe
 */
export function createControlChooser(
  surfaces: readonly SurfaceId[],
  random: () => number,
  perProbe: number = 2,
): ControlChooser {
  const reservoirs = new Map<SurfaceId, Map<ProbeName, Reservoir>>();
  for (const surface of surfaces) {
    reservoirs.set(surface, new Map(CHOSEN_FOR.map((probe) => [probe, { seen: 0, kept: [] }])));
  }
  return {
    offer(artifact) {
      for (const [probe, reservoir] of reservoirs.get(artifact.surface) ?? []) {
        if (!canFind(probe, artifact.content)) continue;
        reservoir.seen++;
        if (reservoir.kept.length < perProbe) {
          reservoir.kept.push(artifact);
          continue;
        }
        const place = Math.floor(random() * reservoir.seen);
        if (place < perProbe) reservoir.kept[place] = artifact;
      }
    },
    choose() {
      const controls = new Map<string, Artifact>();
      const lacking: { surface: SurfaceId; probe: ProbeName }[] = [];
      for (const [surface, byProbe] of reservoirs) {
        for (const [probe, { kept }] of byProbe) {
          if (kept.length === 0) lacking.push({ surface, probe });
          for (const artifact of kept) controls.set(JSON.stringify([surface, artifact.key]), artifact);
        }
      }
      return { controls: [...controls.values()], lacking };
    },
  };
}
