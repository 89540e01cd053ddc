// The baseline: keyed digests of every artifact outside the closure before the erase, by which bystanders are found intact and explanations are trusted later.
import type { SurfaceId } from "../model/ids.ts";
import { mayHaveExpired } from "../model/time-to-live.ts";
import { type ArtifactDigests, refId, refWords } from "./artifact-digests.ts";
import { type DigestTable, openDigestTable } from "./digest-table.ts";

const NEW_LINE = 0x0a;

export interface Baseline {
  readonly surfaces: readonly SurfaceId[];
  /** How many artifacts of a surface were there. */
  sizeOf(surface: SurfaceId): number;
  /** Drops a surface's artifacts, or takes over those of another baseline. */
  replace(surface: SurfaceId, by?: Baseline): void;
  /** Of those that their store will drop by itself, by id: when, in milliseconds. */
  readonly expiries: ReadonlyMap<SurfaceId, ReadonlyMap<string, number>>;
  add(digests: ArtifactDigests): void;
  /** `new`: it was not there before. */
  compare(digests: ArtifactDigests): "unchanged" | "changed" | "new";
  /** The same without these, by surface: ids as the digester's. */
  without(taken: ReadonlyMap<SurfaceId, ReadonlySet<string>>): Baseline;
  drop(surface: SurfaceId, id: string): void;
  bytes(): Uint8Array;
  /** A copy of what it has of a surface. */
  tableOf(surface: SurfaceId): DigestTable | undefined;
}

/** Opens a baseline from its sealed bytes, or begins an empty one. */
export function openBaseline(sealed?: Uint8Array): Baseline {
  const { tables, expiries } = sealed === undefined ? nothing() : unpack(sealed);
  const baseline: Baseline = {
    get surfaces() {
      return [...tables.keys()];
    },
    expiries,
    sizeOf: (surface) => tables.get(surface)?.size ?? 0,
    replace(surface, by) {
      const ends = by?.expiries.get(surface);
      if (ends === undefined) expiries.delete(surface);
      else expiries.set(surface, new Map(ends));
      const other = by?.tableOf(surface);
      if (other === undefined) tables.delete(surface);
      else tables.set(surface, other);
    },
    add(digests) {
      const { surface, words, expires } = digests;
      let table = tables.get(surface);
      if (table === undefined) {
        table = openDigestTable();
        tables.set(surface, table);
      }
      table.add(words);
      if (expires === undefined) return;
      const ends = expiries.get(surface) ?? new Map<string, number>();
      expiries.set(surface, ends.set(refId(digests), expires.getTime()));
    },
    compare: ({ surface, words }) => tables.get(surface)?.compare(words) ?? "new",
    without(taken) {
      const left = openBaseline();
      for (const surface of tables.keys()) left.replace(surface, baseline);
      for (const [surface, ids] of taken) for (const id of ids) left.drop(surface, id);
      return left;
    },
    drop(surface, id) {
      tables.get(surface)?.drop(refWords(id));
      expiries.get(surface)?.delete(id);
    },
    bytes: () => pack({ tables, expiries }),
    tableOf: (surface) => tables.get(surface)?.copy(),
  };
  return baseline;
}

interface Parts {
  readonly tables: Map<SurfaceId, DigestTable>;
  readonly expiries: Map<SurfaceId, Map<string, number>>;
}

function nothing(): Parts {
  return { tables: new Map(), expiries: new Map() };
}

/** A surface, the bytes of its table and, where some of its artifacts end by themselves, when. */
type Header = readonly [surface: SurfaceId, bytes: number, ends: readonly (readonly [id: string, ms: number])[]];

/** A line of JSON that names the surfaces and the bytes of each, then the tables. */
function pack({ tables, expiries }: Parts): Uint8Array {
  const parts = Array.from(tables, ([surface, table]) => ({ surface, bytes: table.bytes() }));
  const headers = parts.map(({ surface, bytes }): Header => [
    surface,
    bytes.length,
    [...(expiries.get(surface) ?? [])],
  ]);
  const line = Buffer.from(`${JSON.stringify(headers)}\n`, "utf8");
  return new Uint8Array(Buffer.concat([line, ...parts.map(({ bytes }) => bytes)]));
}

function unpack(sealed: Uint8Array): Parts {
  const end = sealed.indexOf(NEW_LINE);
  // Written by `pack`.
  const headers = JSON.parse(Buffer.from(sealed.subarray(0, end)).toString("utf8")) as readonly Header[];
  const { tables, expiries } = nothing();
  let at = end + 1;
  for (const [surface, size, ends] of headers) {
    tables.set(surface, openDigestTable(sealed.subarray(at, at + size)));
    if (ends.length > 0) expiries.set(surface, new Map(ends));
    at += size;
  }
  return { tables, expiries };
}

/** How many of a surface's artifacts must still be there, as far as their store's own term for each goes. */
export function standingAt(baseline: Baseline, surface: SurfaceId, now: Date): number {
  const ended = [...(baseline.expiries.get(surface)?.values() ?? [])].filter((ms) => mayHaveExpired(ms, now)).length;
  return baseline.sizeOf(surface) - ended;
}
