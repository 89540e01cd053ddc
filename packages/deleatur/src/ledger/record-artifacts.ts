// Enters artifacts, their persons and their edges into the ledger, a whole list at once. It must not lower what is known of an edge or an artifact.
import type { EdgeOrigin } from "../model/artifact.ts";
import {
  findRows,
  nextId,
  refreshRows,
  rowOf,
  type DigestedRecord,
  type DigestedSubject,
  type Row,
  type Rows,
} from "./artifact-rows.ts";
import type { SqlValue } from "./connection.ts";
import { jsonBytes, sealByGuard, type LedgerCore } from "./ledger-core.ts";
import { ORIGINS, STATE } from "./lineage-codes.ts";

const FRESH_COLUMNS = 7;
// A list is entered in parts, so that one statement's parameter stays small.
const PART = 10_000;

/** The caller holds the write transaction. */
export function enterRecords(core: LedgerCore, list: readonly DigestedRecord[], origin: EdgeOrigin): void {
  for (let start = 0; start < list.length; start += PART) {
    const part = list.slice(start, start + PART);
    const rank = ORIGINS.indexOf(origin);
    enterFound(core, part, rank, findRows(core, part, rank));
  }
}

/**
 * The same with rows that were looked up earlier, in another transaction, under the same origin. `refuse` is called for a record with a source
 * that is erased by now, and throws.
 */
export function enterAnnounced<Entered extends DigestedRecord>(
  core: LedgerCore,
  list: readonly Entered[],
  origin: EdgeOrigin,
  rows: Rows,
  refuse: (record: Entered) => never,
): void {
  refreshRows(core, rows);
  enterFound(core, list, ORIGINS.indexOf(origin), rows, (now) => {
    for (const record of list)
      if (record.sources.some((source) => rowOf(now, source).state === STATE.erased)) refuse(record);
  });
}

/** `judge` throws where a row forbids the list. */
function enterFound(
  core: LedgerCore,
  list: readonly DigestedRecord[],
  rank: number,
  found: Rows,
  judge: (rows: Rows) => void = () => undefined,
): void {
  let rows = found;
  judge(rows);
  enterRows(core, list, rank, rows);
  if (!writeRows(core, rows)) {
    // One of them was entered, or erased, since it was looked for.
    rows = findRows(core, list, rank);
    judge(rows);
    enterRows(core, list, rank, rows);
    writeRows(core, rows);
  }
  tagSubjects(core, list, rows);
  const edges: SqlValue[] = [];
  for (const { artifact, sources } of list)
    for (const source of sources) edges.push(rowOf(rows, source).id, rowOf(rows, artifact).id, rank);
  core.connection.runRows(
    "INSERT INTO derivations (source, derived, origin) VALUES",
    [edges, 3],
    "ON CONFLICT (source, derived) DO UPDATE SET origin = excluded.origin WHERE excluded.origin < derivations.origin",
  );
}

/** Changes the rows in memory to what they are after the list. */
function enterRows(core: LedgerCore, list: readonly DigestedRecord[], rank: number, rows: Rows): void {
  for (const { artifact, contentDigest } of list) {
    const row = rowOf(rows, artifact);
    // The key was taken again: what its former holder was derived from says nothing about the new one.
    if (row.state === STATE.erased) core.connection.run("DELETE FROM derivations WHERE derived = ?", row.id);
    enterOne(core, row, contentDigest, rank);
  }
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

/** False where a row that was taken for new is there already: then all must be looked up again. */
function writeRows(core: LedgerCore, rows: Rows): boolean {
  const fresh: SqlValue[] = [];
  for (const [{ ref, digest }, row] of rows) {
    if (!row.isChanged) continue;
    const sealed = core.keys.artifactSeal.seal(digest, ref.key);
    if (row.isNew) fresh.push(row.id, digest, ref.surface, row.state, row.knownBy, sealed, row.tag);
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
  const written = core.connection.runRows(
    "INSERT INTO artifacts (id, digest, surface, state, known_by, sealed, content_tag) VALUES",
    [fresh, FRESH_COLUMNS],
    "ON CONFLICT (digest) DO NOTHING",
  );
  return written * FRESH_COLUMNS === fresh.length;
}

function tagSubjects(core: LedgerCore, list: readonly DigestedRecord[], rows: Rows): void {
  const ids = new Map<DigestedSubject, number>();
  const tags: SqlValue[] = [];
  for (const { artifact, subjects } of list) {
    for (const subject of subjects) {
      let id = ids.get(subject);
      if (id === undefined) {
        id = identifierId(core, subject);
        ids.set(subject, id);
      }
      tags.push(id, rowOf(rows, artifact).id);
    }
  }
  core.connection.runRows(
    "INSERT INTO artifact_subjects (subject, artifact) VALUES",
    [tags, 2],
    "ON CONFLICT DO NOTHING",
  );
}

/** Enters a person who is not known yet. */
function identifierId(core: LedgerCore, { digest, hex, identifier }: DigestedSubject): number {
  const { connection } = core;
  const known = connection.get<{ id: number }>("SELECT id FROM identifiers WHERE digest = ?", digest)?.id;
  if (known !== undefined) return known;
  const id = nextId(core, "identifiers");
  const sealed = sealByGuard(core, `identifiers/${hex}`, jsonBytes(identifier));
  const sql = "INSERT INTO identifiers (id, digest, sealed, type) VALUES (?, ?, ?, ?)";
  connection.run(sql, id, digest, sealed, identifier.type);
  return id;
}
