// Finds exact copies of what a request about records erases, in other records of first hand of the same person. Whether they go as well is that person's or an operator's to say: it judges nothing.
import { digestOfField } from "../attest/field-digest.ts";
import type { Engine } from "../engine.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier } from "../model/ids.ts";
import { isDistinctiveVector } from "../probe/vector-bytes.ts";
import { contentDigests } from "../record/guard.ts";
import type { KeptNeedle } from "./kept-needles.ts";
import { isFirstHand } from "./own-provenance.ts";

export interface Copy {
  readonly ref: ArtifactRef;
  /** What it says again. */
  readonly likeTo: ArtifactRef;
}

export interface CopyFinder {
  /** Takes in one artifact; `digests` are its fields' own. */
  see(artifact: Artifact, digests: readonly string[]): void;
  copies(): readonly Copy[];
}

export interface CopyOrder {
  /** Whose the named records were; none of a request about a person, whose own records all go. */
  readonly owners: readonly SubjectIdentifier[];
  readonly needles: readonly KeptNeedle[];
  readonly closure: ReadonlySet<string>;
}

/** What one needle says: its fields by the guard's digests, which fold trivial edits away. */
interface Said {
  readonly ref: ArtifactRef;
  readonly fields: ReadonlySet<string>;
}

/** A record that shares fields with a needle, but is not all that the needle says, nor the needle all of it. */
interface InPart {
  readonly copy: Copy;
  readonly shared: readonly string[];
}

/**
 * A record is a copy where all that it says, or all that the needle says, is said by the other, and where they share a field of its own: of eight
 * words and more, that no other person's record of first hand has to the letter (a form, settings that stand in every row). Undefined where nobody is asked for.
 */
export function openCopyFinder(engine: Engine, { owners, needles, closure }: CopyOrder): CopyFinder | undefined {
  if (owners.length === 0) return undefined;
  const named = new Set(owners.map(nameOf));
  const bySaid = new Map<string, Said[]>();
  /** Hex digests of the needles' fields as they stand, with the guard's. */
  const asTheyStand = new Map<string, string>();
  for (const { ref, content, fate } of needles) {
    if (fate === "kept") continue;
    const fields = saidIn(engine, content);
    const said: Said = { ref, fields: new Set(fields.map(({ digest }) => digest)) };
    for (const { field, digest } of fields) {
      bySaid.set(digest, [...(bySaid.get(digest) ?? []), said]);
      asTheyStand.set(digestOfField(field), digest);
    }
  }
  const whole: Copy[] = [];
  const inPart: InPart[] = [];
  const othersHave = new Set<string>();
  return {
    see(artifact, digests) {
      const { surface, key, subjects, content } = artifact;
      if (subjects.length === 0 || !isFirstHand(engine.bound(surface).declaration.role)) return;
      if (!subjects.some((tag) => named.has(nameOf(tag)))) {
        for (const digest of digests) {
          const said = asTheyStand.get(digest);
          if (said !== undefined) othersHave.add(said);
        }
        return;
      }
      const ref: ArtifactRef = { surface, key };
      if (closure.has(artifactId(ref))) return;
      const fields = saidIn(engine, content);
      const own = new Set(fields.map(({ digest }) => digest));
      const alike = [...new Set(fields.flatMap(({ digest }) => bySaid.get(digest) ?? []))];
      const same = alike.find((said) => isIn(own, said.fields) || isIn(said.fields, own));
      if (same !== undefined) {
        whole.push({ ref, likeTo: same.ref });
        return;
      }
      for (const said of alike) {
        const shared = fields.flatMap(({ digest, distinctive }) =>
          distinctive && said.fields.has(digest) ? [digest] : [],
        );
        if (shared.length > 0) inPart.push({ copy: { ref, likeTo: said.ref }, shared });
      }
    },
    copies() {
      const found = inPart.filter(({ shared }) => shared.some((digest) => !othersHave.has(digest)));
      return [
        ...new Map([...found.map(({ copy }) => copy), ...whole].map((copy) => [artifactId(copy.ref), copy])).values(),
      ];
    },
  };
}

interface SaidField {
  readonly field: ContentField;
  readonly digest: string;
  readonly distinctive: boolean;
}

/** Fields that say something: no empty ones, and no vector that many have. */
function saidIn({ ledger }: Engine, content: readonly ContentField[]): readonly SaidField[] {
  return content.flatMap((field): readonly SaidField[] => {
    if (field.type === "bytes" && field.bytes.length === 0) return [];
    if (field.type === "vector" && !isDistinctiveVector(field.vector)) return [];
    return contentDigests(ledger, [field]).map(({ kind, digest, distinctive }) => ({
      field,
      digest: `${kind} ${Buffer.from(digest).toString("hex")}`,
      distinctive,
    }));
  });
}

function isIn(fields: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...fields].every((digest) => others.has(digest));
}

function nameOf({ type, value }: SubjectIdentifier): string {
  return `${type}:${value}`;
}
