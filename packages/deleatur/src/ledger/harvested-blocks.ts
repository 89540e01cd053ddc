// Takes a whole harvest in by blocks of rows: one that says what a harvest before it said, row for row, is known by its digest. It must not know a row that the ledger has lost something of.
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import type { LedgerCore } from "./ledger-core.ts";

/** The lineage of one row, as its store names it. */
export interface HarvestedLineage extends ArtifactRef {
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
}

export interface HarvestIntake {
  /**
   * Takes in all rows that a harvest read, in the order of their stores, as `recordArtifacts` does with origin `declared`: blocks of rows that say
   * nothing new are known as a whole. They are remembered until the next harvest, or until they are not needed any more.
   */
  recordHarvest(rows: readonly HarvestedLineage[]): void;
  /** A scan after this asks about each row. */
  forgetHarvest(): void;
}

/** A block ends behind a key whose sum ends in so many bits of nothing: what comes in or goes changes the block that it stands in, and no other. */
const END_MASK = 0xff;
const MOST_ROWS = 2_048;

/** Enters what is new; the caller's `enter` takes rows into the lineage, with origin `declared`. The caller holds the write transaction. */
export function enterHarvest(
  { connection, digests }: LedgerCore,
  rows: readonly HarvestedLineage[],
  enter: (rows: readonly HarvestedLineage[]) => void,
): void {
  let text = "";
  let from = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at];
    if (row === undefined) continue;
    text += textOf(row);
    if (at + 1 < rows.length && !isEnd(row.key) && at + 1 - from < MOST_ROWS) continue;
    const digest = digests.keyedDigest("harvest/block", text);
    if (connection.get("SELECT 1 FROM harvested_blocks WHERE digest = ?", digest) === undefined) {
      enter(rows.slice(from, at + 1));
      connection.run("INSERT INTO harvested_blocks VALUES (?) ON CONFLICT DO NOTHING", digest);
    }
    text = "";
    from = at + 1;
  }
}

/** Each text behind its length, each list behind its own: no two blocks have the same text. */
function textOf({ surface, key, subjects, sources }: HarvestedLineage): string {
  let text = `${surface.length}:${surface}${key.length}:${key}${subjects.length}:`;
  for (const { type, value } of subjects) text += `${type.length}:${type}${value.length}:${value}`;
  text += `${sources.length}:`;
  for (const source of sources) text += `${source.surface.length}:${source.surface}${source.key.length}:${source.key}`;
  return text;
}

function isEnd(key: string): boolean {
  let sum = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) sum = Math.imul(sum ^ key.charCodeAt(at), 0x01000193);
  return ((sum ^ (sum >>> 15)) & END_MASK) === 0;
}
