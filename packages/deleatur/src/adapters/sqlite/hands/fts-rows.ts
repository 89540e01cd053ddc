// Erases and rewrites rows of an FTS5 index that keeps no content of its own (external-content and contentless). What counts is that no term of a row is left in the index.
import type { Artifact, Erased, Rewritten } from "../../../model/artifact.ts";
import type { ArtifactKey } from "../../../model/ids.ts";
import { quoteName } from "../options.ts";
import { sqliteCode } from "../store-errors.ts";
import { underSavepoint, type Db } from "./connect.ts";
import type { FtsFacts } from "./fts-facts.ts";
import { collectWords, docsWithTerms, holdsCollectedWord, textFromTerms } from "./index-terms.ts";
import { isRowid, readColumns, type Layout } from "./layout.ts";
import { inErasingTransaction } from "./store-marker.ts";
import { candidatesOf } from "./values.ts";

const BATCH = 500;

export function eraseIndexed(
  db: Db,
  layout: Layout,
  keys: readonly ArtifactKey[],
  signal: AbortSignal,
): readonly Erased[] {
  const fts = requireFts(layout);
  const rowids = keys.flatMap((key) => candidatesOf(key).integer ?? []);
  const present = indexedRows(db, fts, rowids);
  const found = rowids.filter((rowid) => present.has(rowid));
  for (let start = 0; start < found.length; start += BATCH) {
    signal.throwIfAborted();
    inErasingTransaction(db, () => removeFromIndex(db, layout, fts, found.slice(start, start + BATCH)));
  }
  // Looked at once for all, after the last commit: which document a term is of only a walk over the whole index tells.
  let left = withTerms(db, fts, found);
  if (left.size > 0 && fts.mode === "external") {
    inErasingTransaction(db, () => rebuildIndex(db, fts, found));
    left = withTerms(db, fts, found);
  }
  return keys.map((key): Erased => {
    const ref = { surface: layout.options.surface, key };
    const rowid = candidatesOf(key).integer;
    if (rowid === undefined || !present.has(rowid)) return { ...ref, outcome: "absent" };
    if (!left.has(rowid)) return { ...ref, outcome: "erased" };
    return {
      ...ref,
      outcome: "failed",
      why: "the index keeps no text and its terms cannot be taken out without it, rebuild the index",
    };
  });
}

/** Of these rows, those that the index lists or holds any term of. Where it lists them all, nothing more is asked. */
function indexedRows(db: Db, fts: FtsFacts, rowids: readonly bigint[]): ReadonlySet<bigint> {
  const listed = listedRows(db, fts, rowids);
  const others = rowids.filter((rowid) => !listed.has(rowid));
  return new Set([...listed, ...(others.length === 0 ? [] : docsWithTerms(db, fts, others))]);
}

/** Of these rows, those that the index lists or holds any term of, by a walk over the whole of it. */
function withTerms(db: Db, fts: FtsFacts, rowids: readonly bigint[]): ReadonlySet<bigint> {
  if (rowids.length === 0) return new Set();
  return new Set([...docsWithTerms(db, fts, rowids), ...listedRows(db, fts, rowids)]);
}

function listedRows(db: Db, fts: FtsFacts, rowids: readonly bigint[]): ReadonlySet<bigint> {
  if (!fts.hasDocsize) return new Set();
  const listed = db
    .prepare<[string], { id: bigint }>(
      `SELECT id FROM ${quoteName(`${fts.name}_docsize`)} WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .all(`[${rowids.join(",")}]`);
  return new Set(listed.map(({ id }) => id));
}

/** Old values are gone or were changed under the index: only the content table knows what may stay. */
function rebuildIndex(db: Db, fts: FtsFacts, rowids: readonly bigint[]): void {
  db.exec(`INSERT INTO ${quoteName(fts.name)} (${quoteName(fts.name)}) VALUES ('rebuild')`);
  deleteByContent(db, fts, rowids);
}

/** Takes rows out of an index. Where a way leaves terms behind, the next one is tried; what is then left is for the caller to see. */
function removeFromIndex(db: Db, layout: Layout, fts: FtsFacts, rowids: readonly bigint[]): void {
  if (rowids.length === 0) return;
  if (fts.mode === "external" || fts.contentlessDelete) {
    deleteByContent(db, fts, rowids);
    return;
  }
  if (isWholeIndex(db, fts, rowids)) {
    db.exec(`INSERT INTO ${quoteName(fts.name)} (${quoteName(fts.name)}) VALUES ('delete-all')`);
    return;
  }
  collectWords(db, fts);
  for (const rowid of rowids) deleteByText(db, layout, fts, rowid);
}

/** For external content, FTS5 itself reads the old values from the base row while it stands. */
function deleteByContent(db: Db, fts: FtsFacts, rowids: readonly bigint[]): void {
  const remove = db.prepare<[bigint]>(`DELETE FROM ${quoteName(fts.name)} WHERE rowid = ?`);
  for (const rowid of rowids) remove.run(rowid);
}

function isWholeIndex(db: Db, fts: FtsFacts, rowids: readonly bigint[]): boolean {
  if (!fts.hasDocsize) return false;
  const others = db
    .prepare<[string]>(
      `SELECT 1 FROM ${quoteName(`${fts.name}_docsize`)} WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
    )
    .get(`[${rowids.join(",")}]`);
  return others === undefined;
}

