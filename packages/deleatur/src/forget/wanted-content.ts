// What of the content of closures others have too: which of it is wanted, and what was found of it among artifacts outside. It reads no store and keeps no text.
import type { Engine } from "../engine.ts";
import { hasOwnProvenance, isFirstHand } from "../examine/own-provenance.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { WordHashes } from "../ledger/word-hashes.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import type { SubjectIdentifier } from "../model/ids.ts";
import { contentDigests, readAsText } from "../record/guard.ts";
import { identifierSet } from "./plan.ts";

/** Bits for wanted runs, a power of two: so many times as there are, that most runs of others are not looked up further. */
const LEAST_RUN_BITS = 1 << 16;
const BITS_A_RUN = 32;

/** Content that others may have too, of one closure or of several, and what of it was found. */
export interface Wanted {
  readonly isOwn: (tag: SubjectIdentifier) => boolean;
  readonly digests: ReadonlySet<string>;
  /** Marks of the wanted content: only what has one of them is digested. */
  readonly marks: ReadonlySet<number>;
  readonly runs: ReadonlySet<number>;
  /** A bit for each wanted run (`placeOf`). */
  readonly runBits: Uint32Array;
  readonly shared: Set<string>;
  readonly sharedRuns: Set<number>;
}

export function wantedOf(
  ledger: Ledger,
  identifiers: readonly SubjectIdentifier[],
  contents: Iterable<readonly ContentField[]>,
): Wanted {
  const digests = new Set<string>();
  const marks = new Set<number>();
  const runs = new Set<number>();
  for (const content of contents) {
    for (const field of readAsText(content)) {
      let words: WordHashes | undefined;
      for (const found of contentDigests(ledger, [field])) {
        digests.add(hex(found.digest));
        words = found.words;
      }
      marks.add(markOf(words ?? wordsOf(ledger, field)));
      if (words !== undefined) for (const run of ledger.runValues(words)) runs.add(run);
    }
  }
  return openWanted(identifierSet(identifiers), digests, marks, runs);
}

/** What all of them want, to be looked up once. */
export function joinWanted(wanted: readonly Wanted[]): Wanted {
  const [only] = wanted;
  if (only !== undefined && wanted.length === 1) return only;
  return openWanted(
    (tag) => wanted.some(({ isOwn }) => isOwn(tag)),
    joined(wanted.map(({ digests }) => digests)),
    joined(wanted.map(({ marks }) => marks)),
    joined(wanted.map(({ runs }) => runs)),
  );
}

/** What was found for all of them, as far as one wants it. */
export function takeOver({ digests, runs, shared, sharedRuns }: Wanted, common: Wanted): void {
  for (const digest of common.shared) if (digests.has(digest)) shared.add(digest);
  for (const run of common.sharedRuns) if (runs.has(run)) sharedRuns.add(run);
}

function openWanted(
  isOwn: Wanted["isOwn"],
  digests: Wanted["digests"],
  marks: Wanted["marks"],
  runs: Wanted["runs"],
): Wanted {
  return {
    isOwn: askedOnce(isOwn),
    digests,
    marks,
    runs,
    runBits: bitsOf(runs),
    shared: new Set(),
    sharedRuns: new Set(),
  };
}

function joined<Item>(sets: readonly ReadonlySet<Item>[]): ReadonlySet<Item> {
  const all = new Set<Item>();
  for (const set of sets) for (const item of set) all.add(item);
  return all;
}

/** `fields` are the digests of the artifact's fields. */
export type Comparison = (artifact: Artifact, fields: readonly string[], asking?: readonly Wanted[]) => void;

/** Texts that are remembered as compared: an index has the very texts of its base rows. */
const KNOWN_TEXTS = 1 << 20;

