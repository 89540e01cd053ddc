// Makes artifacts erased ones, a list at once: of each only its digest is left, and who erased it. It must not touch what an erased artifact was derived from, or what from it.
import type { ArtifactRef, RequestId } from "../model/ids.ts";
import { nextId } from "./artifact-rows.ts";
import type { SqlValue } from "./connection.ts";
import { hexArray, now, type LedgerCore } from "./ledger-core.ts";
import { ORIGINS, STATE } from "./lineage-codes.ts";

// Small enough that one statement's parameter stays small.
const PART = 5_000;

interface Found {
  readonly id: number;
  readonly state: number;
  readonly tag: Uint8Array | null;
}

/** What is erased already stays as it is. The caller holds the write transaction. */
export function markAllErased(core: LedgerCore, refs: readonly ArtifactRef[], request: RequestId): void {
  const byHex = new Map(refs.map((ref) => [core.digests.hashArtifact(ref), ref]));
  const all = [...byHex];
  for (let start = 0; start < all.length; start += PART) markPart(core, all.slice(start, start + PART), request);
}

function markPart(core: LedgerCore, part: readonly (readonly [string, ArtifactRef])[], request: RequestId): void {
  const { connection } = core;
  const at = now(core);
  const found = findAll(core, part);
  const erasures: SqlValue[] = [];
  const fresh: SqlValue[] = [];
  const ids: number[] = [];
  let next = nextId(core, "artifacts");
  for (const [place, [hex, ref]] of part.entries()) {
    const known = found[place];
    if (known?.state === STATE.erased) continue;
    const digest = Buffer.from(hex, "hex");
    erasures.push(digest, request, at, known?.tag ?? null);
    if (known === undefined) {
      fresh.push(next, digest, ref.surface, STATE.erased, ORIGINS.indexOf("declared"), at);
      next += 1;
    } else ids.push(known.id);
  }
  connection.runRows(
    "INSERT INTO erasures (artifact, request, at, content_tag) VALUES",
    [erasures, 4],
    "ON CONFLICT (artifact, request) DO UPDATE SET content_tag = coalesce(excluded.content_tag, erasures.content_tag)",
  );
  connection.runRows("INSERT INTO artifacts (id, digest, surface, state, known_by, erased_at) VALUES", [fresh, 6]);
  if (ids.length === 0) return;
  const list = `[${ids.join(",")}]`;
  connection.run(
    `UPDATE artifacts SET state = ${STATE.erased}, sealed = NULL, content_tag = NULL, erased_at = ?
     WHERE id IN (SELECT value FROM json_each(?))`,
    at,
    list,
  );
  untagAll(core, list);
}

function findAll({ connection }: LedgerCore, part: readonly (readonly [string, unknown])[]): (Found | undefined)[] {
  const found: (Found | undefined)[] = part.map(() => undefined);
  for (const [place, id, state, tag] of connection.rows<[number, number, number, Uint8Array | null]>(
    `SELECT j.key, a.id, a.state, a.content_tag FROM json_each(?) AS j CROSS JOIN artifacts AS a ON a.digest = unhex(j.value)`,
    hexArray(part.map(([hex]) => hex)),
  ))
    found[place] = { id, state, tag };
  return found;
}

/** Whom nothing is about any more is forgotten as well. */
function untagAll({ connection }: LedgerCore, artifacts: string): void {
  const subjects = connection
    .rows<[number]>(
      `SELECT DISTINCT s.subject FROM json_each(?) AS j CROSS JOIN artifact_subjects AS s ON s.artifact = j.value`,
      artifacts,
    )
    .map(([subject]) => subject);
  if (subjects.length === 0) return;
  connection.run("DELETE FROM artifact_subjects WHERE artifact IN (SELECT value FROM json_each(?))", artifacts);
  connection.run(
    `DELETE FROM identifiers WHERE id IN (SELECT value FROM json_each(?))
     AND NOT EXISTS (SELECT 1 FROM artifact_subjects AS s WHERE s.subject = identifiers.id)`,
    `[${subjects.join(",")}]`,
  );
}
