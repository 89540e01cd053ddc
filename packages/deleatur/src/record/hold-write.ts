// Holds a write that carries erased words of somebody else, and lists what is held (GUARD-2). It must not decide.
import { textOf, utf8 } from "@deleatur/verify";
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { artifactId, artifactKey, type ArtifactRef, surfaceId, type SubjectIdentifier } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { decodeField, type EncodedField, encodeField } from "./encode-field.ts";

/** The answer in place of the application's result: nothing was written, what was offered is sealed and listed by `review`. */
export interface Held {
  readonly outcome: "held";
  /** Of a batch, those that were held; the others were not written either. */
  readonly ids: readonly string[];
}

export function isHeld(result: unknown): result is Held {
  return typeof result === "object" && result !== null && "outcome" in result && result.outcome === "held";
}

export interface HeldWrite {
  readonly id: string;
  readonly since: string;
  /** When it is discarded undecided. */
  readonly until: string;
  /** Hostile data: as it was offered. */
  readonly artifact: Artifact;
}

/** What is held once however often it is offered, under whatever key. */
export function heldDigest(
  ledger: Ledger,
  { ref, subjects, content }: Pick<Offered, "ref" | "subjects" | "content">,
): Uint8Array {
  return ledger.keyedDigest(
    "guard/held",
    ref.surface,
    ...subjects.map(({ type, value }) => `${type}:${value}`).toSorted(),
    ...content.map((field) => JSON.stringify(encodeField(field))),
  );
}

interface Offered {
  readonly ref: Pick<Artifact, "surface" | "key">;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: Artifact["sources"];
  readonly content: readonly ContentField[];
}

export function holdWrites(engine: Engine, writes: readonly Offered[]): Held {
  const { ledger } = engine;
  const ids = ledger.transaction(() =>
    writes.map((write) => {
      const { ref, subjects, sources, content } = write;
      const value = utf8(JSON.stringify({ ref, subjects, sources, content: content.map(encodeField) }));
      const id = ledger.holdWrite({
        digest: heldDigest(ledger, write),
        surface: ref.surface,
        value,
      });
      ledger.append({ type: "violation", at: utcTime(engine.clock()), code: "HELD", surface: ref.surface });
      return id;
    }),
  );
  return { outcome: "held", ids };
}

/** What is over its time is dropped first: a process may run for months, and open the ledger once. */
export function listHeld(engine: Engine): readonly HeldWrite[] {
  expireHeld(engine);
  return engine.ledger.heldWrites().map(({ id, since, until, value }) => {
    // Sealed by us, so its shape is ours.
    const { ref, subjects, sources, content }: SealedWrite = JSON.parse(textOf(value));
    return {
      id,
      since,
      until,
      artifact: {
        surface: surfaceId(ref.surface),
        key: artifactKey(ref.key),
        subjects,
        sources: sources.map(({ surface, key }) => ({ surface: surfaceId(surface), key: artifactKey(key) })),
        content: content.map(decodeField),
      },
    };
  });
}

/** Whom or what a held write may concern. */
export interface HeldTarget {
  readonly identifiers: readonly SubjectIdentifier[];
  /** Artifacts of a closure. */
  readonly artifacts: readonly ArtifactRef[];
}

/** Held writes about these persons, under the key of one of these artifacts, or derived from one. */
export function heldAbout(engine: Engine, { identifiers, artifacts }: HeldTarget): readonly HeldWrite[] {
  const own = new Set(identifiers.map(({ type, value }) => `${type}:${value}`));
  const known = new Set(artifacts.map(artifactId));
  return listHeld(engine).filter(
    ({ artifact }) =>
      artifact.subjects.some(({ type, value }) => own.has(`${type}:${value}`)) ||
      known.has(artifactId(artifact)) ||
      artifact.sources.some((source) => known.has(artifactId(source))),
  );
}

/** What a forgotten person had offered, and what was made from what is erased, is not kept either. */
export function discardHeldAbout(engine: Engine, target: HeldTarget): void {
  const held = heldAbout(engine, target);
  engine.ledger.transaction(() => {
    for (const { id } of held) engine.ledger.discardHeld(id);
  });
}

/** Discards what nobody decided, or wrote after its release, in time; each is logged. */
export function expireHeld({ ledger, clock }: Engine): void {
  ledger.transaction(() => {
    for (const held of ledger.expireHeld()) ledger.append({ type: "held-expired", at: utcTime(clock()), held });
  });
}

interface SealedWrite {
  readonly ref: { readonly surface: string; readonly key: string };
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly { readonly surface: string; readonly key: string }[];
  readonly content: readonly EncodedField[];
}
