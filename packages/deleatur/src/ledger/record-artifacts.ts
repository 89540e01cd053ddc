// Enters artifacts, their persons and their edges into the ledger, a whole list at once. It must not lower what is known of an edge or an artifact.
import type { EdgeOrigin } from "../model/artifact.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import { hexList, hexOf, jsonBytes, sealByGuard, type LedgerCore } from "./ledger-core.ts";
import type { SqlValue } from "./connection.ts";
import { ORIGINS, STATE } from "./lineage-codes.ts";

/** A person, by type and value, with the keyed digest of both. */
export interface DigestedSubject {
  readonly identifier: SubjectIdentifier;
  readonly digest: Uint8Array;
}

export interface DigestedRef {
  readonly ref: ArtifactRef;
  readonly digest: Uint8Array;
}

/** An artifact to be recorded whose digests are made. */
export interface DigestedRecord extends DigestedRef {
  readonly subjects: readonly DigestedSubject[];
  readonly sources: readonly DigestedRef[];
  readonly contentDigest?: Uint8Array;
}

interface GivenRecord {
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly contentDigest?: Uint8Array;
}

/** Makes the digests of a list; a person or artifact that it names twice is digested once. */
export function digestRecords(core: LedgerCore, list: readonly GivenRecord[]): DigestedRecord[] {
  const { digests } = core;
  const refs = new Map<string, DigestedRef>();
  const persons = new Map<string, DigestedSubject>();
  // Neither a surface's id nor an identifier's type has a NUL in it.
  const digestRef = ({ surface, key }: ArtifactRef): DigestedRef => {
    const name = `${surface}\0${key}`;
    let known = refs.get(name);
    if (known === undefined) {
      known = { ref: { surface, key }, digest: digests.artifactDigest({ surface, key }) };
      refs.set(name, known);
    }
    return known;
  };
  const digestSubject = ({ type, value }: SubjectIdentifier): DigestedSubject => {
    const name = `${type}\0${value}`;
    let known = persons.get(name);
    if (known === undefined) {
      known = { identifier: { type, value }, digest: digests.identifierDigest({ type, value }) };
      persons.set(name, known);
    }
    return known;
  };
  return list.map(({ ref, subjects, sources, contentDigest }) => ({
    ...digestRef(ref),
    subjects: subjects.map(digestSubject),
    sources: sources.map(digestRef),
    ...(contentDigest === undefined ? {} : { contentDigest }),
  }));
}

/** An artifact's row as it will stand after the list. */
interface Row {
  readonly id: number;
  readonly isNew: boolean;
  state: number;
  knownBy: number;
  tag: Uint8Array | null;
  isChanged: boolean;
}

// A list is entered in parts, so that one statement's parameter stays small.
const PART = 10_000;

/** The caller holds the write transaction. `refuse` is called for a record with a source that is erased, and throws. */
export function enterRecords<Entered extends DigestedRecord>(
  core: LedgerCore,
  list: readonly Entered[],
  origin: EdgeOrigin,
  refuse?: (record: Entered) => never,
): void {
  for (let start = 0; start < list.length; start += PART)
    enterPart(core, list.slice(start, start + PART), origin, refuse);
}

function enterPart<Entered extends DigestedRecord>(
  core: LedgerCore,
  list: readonly Entered[],
  origin: EdgeOrigin,
  refuse: ((record: Entered) => never) | undefined,
): void {
  const { connection } = core;
  const rank = ORIGINS.indexOf(origin);
  const named = distinct(list.flatMap((record) => [record, ...record.sources]));
  const rows = findRows(core, named, rank);
  const rowOf = (of: DigestedRef): Row => {
    const row = rows.get(hexOf(of.digest));
    if (row === undefined) throw new Error("an artifact of the list has no row");
    return row;
  };
  if (refuse !== undefined) {
    for (const record of list)
      if (record.sources.some((source) => rowOf(source).state === STATE.erased)) refuse(record);
  }
  for (const record of list) {
    const row = rowOf(record);
    // The key was taken again: what its former holder was derived from says nothing about the new one.
    if (row.state === STATE.erased) connection.run("DELETE FROM derivations WHERE derived = ?", row.id);
    enterOne(core, row, record.contentDigest, rank);
  }
  writeRows(core, named, rows);
  tagSubjects(core, list, rowOf);
  connection.runRows(
    "INSERT INTO derivations (source, derived, origin) VALUES",
    list.flatMap((record) => {
      const { id } = rowOf(record);
      return record.sources.map((source) => [rowOf(source).id, id, rank]);
    }),
    "ON CONFLICT (source, derived) DO UPDATE SET origin = excluded.origin WHERE excluded.origin < derivations.origin",
  );
}

