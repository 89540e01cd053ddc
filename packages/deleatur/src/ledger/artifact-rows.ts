// The artifacts that a list names: their digests, and the rows that the ledger has of them. It must not write.
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import { hexArray, type LedgerCore } from "./ledger-core.ts";
import { STATE } from "./lineage-codes.ts";

/** Something with its keyed digest; one object stands for one name in a list. */
interface Digested {
  readonly digest: Uint8Array;
  /** The same as hex. */
  readonly hex: string;
}

export interface DigestedSubject extends Digested {
  readonly identifier: SubjectIdentifier;
}

export interface DigestedRef extends Digested {
  readonly ref: ArtifactRef;
}

/** An artifact to be recorded whose digests are made. */
export interface DigestedRecord {
  readonly artifact: DigestedRef;
  readonly subjects: readonly DigestedSubject[];
  readonly sources: readonly DigestedRef[];
  readonly contentDigest: Uint8Array | undefined;
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
  // A surface's id has no slash in it.
  const digestRef = ({ surface, key }: ArtifactRef): DigestedRef => {
    const name = `${surface}/${key}`;
    let known = refs.get(name);
    if (known === undefined) {
      const ref = { surface, key };
      const hex = digests.hashArtifact(ref);
      known = { ref, hex, digest: Buffer.from(hex, "hex") };
      refs.set(name, known);
    }
    return known;
  };
  const digestSubject = ({ type, value }: SubjectIdentifier): DigestedSubject => {
    // An identifier's type has no NUL in it.
    const name = `${type}\0${value}`;
    let known = persons.get(name);
    if (known === undefined) {
      const identifier = { type, value };
      const hex = digests.hashIdentifier(identifier);
      known = { identifier, hex, digest: Buffer.from(hex, "hex") };
      persons.set(name, known);
    }
    return known;
  };
  return list.map(({ ref, subjects, sources, contentDigest }) => ({
    artifact: digestRef(ref),
    subjects: subjects.map(digestSubject),
    sources: sources.map(digestRef),
    contentDigest,
  }));
}

/** An artifact's row, as it stands or as it will stand after the list. */
export interface Row {
  id: number;
  readonly isNew: boolean;
  state: number;
  knownBy: number;
  tag: Uint8Array | null;
  isChanged: boolean;
}

export type Rows = ReadonlyMap<DigestedRef, Row>;

export function rowOf(rows: Rows, of: DigestedRef): Row {
  const row = rows.get(of);
  if (row === undefined) throw new Error("an artifact of the list has no row");
  return row;
}

/** Ids count up; the caller holds the write transaction, or does not use what is answered. */
export function nextId(core: LedgerCore, table: "artifacts" | "identifiers"): number {
  return (core.connection.get<{ last: number | null }>(`SELECT max(id) AS last FROM ${table}`)?.last ?? 0) + 1;
}

/** What is known of each artifact and source of a list; who is not known is new, and mentioned with an origin of this rank. */
export function findRows(core: LedgerCore, list: readonly DigestedRecord[], rank: number): Rows {
  const distinct = new Set<DigestedRef>();
  for (const { artifact, sources } of list) {
    distinct.add(artifact);
    for (const source of sources) distinct.add(source);
  }
  const named = [...distinct];
  const found: (Row | undefined)[] = named.map(() => undefined);
  const known = core.connection.rows<[number, number, number, number, Uint8Array | null]>(
    `SELECT j.key, a.id, a.state, a.known_by, a.content_tag FROM json_each(?) AS j
     CROSS JOIN artifacts AS a ON a.digest = unhex(j.value)`,
    hexArray(named.map(({ hex }) => hex)),
  );
  for (const [place, id, state, knownBy, tag] of known)
    found[place] = { id, isNew: false, state, knownBy, tag, isChanged: false };
  let next = known.length === named.length ? 0 : nextId(core, "artifacts");
  const rows = new Map<DigestedRef, Row>();
  named.forEach((of, place) => {
    let row = found[place];
    if (row === undefined) {
      row = { id: next, isNew: true, state: STATE.mentioned, knownBy: rank, tag: null, isChanged: true };
      next += 1;
    }
    rows.set(of, row);
  });
  return rows;
}

/** Reads rows anew by their ids, which stay; who was new is taken for new still, under an id that is free now. */
export function refreshRows(core: LedgerCore, rows: Rows): void {
  const known = new Map<number, Row>();
  let next: number | undefined;
  for (const row of rows.values()) {
    if (row.isNew) {
      next ??= nextId(core, "artifacts");
      // As it was found: a commit that failed may have gone over it.
      Object.assign(row, { id: next, state: STATE.mentioned, tag: null, isChanged: true });
      next += 1;
    } else known.set(row.id, row);
  }
  if (known.size === 0) return;
  const read = core.connection.rows<[number, number, number, Uint8Array | null]>(
    "SELECT a.id, a.state, a.known_by, a.content_tag FROM json_each(?) AS j CROSS JOIN artifacts AS a ON a.id = j.value",
    `[${[...known.keys()].join(",")}]`,
  );
  for (const [id, state, knownBy, tag] of read) {
    const row = known.get(id);
    if (row !== undefined) Object.assign(row, { state, knownBy, tag, isChanged: false });
  }
}
