// The guard: keeps what was erased from coming back in (GUARD-1, GUARD-2). It knows keyed digests only, never text.
import type { DenylistKind, Ledger } from "../ledger/ledger.ts";
import type { ContentField } from "../model/artifact.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import { foldText, normaliseWords } from "../probe/normalise-words.ts";

/** A write as it stands at the door. */
export interface OfferedWrite {
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly content: readonly ContentField[];
}

/** The guard's answer. `by` is the kind of entry that refused it; nothing of the content. */
export type GuardAnswer =
  { readonly answer: "pass" } | { readonly answer: "refuse"; readonly by: DenylistKind; readonly entry: string };

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

/** Digest of the exact record, for surfaces whose keys are never given again. */
export function recordDigest(ledger: Ledger, ref: ArtifactRef): Uint8Array {
  return ledger.keyedDigest("guard/record", ref.surface, ref.key);
}

/** Asks every entry that could match a write; the first refusal answers. @throws LedgerError where the ledger is out of reach (fails closed) */
export function guardWrite(ledger: Ledger, write: OfferedWrite): GuardAnswer {
  for (const identifier of write.subjects) {
    const [entry] = ledger.findDenylist("identifier", ledger.identifierDigest(identifier));
    if (entry !== undefined) return { answer: "refuse", by: "identifier", entry: entry.id };
  }
  const [record] = ledger.findDenylist("record", recordDigest(ledger, write.ref));
  if (record !== undefined) return { answer: "refuse", by: "record", entry: record.id };
  for (const { kind, digest } of contentDigests(ledger, write.content)) {
    for (const entry of ledger.findDenylist(kind, digest)) {
      // Content that others also had passes for a known other person; the owners were refused by their identifiers above,
      // unless a lift let them back: then their own content is still kept out.
      if (entry.shared && write.subjects.length > 0 && !isOwned(ledger, write.subjects, entry.owners)) continue;
      return { answer: "refuse", by: kind, entry: entry.id };
    }
  }
  return { answer: "pass" };
}

function isOwned(ledger: Ledger, subjects: readonly SubjectIdentifier[], owners: readonly string[]): boolean {
  return subjects.some((identifier) =>
    owners.includes(Buffer.from(ledger.identifierDigest(identifier)).toString("hex")),
  );
}