/** A contentless index wants the old text to delete. The base row may still have it; else its own terms, put in their places, may do. The result is checked. */
function deleteByText(db: Db, layout: Layout, fts: FtsFacts, rowid: bigint): void {
  const base = baseTable(db, layout, fts);
  const fromBase = base === undefined ? undefined : currentText(db, fts, base, rowid);
  if (fromBase !== undefined && tryDelete(db, fts, rowid, fromBase)) return;
  tryDelete(db, fts, rowid, textFromTerms(db, fts, rowid));
}

function tryDelete(db: Db, fts: FtsFacts, rowid: bigint, texts: readonly (string | null)[]): boolean {
  const name = quoteName(fts.name);
  const columns = fts.columns.map(quoteName).join(", ");
  try {
    underSavepoint(db, () => {
      db.prepare<(string | bigint | null)[]>(
        `INSERT INTO ${name} (${name}, rowid, ${columns}) VALUES ('delete', ?, ${fts.columns.map(() => "?").join(", ")})`,
      ).run(rowid, ...texts);
      if (holdsCollectedWord(db, rowid)) throw new TermsLeft();
    });
    return true;
  } catch (cause) {
    if (cause instanceof TermsLeft || sqliteCode(cause) === "SQLITE_CORRUPT_VTAB") return false;
    throw cause;
  }
}

function currentText(db: Db, fts: FtsFacts, base: string, rowid: bigint): readonly (string | null)[] | undefined {
  return db
    .prepare<[bigint], (string | null)[]>(
      `SELECT ${fts.columns.map(quoteName).join(", ")} FROM ${quoteName(base)} WHERE ${quoteName(fts.contentRowid ?? "rowid")} = ?`,
    )
    .raw(true)
    .get(rowid);
}

/** Undoes a delete that did not take all terms: half a row would be harder to take out than a whole one. */
class TermsLeft extends Error {}

export function rewriteIndexed(
  db: Db,
  layout: Layout,
  wanted: readonly Artifact[],
  signal: AbortSignal,
): readonly Rewritten[] {
  signal.throwIfAborted();
  const fts = requireFts(layout);
  return inErasingTransaction(db, () =>
    wanted.map((artifact): Rewritten => {
      const ref = { surface: layout.options.surface, key: artifact.key };
      const rowid = candidatesOf(artifact.key).integer;
      if (rowid === undefined || !indexedRows(db, fts, [rowid]).has(rowid)) return { ...ref, outcome: "absent" };
      removeFromIndex(db, layout, fts, [rowid]);
      if (indexedRows(db, fts, [rowid]).has(rowid))
        return {
          ...ref,
          outcome: "failed",
          why: "the index keeps no text and its old terms cannot be taken out without it",
        };
      return insertIndexed(db, layout, fts, rowid, artifact)
        ? { ...ref, outcome: "rewritten" }
        : {
            ...ref,
            outcome: "failed",
            why: "the new text of the row is not known, so its terms were taken out and none put in",
          };
    }),
  );
}

/**
 * Puts the row in again with the text that its base row has now: an index that says otherwise than its content table is damaged. When the base row is
 * rewritten later, the index follows it (`index-step.ts`). Only an index without a known base table takes the given text.
 */
function insertIndexed(db: Db, layout: Layout, fts: FtsFacts, rowid: bigint, artifact: Artifact): boolean {
  const columns = fts.columns.map(quoteName).join(", ");
  const put = db.prepare<(string | bigint | null)[]>(
    `INSERT INTO ${quoteName(fts.name)} (rowid, ${columns}) VALUES (?, ${fts.columns.map(() => "?").join(", ")})`,
  );
  const base = baseTable(db, layout, fts);
  if (base !== undefined) {
    const current = currentText(db, fts, base, rowid);
    if (current === undefined) return false;
    put.run(rowid, ...current);
    return true;
  }
  const given = new Map(
    artifact.content.flatMap((field) => (field.type === "text" ? [[field.name, field.text] as const] : [])),
  );
  if (given.size === 0) return false;
  put.run(rowid, ...fts.columns.map((name) => given.get(name) ?? null));
  return true;
}

/** The table whose rows an index follows: its content table, or a declared source that has its columns. */
function baseTable(db: Db, layout: Layout, fts: FtsFacts): string | undefined {
  if (fts.contentTable !== undefined) return fts.contentTable;
  const candidates = layout.sources.flatMap((locator) =>
    locator.how === "column" && isRowid(locator.column) ? (layout.options.neighbours.get(locator.surface) ?? []) : [],
  );
  return candidates.find((table) => {
    const columns = readColumns(db, table);
    return fts.columns.every((name) => columns?.has(name) === true);
  });
}

function requireFts(layout: Layout): FtsFacts {
  if (layout.fts === undefined) throw new TypeError("not an FTS5 layout");
  return layout.fts;
}