/** Finds what of the content of each that asks others have too, of all where nobody is named. What is nobody's of them says the same to all, and is held against `common`. */
export function openComparison(engine: Engine, wanted: readonly Wanted[], common: Wanted): Comparison {
  const { ledger } = engine;
  /** Texts of which nothing is left to be found: they were another person's own to all. Half of a digest as a number, no text's own by chance. */
  const known = new Set<number>();
  return ({ surface, subjects, sources, content }, fields, asking) => {
    const { role } = engine.bound(surface).declaration;
    let isWhole = asking === undefined;
    const held = asking ?? (subjects.some(common.isOwn) ? wanted : [common]);
    const forms = content.some(({ type }) => type === "bytes")
      ? content.flatMap((stored, at) => readAsText([stored]).map((field) => ({ field, at })))
      : content.map((field, at) => ({ field, at }));
    for (const { field, at } of forms) {
      const isText = field.type === "text";
      // Only another person's own record says of an embedding or of bytes that they are theirs.
      if (!isText && !isFirstHand(role)) continue;
      const mark = isText ? Number.parseInt((fields[at] ?? "").slice(0, 13), 16) : 0;
      if (isText && known.has(mark)) continue;
      let words: WordHashes | undefined;
      let runs: Float64Array | undefined;
      for (const one of held) {
        const isTheirs = hasOwnProvenance(role, subjects, one.isOwn);
        if (!isTheirs) isWhole = false;
        if (isText && one.runs.size > 0 && (isTheirs || sources.length > 0)) {
          // A text that was made from others' only: its frame and its words are not the person's, and a leftover is for the probes to find.
          runs ??= ledger.runValues((words ??= ledger.hashWords(field.text)));
          addShared(one, runs);
        }
        if (!isTheirs) continue;
        words ??= wordsOf(ledger, field);
        if (!one.marks.has(markOf(words))) continue;
        for (const { digest } of contentDigests(ledger, [field]))
          if (one.digests.has(hex(digest))) one.shared.add(hex(digest));
      }
      if (isWhole && isText && known.size < KNOWN_TEXTS) known.add(mark);
    }
  };
}

function addShared({ runBits, runs, sharedRuns }: Wanted, values: Float64Array): void {
  const mask = 32 * runBits.length - 1;
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  for (let at = 0; at < values.length; at += 1) {
    const place = placeOf(halves, at) & mask;
    if ((((runBits[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 0) continue;
    const run = values[at] ?? 0;
    if (runs.has(run)) sharedRuns.add(run);
  }
}

function bitsOf(runs: ReadonlySet<number>): Uint32Array {
  let size = LEAST_RUN_BITS;
  while (size < BITS_A_RUN * runs.size) size *= 2;
  const bits = new Uint32Array(size >>> 5);
  const values = Float64Array.from(runs);
  const halves = new Uint32Array(values.buffer);
  for (let at = 0; at < values.length; at += 1) {
    const place = placeOf(halves, at) & (size - 1);
    bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31));
  }
  return bits;
}

/** A run's place among the bits, out of the number as it stands in memory: equal runs have equal ones. */
function placeOf(halves: Uint32Array, at: number): number {
  const mixed = (halves[2 * at] ?? 0) ^ (halves[2 * at + 1] ?? 0);
  return mixed ^ (mixed >>> 15);
}

/** Remembers what was answered about an object: a scan has one for each of the few persons that stand on many rows. */
function askedOnce(is: (tag: SubjectIdentifier) => boolean): (tag: SubjectIdentifier) => boolean {
  const answers = new WeakMap<SubjectIdentifier, boolean>();
  return (tag) => {
    let answer = answers.get(tag);
    if (answer === undefined) {
      answer = is(tag);
      answers.set(tag, answer);
    }
    return answer;
  };
}

function wordsOf(ledger: Ledger, field: ContentField): WordHashes | undefined {
  return field.type === "text" ? ledger.hashWords(field.text) : undefined;
}

/** A number that text of the same digest has too; most other text has another. What has no words has none of its own. */
function markOf(words: WordHashes | undefined): number {
  return words === undefined || words.count === 0 ? 0 : ((words.halves[0] ?? 0) ^ words.count) >>> 0;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
