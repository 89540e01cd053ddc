// The eyes of `append-log`: they open the file themselves, read it in their own way, and import nothing of the hands.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  artifactKey,
  createByteMatcher,
  createExactMatcher,
  createExcerptMatcher,
  type Finding,
  type Matcher,
  type Needle,
  type Place,
  type Probe,
  StoreError,
} from "deleatur/surface";
import type { LogOptions } from "./kind.ts";

interface SeenNote {
  readonly place: Place;
  /** The whole line: what stands in fields that nobody declared is seen too. */
  readonly line: string;
  readonly text: string;
}

export function logProbes(options: LogOptions): readonly Probe[] {
  return [
    keyProbe(options),
    contentProbe("exact", options.surface, createExactMatcher, () => seeNotes(options)),
    contentProbe("excerpt", options.surface, createExcerptMatcher, () => seeNotes(options)),
    bytesProbe(options),
  ];
}

/** A file beside the log that nobody declared: all of it is looked at. */
export function containerProbes({ file, store }: LogOptions, container: string): readonly Probe[] {
  const seeAll = (): readonly SeenNote[] => {
    const text = see(store, join(dirname(file), container.slice(store.length + 1))).toString("utf8");
    return text.split("\n").map((line) => ({ place: { container }, line, text: line }));
  };
  return [
    contentProbe("exact", container, createExactMatcher, seeAll),
    contentProbe("excerpt", container, createExcerptMatcher, seeAll),
  ];
}

/** @throws StoreError, and the probe is blind */
function see(store: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new StoreError("STORE_MISSING", `store ${store}: a file cannot be looked into`, { place: { store } });
  }
}

/** Backwards, so that the first line that is met of a key is the one that counts. */
function seeNotes({ surface, store, file }: LogOptions): readonly SeenNote[] {
  const met = new Set<string>();
  const seen: SeenNote[] = [];
  for (const line of see(store, file).toString("utf8").split("\n").toReversed()) {
    if (line === "") continue;
    const { key, text, gone } = parseLine(store, line);
    if (key === undefined || met.has(key)) continue;
    met.add(key);
    if (gone !== true)
      seen.push({ place: { container: `${store}.*`, surface, key: artifactKey(key) }, line, text: text ?? "" });
  }
  return seen;
}

function parseLine(
  store: string,
  line: string,
): { readonly key?: string; readonly text?: string; readonly gone?: boolean } {
  try {
    // A line of the log is an object; what it lacks is undefined.
    return JSON.parse(line) as ReturnType<typeof parseLine>;
  } catch {
    throw new StoreError("LINE_UNREADABLE", `store ${store}: a line of the log is no JSON`, { place: { store } });
  }
}

function keyProbe(options: LogOptions): Probe {
  return {
    name: "key",
    depth: "api",
    scope: options.surface,
    async *look(needles, signal): AsyncGenerator<Finding> {
      const places = new Map(seeNotes(options).map(({ place }) => [place.key, place]));
      for (const { ref, fate, index } of needles) {
        signal.throwIfAborted();
        const place = ref.surface === options.surface ? places.get(ref.key) : undefined;
        // The key of a rewritten note may stay.
        if (place !== undefined && fate !== "rewritten")
          yield { probe: "key", depth: "api", needle: index, place, match: { how: "key" } };
      }
    },
    close: async () => {}, // nothing stays open
  };
}

function contentProbe(
  name: "exact" | "excerpt",
  scope: string,
  createMatcher: (needles: readonly Needle[]) => Matcher,
  notes: () => readonly SeenNote[],
): Probe {
  return {
    name,
    depth: "api",
    scope,
    async *look(needles, signal): AsyncGenerator<Finding> {
      const matcher = createMatcher(needles);
      for (const { place, line, text } of notes()) {
        signal.throwIfAborted();
        for (const part of new Set([text, line]))
          for (const finding of matcher.match({ place, field: { type: "text", name: "text", text: part } }))
            yield { ...finding, probe: name, depth: "api" };
      }
    },
    close: async () => {}, // nothing stays open
  };
}

/** Lines that were erased stay in the file until it is written anew: this is what finds them. */
function bytesProbe({ file, store }: LogOptions): Probe {
  return {
    name: "bytes",
    depth: "bytes",
    scope: `${store}:bytes`,
    async *look(needles, signal): AsyncGenerator<Finding> {
      see(store, file);
      for await (const { needle, offset, bytes } of createByteMatcher(needles).scanFile(file, signal)) {
        const place = { container: `${store}.*`, file: basename(file), offset };
        yield { probe: "bytes", depth: "bytes", needle, place, match: { how: "bytes", bytes } };
      }
    },
    close: async () => {}, // nothing stays open
  };
}
