// The guard: keeps what was erased from coming back in (GUARD-1, GUARD-2). It knows keyed digests only, never text.
import { isUtf8 } from "node:buffer";
import { filterValue } from "../ledger/guard-filter.ts";
import type { DenylistEntry, DenylistKind, Ledger } from "../ledger/ledger.ts";
import type { WordHashes } from "../ledger/word-hashes.ts";
import type { ContentField } from "../model/artifact.ts";
import type { ArtifactRef, RequestId, SubjectIdentifier } from "../model/ids.ts";
import { foldText } from "../probe/normalise-words.ts";

/** A write as it stands at the door. */
export interface OfferedWrite {
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly content: readonly ContentField[];
}

/** The guard's answer. `by` is the kind of entry that stands against it; nothing of the content. */
export type GuardAnswer =
  { readonly answer: "pass" } | { readonly answer: "refuse" | "hold"; readonly by: DenylistKind | "contained" };

/** Texts of fewer words than this say too little to be anybody's own (GUARD-2). */
const DISTINCTIVE_WORDS = 8;

/** What a field of content is known by: bytes and vectors as they stand, text with its trivial edits folded away. */
export interface ContentDigest {
  readonly kind: "exact" | "folded";
  readonly digest: Uint8Array;
  /** Enough to be somebody's own (GUARD-2). */
  readonly distinctive: boolean;
  /** Of text only. */
  readonly words?: WordHashes;
}

/** Digests of an artifact's fields, in order; an empty text has none. */
export function contentDigests(ledger: Ledger, content: readonly ContentField[]): readonly ContentDigest[] {
  return content.flatMap((field): ContentDigest[] => {
    switch (field.type) {
      case "text":
        return textDigest(ledger, field.text);
      case "bytes":
        return [{ kind: "exact", digest: ledger.keyedDigest("guard/exact", "bytes", field.bytes), distinctive: true }];
      case "vector": {
        const { buffer, byteOffset, byteLength } = field.vector;
        const bytes = new Uint8Array(buffer, byteOffset, byteLength);
        return [{ kind: "exact", digest: ledger.keyedDigest("guard/exact", "vector", bytes), distinctive: true }];
      }
    }
  });
}

/** Bytes that are text are read as text too: the same words are no others for the form that they are given in, erased or offered. */
export function readAsText(content: readonly ContentField[]): readonly ContentField[] {
  return content.flatMap((field): readonly ContentField[] => {
    if (field.type !== "bytes" || !isUtf8(field.bytes)) return [field];
    const { buffer, byteOffset, byteLength } = field.bytes;
    return [field, { type: "text", name: field.name, text: Buffer.from(buffer, byteOffset, byteLength).toString() }];
  });
}

function textDigest(ledger: Ledger, text: string): ContentDigest[] {
  const words = ledger.hashWords(text);
  const distinctive = words.count >= DISTINCTIVE_WORDS;
  if (words.count > 0) {
    const digest = ledger.keyedDigest("guard/folded", "words", wordBytes(words));
    return [{ kind: "folded", digest, distinctive, words }];
  }
  const marks = foldText(text);
  if (marks.length === 0) return [];
  return [{ kind: "folded", digest: ledger.keyedDigest("guard/folded", "marks", marks), distinctive, words }];
}

/** The same bytes for every edit that leaves the words as they are. */
function wordBytes({ halves }: WordHashes): Uint8Array {
  return new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength);
}

/** One digest of all that an artifact says, as what was erased is known by; undefined where it says nothing. */
export function contentTag(ledger: Ledger, content: readonly ContentField[]): Uint8Array | undefined {
  const exact = content.flatMap((field) => {
    if (field.type === "text")
      return foldText(field.text) === "" ? [] : [ledger.keyedDigest("guard/exact", "text", field.text)];
    return contentDigests(ledger, [field]).map(({ digest }) => digest);
  });
  if (exact.length === 0) return undefined;
  return ledger.keyedDigest("erased/content", ...exact);
}

/** Keyed digest of all that an artifact says, to which a decision about it is bound; empty where it says nothing. */
export function tagOf(ledger: Ledger, { content }: Pick<OfferedWrite, "content">): Uint8Array {
  return contentTag(ledger, content) ?? new Uint8Array();
}

/** Digest of the exact record, for surfaces whose keys are never given again. */
export function recordDigest(ledger: Ledger, ref: ArtifactRef): Uint8Array {
  return ledger.keyedDigest("guard/record", ref.surface, ref.key);
}

