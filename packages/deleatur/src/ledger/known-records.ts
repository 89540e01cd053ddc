// What the ledger knows of the rows of a scan, a list at once: a row that says nothing new costs no write. It must not write.
import type { ArtifactRef } from "../model/ids.ts";
import type { DigestedRecord, DigestedRef, DigestedSubject } from "./artifact-rows.ts";
import { hexArray, type LedgerCore } from "./ledger-core.ts";
import { STATE } from "./lineage-codes.ts";

/** A row of a scan, for who reads stores. */
export interface KnownRow {
  /** It was recorded or harvested itself, not only named as a source. */
  readonly isRecorded: boolean;
  /** A harvest of the row would change nothing. */
  readonly isCurrent: boolean;
  /** Sources that its store does not name. */
  readonly further: readonly ArtifactRef[];
}

export interface KnownRecord {
  /** It was recorded or harvested itself, not only named as a source. */
  readonly isRecorded: boolean;
  /** To enter it without its content, under an origin of the rank that was asked for, would change nothing. */
  readonly isCurrent: boolean;
  /** Ids of the sources that it has beside its own, in the order of their digests. */
  readonly further: readonly number[];
}

interface Edge {
  readonly source: number;
  readonly hex: string;
  readonly origin: number;
}

const UNKNOWN: KnownRecord = { isRecorded: false, isCurrent: false, further: [] };

/** One answer for each record, in order. */
export function findKnown(core: LedgerCore, list: readonly DigestedRecord[], rank: number): readonly KnownRecord[] {
  const rows: ([number, number, number, number] | undefined)[] = list.map(() => undefined);
  for (const row of core.connection.rows<[number, number, number, number]>(
    `SELECT j.key, a.id, a.state, a.known_by FROM json_each(?) AS j CROSS JOIN artifacts AS a ON a.digest = unhex(j.value)`,
    hexArray(list.map(({ artifact }) => artifact.hex)),
  ))
    rows[row[0]] = row;
  const ids = `[${rows.map((row) => row?.[1] ?? 0).join(",")}]`;
  const edges = edgesOf(core, ids, list.length);
  const tags = tagsOf(core, ids, list.length);
  const persons = personIds(core, list);
  return list.map(({ sources, subjects }, place): KnownRecord => {
    const row = rows[place];
    if (row === undefined) return UNKNOWN;
    const [, , state, knownBy] = row;
    const own = edges[place] ?? [];
    const isCurrent =
      state === STATE.live &&
      knownBy <= rank &&
      hasEach(own, sources, rank) &&
      subjects.every((subject) => tags[place]?.includes(persons.get(subject) ?? 0) === true);
    return { isRecorded: state !== STATE.mentioned, isCurrent, further: beside(own, sources) };
  });
}

/** By place in the list of ids. */
function edgesOf(core: LedgerCore, ids: string, length: number): readonly (readonly Edge[] | undefined)[] {
  const edges: (Edge[] | undefined)[] = Array.from({ length }, () => undefined);
  for (const [place, source, origin, hex] of core.connection.rows<[number, number, number, string]>(
    `SELECT j.key, d.source, d.origin, lower(hex(a.digest)) FROM json_each(?) AS j
     CROSS JOIN derivations AS d ON d.derived = j.value CROSS JOIN artifacts AS a ON a.id = d.source`,
    ids,
  ))
    (edges[place] ??= []).push({ source, hex, origin });
  return edges;
}

function tagsOf(core: LedgerCore, ids: string, length: number): readonly (readonly number[] | undefined)[] {
  const tags: (number[] | undefined)[] = Array.from({ length }, () => undefined);
  for (const [place, subject] of core.connection.rows<[number, number]>(
    "SELECT j.key, s.subject FROM json_each(?) AS j CROSS JOIN artifact_subjects AS s ON s.artifact = j.value",
    ids,
  ))
    (tags[place] ??= []).push(subject);
  return tags;
}

/** The ids of those persons of the list who are known. */
function personIds(core: LedgerCore, list: readonly DigestedRecord[]): ReadonlyMap<DigestedSubject, number> {
  const named = [...new Set(list.flatMap(({ subjects }) => subjects))];
  const ids = new Map<DigestedSubject, number>();
  for (const [place, id] of core.connection.rows<[number, number]>(
    "SELECT j.key, i.id FROM json_each(?) AS j CROSS JOIN identifiers AS i ON i.digest = unhex(j.value)",
    hexArray(named.map(({ hex }) => hex)),
  )) {
    const subject = named[place];
    if (subject !== undefined) ids.set(subject, id);
  }
  return ids;
}

/** Whether the ledger has an edge to each of the sources, of this origin or a better known one. */
function hasEach(edges: readonly Edge[], sources: readonly DigestedRef[], rank: number): boolean {
  if (sources.length > edges.length) return false;
  const origins = new Map(edges.map(({ hex, origin }) => [hex, origin]));
  return sources.every(({ hex }) => (origins.get(hex) ?? rank + 1) <= rank);
}

function beside(edges: readonly Edge[], sources: readonly DigestedRef[]): readonly number[] {
  if (edges.length === 0) return [];
  const given = new Set(sources.map(({ hex }) => hex));
  const further = edges.filter(({ hex }) => !given.has(hex));
  return further.toSorted((a, b) => (a.hex < b.hex ? -1 : 1)).map(({ source }) => source);
}
