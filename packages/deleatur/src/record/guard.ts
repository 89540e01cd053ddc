// The guard: keeps what was erased from coming back in (GUARD-1, GUARD-2). It knows keyed digests only, never text.
import type { DenylistKind, Ledger } from "../ledger/ledger.ts";
import type { ContentField } from "../model/artifact.ts";
import type { ArtifactRef, RequestId, SubjectIdentifier } from "../model/ids.ts";
import { foldText, normaliseWords } from "../probe/normalise-words.ts";

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

/** Content digests of an artifact: the field as it stands, and text with its trivial edits folded away. */
export function contentDigests(
  ledger: Ledger,
  content: readonly ContentField[],
): readonly { readonly kind: "exact" | "folded"; readonly digest: Uint8Array; readonly distinctive: boolean }[] {
  return content.flatMap((field) => {
    if (field.type === "bytes") {
      return [
        { kind: "exact" as const, digest: ledger.keyedDigest("guard/exact", "bytes", field.bytes), distinctive: true },
      ];
    }
    if (field.type === "vector") {
      const { buffer, byteOffset, byteLength } = field.vector;
      const bytes = new Uint8Array(buffer, byteOffset, byteLength);
      return [
        { kind: "exact" as const, digest: ledger.keyedDigest("guard/exact", "vector", bytes), distinctive: true },
      ];
    }
    const folded = foldText(field.text);
    if (folded.length === 0) return [];
    const distinctive = normaliseWords(field.text).length >= DISTINCTIVE_WORDS;
    return [
      { kind: "exact" as const, digest: ledger.keyedDigest("guard/exact", "text", field.text), distinctive },
      { kind: "folded" as const, digest: ledger.keyedDigest("guard/folded", folded), distinctive },
    ];
  });
}

/** One digest of all that an artifact says, as what was erased is known by; undefined where it says nothing. */
export function contentTag(ledger: Ledger, content: readonly ContentField[]): Uint8Array | undefined {
  const exact = contentDigests(ledger, content).filter(({ kind }) => kind === "exact");
  if (exact.length === 0) return undefined;
  return ledger.keyedDigest("erased/content", ...exact.map(({ digest }) => digest));
}

/** Digest of the exact record, for surfaces whose keys are never given again. */
export function recordDigest(ledger: Ledger, ref: ArtifactRef): Uint8Array {
  return ledger.keyedDigest("guard/record", ref.surface, ref.key);
}

/**
 * Asks every entry that could match a write. What a forgotten person owns is refused; content of somebody forgotten that is offered by or about
 * anybody else is held; content that others also had passes for a known other person. @throws LedgerError where the ledger is out of reach (fails closed)
 */
export function guardWrite(ledger: Ledger, write: OfferedWrite): GuardAnswer {
  for (const identifier of write.subjects) {
    if (ledger.findDenylist("identifier", ledger.identifierDigest(identifier)).length > 0)
      return { answer: "refuse", by: "identifier" };
  }
  if (ledger.findDenylist("record", recordDigest(ledger, write.ref)).length > 0)
    return { answer: "refuse", by: "record" };
  const isKnown = write.subjects.length > 0;
  const offeredBy = new Set(
    write.subjects.map((identifier) => Buffer.from(ledger.identifierDigest(identifier)).toString("hex")),
  );
  // The owners were refused by their identifiers above, unless a lift let them back: then their own content is still kept out.
  const isOwned = (owners: readonly string[]): boolean => owners.some((owner) => offeredBy.has(owner));
  let held: GuardAnswer | undefined;
  for (const { kind, digest } of contentDigests(ledger, write.content)) {
    for (const entry of ledger.findDenylist(kind, digest)) {
      if (isOwned(entry.owners)) return { answer: "refuse", by: kind };
      if (!entry.shared || !isKnown) held ??= { answer: "hold", by: kind };
    }
  }
  for (const field of write.content) {
    if (field.type !== "text") continue;
    const contained = findContained(ledger, field.text, (owners) => isKnown && isOwned(owners));
    if (contained === "owned") return { answer: "refuse", by: "contained" };
    if (contained === "found") held ??= { answer: "hold", by: "contained" };
  }
  return held ?? { answer: "pass" };
}

/** Grams that are looked up at once. */
const BATCH = 2_000;

/** Whether a text shares a run of eight words with an erased one, and whether with one of the given owners. Runs of requests that do not count are passed over. */
export function findContained(
  ledger: Ledger,
  text: string,
  isOwned: (owners: readonly string[]) => boolean,
  counts: (request: RequestId) => boolean = () => true,
): "none" | "found" | "owned" {
  const wanted = new Map<number, number[]>();
  let isFound = false;
  /** Looks up what has gathered. Answers whether it is the owner's. */
  const look = (): boolean => {
    const matches = ledger
      .findFingerprints([...wanted.keys()])
      .filter(
        ({ gram, runs, request }) => counts(request) && wanted.get(gram)?.some((run) => runs.includes(run)) === true,
      );
    wanted.clear();
    isFound ||= matches.length > 0;
    return matches.some(({ owners }) => isOwned(owners));
  };
  for (const { gram, runs } of ledger.runGrams(normaliseWords(text))) {
    const known = wanted.get(gram);
    if (known === undefined) wanted.set(gram, [...runs]);
    else known.push(...runs);
    if (wanted.size >= BATCH && look()) return "owned";
  }
  if (wanted.size > 0 && look()) return "owned";
  return isFound ? "found" : "none";
}