/**
 * Asks every entry that could match a write. What a forgotten person owns is refused; content of somebody forgotten that is offered by or about
 * anybody else is held; content that others also had passes for a known other person. `digestsOf` answers the digests of the write's own content, where they were made before. @throws LedgerError where the ledger is out of reach (fails closed)
 */
export function guardWrite(
  ledger: Ledger,
  write: OfferedWrite,
  digestsOf: () => readonly ContentDigest[] = () => contentDigests(ledger, readAsText(write.content)),
): GuardAnswer {
  // Asked for anew each time: what another process filed a moment ago is in it.
  const filter = ledger.openFilter();
  const find = (kind: DenylistKind, digest: Uint8Array): readonly DenylistEntry[] =>
    filter.has(filterValue(digest)) ? ledger.findDenylist(kind, digest) : [];
  const offeredBy = write.subjects.map((identifier) => ledger.identifierDigest(identifier));
  for (const digest of offeredBy)
    if (find("identifier", digest).length > 0) return { answer: "refuse", by: "identifier" };
  if (find("record", recordDigest(ledger, write.ref)).length > 0) return { answer: "refuse", by: "record" };
  const isKnown = offeredBy.length > 0;
  // The owners were refused by their identifiers above, unless a lift let them back: then their own content is still kept out.
  const isOwned = (owners: readonly string[]): boolean =>
    offeredBy.some((digest) => owners.includes(Buffer.from(digest).toString("hex")));
  const digests = digestsOf();
  let held: GuardAnswer | undefined;
  for (const { kind, digest } of digests) {
    for (const entry of find(kind, digest)) {
      if (isOwned(entry.owners)) return { answer: "refuse", by: kind };
      if (!entry.shared || !isKnown) held ??= { answer: "hold", by: kind };
    }
  }
  let owns: boolean | undefined;
  // Where the writer owns nothing, nothing that is found can make more of a write than held.
  const mayOwn = (): boolean => (owns ??= isKnown && ledger.ownsFingerprints(offeredBy));
  for (const { words } of digests) {
    if (words === undefined || (held !== undefined && !mayOwn())) continue;
    const { is: contained } = findContained(ledger, filter, words, (owners) => mayOwn() && isOwned(owners), mayOwn);
    if (contained === "owned") return { answer: "refuse", by: "contained" };
    if (contained === "found") held ??= { answer: "hold", by: "contained" };
  }
  return held ?? { answer: "pass" };
}

/** Grams that are looked up at once: one, since what is found ends the search mostly, then ever more. */
const FIRST_BATCH = 1;
const LAST_BATCH = 2_048;

/** `requests`: whose runs were met first. */
type Contained =
  { readonly is: "none" | "found" } | { readonly is: "owned"; readonly requests: ReadonlySet<RequestId> };

/**
 * Whether a text shares a run of eight words with an erased one, and whether with an owned one; where none can be, the first that is found is enough.
 * Runs of requests that do not count are passed over.
 */
export function findContained(
  ledger: Ledger,
  filter: ReturnType<Ledger["openFilter"]>,
  words: WordHashes,
  isOwned: (owners: readonly string[]) => boolean,
  mayOwn: () => boolean,
  counts: (request: RequestId) => boolean = () => true,
): Contained {
  const wanted = new Map<number, number[]>();
  let batch = FIRST_BATCH;
  let isFound = false;
  /** Looks up what has gathered. Answers whether that ends the search. */
  const look = (): Contained | undefined => {
    const matches = ledger
      .findFingerprints([...wanted.keys()])
      .filter(
        ({ gram, runs, request }) => counts(request) && wanted.get(gram)?.some((run) => runs.includes(run)) === true,
      );
    wanted.clear();
    batch = Math.min(LAST_BATCH, 8 * batch);
    isFound ||= matches.length > 0;
    const owned = matches.filter(({ owners }) => isOwned(owners));
    if (owned.length > 0) return { is: "owned", requests: new Set(owned.map(({ request }) => request)) };
    return isFound && !mayOwn() ? { is: "found" } : undefined;
  };
  for (const { gram, runs } of ledger.runGrams(words, { mayBeFiled: (value) => filter.has(value) })) {
    const known = wanted.get(gram);
    if (known === undefined) wanted.set(gram, [...runs]);
    else known.push(...runs);
    const answer = wanted.size >= batch ? look() : undefined;
    if (answer !== undefined) return answer;
  }
  const answer = wanted.size > 0 ? look() : undefined;
  return answer ?? { is: isFound ? "found" : "none" };
}
