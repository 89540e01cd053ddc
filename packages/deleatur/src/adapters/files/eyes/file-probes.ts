// The eyes of the kinds `jsonl` and `text`: key, exact, excerpt and bytes over every file; nothing of the erase side is imported.
import { artifactKey, type SurfaceId } from "../../../model/ids.ts";
import type { Finding, Needle, Passage, Place } from "../../../model/needle.ts";
import { createExactMatcher } from "../../../probe/exact-matcher.ts";
import { createExcerptMatcher } from "../../../probe/excerpt-matcher.ts";
import type { Matcher } from "../../../probe/matcher.ts";
import type { Container, Probe } from "../../../surface.ts";
import { lineError } from "../file-errors.ts";
import type { FilesOptions, FilesStore } from "../options.ts";
import { TEMP_FILE } from "../options.ts";
import { bytesProbe } from "./bytes-probe.ts";
import { seeBeside, type SeenFile, seeFiles, seeLines, seePieces } from "./see-files.ts";
import { seeRecord } from "./see-keys.ts";
import { seeNames } from "./see-names.ts";

/** Larger files are looked at in pieces that overlap by more than any run that matters. */
const PIECE = 32 * 1024 * 1024;
const OVERLAP = 256 * 1024;

/** What is read of one store, and how its places are called. */
interface Sight {
  readonly options: FilesOptions;
  readonly store: FilesStore;
  readonly scope: string;
}

/** CLAIM-6: every replica is looked at by probes of its own, whose controls must be found in it. */
export function fileProbes(options: FilesOptions): readonly Probe[] {
  return options.stores.flatMap((store, at) => {
    const sight = { options, store, scope: at === 0 ? options.surface : `${options.surface}@${store.name}` };
    const passages = (signal: AbortSignal): Iterable<Passage> => storePassages(sight, signal);
    return [
      keyProbe(sight),
      contentProbe("exact", sight.scope, createExactMatcher, passages),
      contentProbe("excerpt", sight.scope, createExcerptMatcher, passages),
      bytesProbe(options, store, `bytes:${store.name}`, () => seeFiles(store)),
    ];
  });
}

/** A file beside the declared ones: a backup, an editor's copy, a rotated log; or all that is below a link. It is looked at as a whole, whatever it holds. */
export function fileContainerProbes(options: FilesOptions, container: Container): readonly Probe[] {
  const store = options.stores.find(({ name }) => container.name.startsWith(`${name}.`));
  if (store === undefined) return [];
  const rest = container.name.slice(store.name.length + 1);
  if (rest === "*") return [];
  const path = rest === "[*]" ? "*" : rest;
  const files = (): readonly SeenFile[] => seeBeside(store, path);
  const passages = function* (signal: AbortSignal): Generator<Passage> {
    for (const file of files())
      yield* wholePassages(file, store, { container: container.name, file: file.name }, signal);
  };
  return [
    contentProbe("exact", container.name, createExactMatcher, passages),
    contentProbe("excerpt", container.name, createExcerptMatcher, passages),
    bytesProbe(options, store, `bytes:${container.name}`, files),
  ];
}

function contentProbe(
  name: "exact" | "excerpt",
  scope: string,
  createMatcher: (needles: readonly Needle[]) => Matcher,
  passages: (signal: AbortSignal) => Iterable<Passage>,
): Probe {
  return {
    name,
    depth: "api",
    scope: `${name}:${scope}`,
    async *look(needles, signal): AsyncGenerator<Finding> {
      const matcher = createMatcher(needles);
      for (const passage of passages(signal)) {
        signal.throwIfAborted();
        if (needles.length === 0) return;
        for (const finding of matcher.match(passage)) yield { ...finding, probe: name, depth: "api" };
      }
    },
    close: () => Promise.resolve(), // each look closes the files that it opened
  };
}

