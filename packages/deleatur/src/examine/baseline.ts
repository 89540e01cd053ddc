// The baseline: a keyed digest of every artifact outside the closure before the erase, by which bystanders are found intact and explanations are trusted later.
import { digestOfField } from "../attest/field-digest.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact } from "../model/artifact.ts";
import type { ArtifactRef, SurfaceId } from "../model/ids.ts";
import { mayHaveExpired } from "../model/time-to-live.ts";

const HALF = 16;

export interface Baseline {
  /** How many artifacts of a surface were there. */
  sizeOf(surface: SurfaceId): number;
  /** Drops a surface's artifacts, or takes over those of another baseline. */
  replace(surface: SurfaceId, by?: Baseline): void;
  readonly entries: ReadonlyMap<SurfaceId, ReadonlyMap<string, string>>;
  /** Of those that their store will drop by itself: when, in milliseconds. */
  readonly expiries: ReadonlyMap<SurfaceId, ReadonlyMap<string, number>>;
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
  readonly expires?: Date;
}

/** `digests` are the fields' own, where they were made before. */
export function digestArtifact(
  ledger: Ledger,
  artifact: Artifact,
  digests: readonly string[] = artifact.content.map(digestOfField),
): ArtifactDigests {
  const { surface, content, expires } = artifact;
  return {
    surface,
    id: baselineId(ledger, artifact),
    content: half(
      ledger.keyedDigest("baseline/content", ...content.flatMap(({ name }, at) => [name, digests[at] ?? ""])),
    ),
    ...(expires === undefined ? {} : { expires }),
  };
}

export function baselineId(ledger: Ledger, { surface, key }: ArtifactRef): string {
  return half(ledger.keyedDigest("baseline/artifact", surface, key));
}

/** Opens a baseline from its sealed bytes, or begins an empty one. */
export function openBaseline(sealed?: Uint8Array): Baseline {
  const { entries, expiries } = sealed === undefined ? EMPTY() : unpack(sealed);
  const own = (surface: SurfaceId): Map<string, string> => {
    const known = entries.get(surface) ?? new Map<string, string>();
    entries.set(surface, known);
    return known;
  };
  const baseline: Baseline = {
    entries,
    expiries,
    sizeOf: (surface) => entries.get(surface)?.size ?? 0,
    replace(surface, by) {
      const ends = by?.expiries.get(surface);
      if (ends === undefined) expiries.delete(surface);
      else expiries.set(surface, new Map(ends));
      const other = by?.entries.get(surface);
      if (other === undefined) entries.delete(surface);
      else entries.set(surface, new Map(other));
    },
    add({ surface, id, content, expires }) {
      own(surface).set(id, content);
      if (expires === undefined) return;
      const ends = expiries.get(surface) ?? new Map<string, number>();
      expiries.set(surface, ends.set(id, expires.getTime()));
    },
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
    drop(surface, id) {
      entries.get(surface)?.delete(id);
      expiries.get(surface)?.delete(id);
    },
    bytes: () => pack(entries, expiries),
  };
  return baseline;
}

interface Parts {
  readonly entries: Map<SurfaceId, Map<string, string>>;
  readonly expiries: Map<SurfaceId, Map<string, number>>;
}

const EMPTY = (): Parts => ({ entries: new Map(), expiries: new Map() });

/** A surface, how many artifacts it has and, where some of them end by themselves, the place of each such among them with its time. */
type Header = readonly [surface: SurfaceId, size: number, ends?: readonly (readonly [place: number, ms: number])[]];

/** A line of JSON that names the surfaces and their sizes, then 32 bytes an artifact. */
function pack(entries: Parts["entries"], expiries: Parts["expiries"]): Uint8Array {
  const headers = Array.from(entries, ([surface, own]): Header => {
    const ends = expiries.get(surface);
    if (ends === undefined || ends.size === 0) return [surface, own.size];
    const placed = [...own.keys()].flatMap((id, place) => {
      const ms = ends.get(id);
      return ms === undefined ? [] : [[place, ms] as const];
    });
    return [surface, own.size, placed];
  });
  const pairs = [...entries.values()].flatMap((own) => Array.from(own, ([id, content]) => id + content));
  return new Uint8Array(
    Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`, "utf8"), Buffer.from(pairs.join(""), "latin1")]),
  );
}

function unpack(sealed: Uint8Array): Parts {
  const bytes = Buffer.from(sealed);
  const line = bytes.indexOf("\n");
  // Written by `pack`.
  const headers = JSON.parse(bytes.subarray(0, line).toString("utf8")) as readonly Header[];
  const text = bytes.subarray(line + 1).toString("latin1");
  const { entries, expiries } = EMPTY();
  let at = 0;
  for (const [surface, size, ends = []] of headers) {
    const own = new Map<string, string>();
    const times = new Map(ends);
    const expiring = new Map<string, number>();
    for (let place = 0; place < size; place += 1, at += 2 * HALF) {
      const id = text.slice(at, at + HALF);
      own.set(id, text.slice(at + HALF, at + 2 * HALF));
      const ms = times.get(place);
      if (ms !== undefined) expiring.set(id, ms);
    }
    entries.set(surface, own);
    if (expiring.size > 0) expiries.set(surface, expiring);
  }
  return { entries, expiries };
}

/** How many of a surface's artifacts must still be there, as far as their store's own term for each goes. */
export function standingAt(baseline: Baseline, surface: SurfaceId, now: Date): number {
  const ended = [...(baseline.expiries.get(surface)?.values() ?? [])].filter((ms) => mayHaveExpired(ms, now)).length;
  return baseline.sizeOf(surface) - ended;
}

function half(digest: Uint8Array): string {
  return Buffer.from(digest.subarray(0, HALF)).toString("latin1");
}