function distinct<Item extends { readonly digest: Uint8Array }>(items: readonly Item[]): Item[] {
  // `digestRecords` gives one digest object to each name, and two of one content find one row all the same.
  const seen = new Set<string>();
  return items.filter(({ digest }) => {
    const hex = hexOf(digest);
    if (seen.has(hex)) return false;
    seen.add(hex);
    return true;
  });
}

function nextId(core: LedgerCore, table: "artifacts" | "identifiers"): number {
  return (core.connection.get<{ last: number | null }>(`SELECT max(id) AS last FROM ${table}`)?.last ?? 0) + 1;
}

/** What is known of each, by hex of its digest; who is not known is new, and mentioned. */
function findRows(core: LedgerCore, named: readonly DigestedRef[], rank: number): Map<string, Row> {
  const rows = new Map<string, Row>();
  const found = core.connection.rows<[number, number, number, number, Uint8Array | null]>(
    `SELECT j.key, a.id, a.state, a.known_by, a.content_tag FROM json_each(?) AS j
     CROSS JOIN artifacts AS a ON a.digest = unhex(j.value)`,
    hexList(named.map(({ digest }) => digest)),
  );
  for (const [place, id, state, knownBy, tag] of found) {
    const digest = named[place]?.digest;
    if (digest !== undefined) rows.set(hexOf(digest), { id, isNew: false, state, knownBy, tag, isChanged: false });
  }
  if (rows.size === named.length) return rows;
  let id = nextId(core, "artifacts");
  for (const { digest } of named) {
    const hex = hexOf(digest);
    if (rows.has(hex)) continue;
    rows.set(hex, { id, isNew: true, state: STATE.mentioned, knownBy: rank, tag: null, isChanged: true });
    id += 1;
  }
  return rows;
}

function enterOne(core: LedgerCore, row: Row, contentDigest: Uint8Array | undefined, rank: number): void {
  const wasLive = row.state === STATE.live;
  if (!wasLive || rank < row.knownBy) {
    row.knownBy = rank;
    row.state = STATE.live;
    row.isChanged = true;
  }
  if (contentDigest === undefined) {
    if (!wasLive) row.tag = null;
    return;
  }
  const tag = contentTag(core, contentDigest);
  if (row.tag !== null && Buffer.compare(row.tag, tag) === 0) return;
  row.tag = tag;
  row.isChanged = true;
}

export function contentTag(core: LedgerCore, contentDigest: Uint8Array): Uint8Array {
  return core.digests.keyedDigest("content", contentDigest);
}

function writeRows(core: LedgerCore, named: readonly DigestedRef[], rows: ReadonlyMap<string, Row>): void {
  const fresh: SqlValue[][] = [];
  for (const { ref, digest } of named) {
    const row = rows.get(hexOf(digest));
    if (row?.isChanged !== true) continue;
    const sealed = core.keys.artifactSeal.seal(digest, ref.key);
    if (row.isNew) fresh.push([row.id, digest, ref.surface, row.state, row.knownBy, sealed, row.tag]);
    else {
      core.connection.run(
        "UPDATE artifacts SET state = ?, known_by = ?, sealed = ?, content_tag = ?, erased_at = NULL WHERE id = ?",
        row.state,
        row.knownBy,
        sealed,
        row.tag,
        row.id,
      );
    }
  }
  core.connection.runRows(
    "INSERT INTO artifacts (id, digest, surface, state, known_by, sealed, content_tag) VALUES",
    fresh,
  );
}

function tagSubjects(core: LedgerCore, list: readonly DigestedRecord[], rowOf: (of: DigestedRef) => Row): void {
  const { connection } = core;
  const ids = new Map<DigestedSubject, number>();
  const idOf = (subject: DigestedSubject): number => {
    const known = ids.get(subject);
    if (known !== undefined) return known;
    const { digest, identifier } = subject;
    let id = connection.get<{ id: number }>("SELECT id FROM identifiers WHERE digest = ?", digest)?.id;
    if (id === undefined) {
      id = nextId(core, "identifiers");
      const { type, value } = identifier;
      const sealed = sealByGuard(core, `identifiers/${hexOf(digest)}`, jsonBytes({ type, value }));
      connection.run("INSERT INTO identifiers (id, digest, sealed) VALUES (?, ?, ?)", id, digest, sealed);
    }
    ids.set(subject, id);
    return id;
  };
  connection.runRows(
    "INSERT INTO artifact_subjects (subject, artifact) VALUES",
    list.flatMap((record) => {
      const { id } = rowOf(record);
      return record.subjects.map((subject) => [idOf(subject), id]);
    }),
    "ON CONFLICT DO NOTHING",
  );
}
