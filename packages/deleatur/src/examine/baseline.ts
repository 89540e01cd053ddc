// The baseline: a keyed digest of every artifact outside the closure before the erase, by which bystanders are found intact and explanations are trusted later.
import { digestOfField } from "../attest/field-digest.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact } from "../model/artifact.ts";
import type { ArtifactRef, SurfaceId } from "../model/ids.ts";

const HALF = 16;

export interface Baseline {
  /** How many artifacts of a surface were there. */
  sizeOf(surface: SurfaceId): number;
  /** Drops a surface's artifacts, or takes over those of another baseline. */
  replace(surface: SurfaceId, by?: Baseline): void;
  readonly entries: ReadonlyMap<SurfaceId, ReadonlyMap<string, string>>;
  add(digests: ArtifactDigests): void;
  /** `new`: it was not there before. */
  compare(digests: ArtifactDigests): "unchanged" | "changed" | "new";
  /** The same without these, by surface. */
  without(taken: ReadonlyMap<SurfaceId, ReadonlySet<string>>): Baseline;
  drop(surface: SurfaceId, id: string): void;
  bytes(): Uint8Array;
}

/** How an artifact stands in any baseline of a ledger: taken once, compared with several. */
export interface ArtifactDigests {
  readonly surface: SurfaceId;
  readonly id: string;
  readonly content: string;
}

/** `digests` are the fields' own, where they were made before. */
export function digestArtifact(
  ledger: Ledger,
  artifact: Artifact,
  digests: readonly string[] = artifact.content.map(digestOfField),
): ArtifactDigests {
  const { surface, content } = artifact;
  return {
    surface,
    id: baselineId(ledger, artifact),
    content: half(
      ledger.keyedDigest("baseline/content", ...content.flatMap(({ name }, at) => [name, digests[at] ?? ""])),
    ),
  };
}

export function baselineId(ledger: Ledger, { surface, key }: ArtifactRef): string {
  return half(ledger.keyedDigest("baseline/artifact", surface, key));
}

/** Opens a baseline from its sealed bytes, or begins an empty one. */
export function openBaseline(sealed?: Uint8Array): Baseline {
  const entries = sealed === undefined ? new Map<SurfaceId, Map<string, string>>() : unpack(sealed);
  const own = (surface: SurfaceId): Map<string, string> => {
    const known = entries.get(surface) ?? new Map<string, string>();
    entries.set(surface, known);
    return known;
  };
  const baseline: Baseline = {
    entries,
    sizeOf: (surface) => entries.get(surface)?.size ?? 0,
    replace(surface, by) {
      const other = by?.entries.get(surface);
      if (other === undefined) entries.delete(surface);
      else entries.set(surface, new Map(other));
    },
    add: ({ surface, id, content }) => void own(surface).set(id, content),
    compare({ surface, id, content }) {
      const before = entries.get(surface)?.get(id);
      if (before === undefined) return "new";
      return before === content ? "unchanged" : "changed";
    },
    without(taken) {
      const left = openBaseline();
      for (const surface of entries.keys()) {
        left.replace(surface, baseline);
        for (const id of taken.get(surface) ?? []) left.drop(surface, id);
      }
      return left;
    },
    drop: (surface, id) => void entries.get(surface)?.delete(id),
    bytes: () => pack(entries),
  };
  return baseline;
}

/** A line of JSON that names the surfaces and their sizes, then 32 bytes an artifact. */
function pack(entries: ReadonlyMap<SurfaceId, ReadonlyMap<string, string>>): Uint8Array {
  const sizes = JSON.stringify([...entries].map(([surface, own]) => [surface, own.size]));
  const pairs = [...entries.values()].flatMap((own) => Array.from(own, ([id, content]) => id + content));
  return new Uint8Array(Buffer.concat([Buffer.from(`${sizes}\n`, "utf8"), Buffer.from(pairs.join(""), "latin1")]));
}

function unpack(sealed: Uint8Array): Map<SurfaceId, Map<string, string>> {
  const bytes = Buffer.from(sealed);
  const line = bytes.indexOf("\n");
  // Written by `pack`.
  const sizes = JSON.parse(bytes.subarray(0, line).toString("utf8")) as readonly (readonly [SurfaceId, number])[];
  const text = bytes.subarray(line + 1).toString("latin1");
  let at = 0;
  return new Map(
    sizes.map(([surface, size]) => {
      const own = new Map<string, string>();
      for (const end = at + size * 2 * HALF; at < end; at += 2 * HALF)
        own.set(text.slice(at, at + HALF), text.slice(at + HALF, at + 2 * HALF));
      return [surface, own];
    }),
  );
}

function half(digest: Uint8Array): string {
  return Buffer.from(digest.subarray(0, HALF)).toString("latin1");
}