function keyProbe({ options, store, scope }: Sight): Probe {
  return {
    name: "key",
    depth: "api",
    scope: `key:${scope}`,
    async *look(needles, signal): AsyncGenerator<Finding> {
      // A text file's name is its key.
      if (options.kind === "jsonl") yield* namesOfPersons(store, options.surface, needles);
      const wanted = new Map<string, number[]>();
      for (const { ref, fate, index } of needles) {
        if (ref.surface !== options.surface || fate === "rewritten") continue; // the key of a rewritten artifact may stay
        const list = wanted.get(ref.key);
        if (list === undefined) wanted.set(ref.key, [index]);
        else list.push(index);
      }
      for (const { key, place } of seeKeys({ options, store, scope }, signal)) {
        if (wanted.size === 0) return;
        for (const needle of wanted.get(key) ?? [])
          yield { probe: "key", depth: "api", needle, place, match: { how: "key" } };
      }
    },
    close: () => Promise.resolve(), // each look closes the files that it opened
  };
}

function* namesOfPersons(store: FilesStore, surface: SurfaceId, needles: readonly Needle[]): Generator<Finding> {
  for (const { index, persons } of needles) {
    if (persons === undefined) continue;
    for (const { name, isNumber } of seeNames(store, persons)) {
      const place = { container: `${store.name}.*`, surface, file: name };
      yield { probe: "key", depth: "api", needle: index, place, match: { how: "name", isNumber } };
    }
  }
}

/** @throws StoreError where a line is no record: its key cannot be told, so the probe is blind */
function* seeKeys({ options, store }: Sight, signal: AbortSignal): Generator<{ key: string; place: Place }> {
  for (const file of seeFiles(store)) {
    if (TEMP_FILE.test(file.name)) continue;
    const place = placeIn(store, file);
    if (options.kind === "text") {
      yield { key: file.path, place: { ...place, surface: options.surface, key: artifactKey(file.path) } };
      continue;
    }
    for (const { bytes, number } of seeLines(file, store.name, signal)) {
      const line = textOf(bytes);
      if (line.trim() === "") continue;
      const { key } = seeRecord(line, options.key, []);
      if (key.as !== "key")
        throw lineError("KEY_NOT_SEEN", "shows no key", { store: store.name, file: file.path, line: number });
      yield { key: key.key, place: { ...place, surface: options.surface, key: artifactKey(key.key) } };
    }
  }
}

function placeIn(store: FilesStore, file: SeenFile): Place {
  const isTemp = TEMP_FILE.test(file.name);
  return { container: isTemp ? `${store.name}.${file.path}` : `${store.name}.*`, file: file.name };
}

/** Bytes that are no UTF-8 are seen all the same, with marks in their place. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes);
}

/** Every line, with all that stands in it declared or not; the declared fields once more, each as a whole. */
function* storePassages({ options, store }: Sight, signal: AbortSignal): Generator<Passage> {
  const paths = options.content.map(({ column }) => column);
  for (const file of seeFiles(store)) {
    const place = placeIn(store, file);
    if (options.kind === "text" || TEMP_FILE.test(file.name)) {
      const known = TEMP_FILE.test(file.name)
        ? place
        : { ...place, surface: options.surface, key: artifactKey(file.path) };
      yield* wholePassages(file, store, known, signal);
      continue;
    }
    for (const { bytes } of seeLines(file, store.name, signal)) {
      const line = textOf(bytes);
      const { key, texts } = seeRecord(line, options.key, paths);
      const known = key.as === "key" && key.key !== "" ? { key: artifactKey(key.key) } : {};
      const at = { ...place, surface: options.surface, ...known };
      const isText = !line.includes("\ufffd");
      yield {
        place: at,
        field: isText ? { type: "text", name: "line", text: line } : { type: "bytes", name: "line", bytes },
      };
      for (const { name, text } of texts) {
        // A long text is found within the line already.
        if (text.length < 64) yield { place: at, field: { type: "text", name, text } };
      }
    }
  }
}

function* wholePassages(file: SeenFile, store: FilesStore, place: Place, signal: AbortSignal): Generator<Passage> {
  for (const bytes of seePieces(file, store.name, PIECE, OVERLAP, signal)) {
    yield { place, field: { type: "bytes", name: "file", bytes } };
  }
}
