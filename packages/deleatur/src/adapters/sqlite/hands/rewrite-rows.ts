// Sets content, sources and subjects of rows to what is given, and reads each back before it counts as rewritten. It never creates a row.
import type { Artifact, ContentField, Rewritten } from "../../../model/artifact.ts";
import { foldIdentifier, type SubjectIdentifier } from "../../../model/ids.ts";
import { quoteName } from "../options.ts";
import { isRowRefusal, refusalReason } from "../store-errors.ts";
import { underSavepoint, type Db } from "./connect.ts";
import { bareColumn } from "./erase-rows.ts";
import { guardAgainstCopies } from "./hush-copies.ts";
import { keepIndexesInStep } from "./index-step.ts";
import { withoutIdentifiers, withSourceKeys } from "./json-places.ts";
import { keyCondition } from "./key-condition.ts";
import type { Join, Layout } from "./layout.ts";
import { createRowReader, type Row, type RowReader } from "./row-reader.ts";
import { inErasingTransaction } from "./store-marker.ts";
import { isSameValue, textOfValue, valueOfField, type SqlValue } from "./values.ts";

/** Why a replacement cannot be stored; the step that throws it is rolled back. */
class Unstorable extends Error {}

export function rewriteRows(
  db: Db,
  layout: Layout,
  replacements: readonly Artifact[],
  signal: AbortSignal,
): readonly Rewritten[] {
  signal.throwIfAborted();
  return inErasingTransaction(db, () => {
    const reader = createRowReader(db, layout);
    const guard = guardAgainstCopies(db, layout.options.table);
    const keeper = keepIndexesInStep(db, layout);
    return replacements.map((wanted): Rewritten => {
      const ref = { surface: layout.options.surface, key: wanted.key };
      try {
        return {
          ...ref,
          outcome: underSavepoint(db, () => {
            const rows = reader.rowsOf(wanted.key);
            const row = rows[0];
            if (row === undefined) return "absent";
            if (rows.length > 1) throw new Unstorable("several rows share this key");
            guard?.name([...row.values.values()].filter((value) => isReplaced(value, wanted)));
            rewriteOne(db, layout, row, wanted, keeper);
            requireReadBack(reader, wanted);
            return "rewritten";
          }),
        };
      } catch (cause) {
        if (cause instanceof Unstorable) return { ...ref, outcome: "failed", why: cause.message };
        if (!isRowRefusal(cause)) throw cause;
        return { ...ref, outcome: "failed", why: refusalReason(cause) };
      } finally {
        guard?.name([]);
      }
    });
  });
}

function rewriteOne(
  db: Db,
  layout: Layout,
  row: Row,
  wanted: Artifact,
  keeper: ReturnType<typeof keepIndexesInStep>,
): void {
  const changes = new Map<string, SqlValue>();
  const valueOf = (name: string): SqlValue =>
    changes.get(name) ?? (changes.has(name) ? null : (row.values.get(name) ?? null));
  const set = (name: string, value: SqlValue): void => {
    changes.set(name, value);
  };
  setContent(layout, wanted.content, valueOf, set);
  setSubjects(db, layout, row, wanted.subjects, valueOf, set);
  setSources(db, layout, row, wanted, valueOf, set);
  const changed = [...changes].filter(([name, value]) => !isSameValue(value, row.values.get(name) ?? null));
  const found = keyCondition(layout, bareColumn)(wanted.key);
  if (changed.length === 0 || found === undefined) return;
  const assignments = changed.map(([name]) => `${quoteName(name)} = ?`).join(", ");
  const update = db.prepare<SqlValue[]>(
    `UPDATE ${quoteName(layout.options.table)} SET ${assignments} WHERE ${found.sql}`,
  );
  keeper.aroundUpdate(found.sql, found.parameters, () => {
    update.run(...changed.map(([, value]) => value), ...found.parameters);
  });
}

type ValueOf = (name: string) => SqlValue;
type SetValue = (name: string, value: SqlValue) => void;

function setContent(layout: Layout, content: readonly ContentField[], valueOf: ValueOf, set: SetValue): void {
  const names = layout.vector === undefined ? layout.content : [...layout.content, layout.vector];
  const byName = new Map(content.map((field) => [field.name, field]));
  if ([...byName.keys()].some((name) => !names.includes(name))) throw new Unstorable("a content field has no column");
  for (const name of names) {
    const field = byName.get(name);
    set(name, field === undefined ? null : valueOfField(field, valueOf(name)));
  }
}

function setSubjects(
  db: Db,
  layout: Layout,
  row: Row,
  wanted: readonly SubjectIdentifier[],
  valueOf: ValueOf,
  set: SetValue,
): void {
  const isWanted = (type: string, text: string): boolean => {
    const folded = foldIdentifier(type, text);
    return wanted.some((identifier) => identifier.type === folded.type && identifier.value === folded.value);
  };
  const present = new Set(row.artifact.subjects.map(({ type, value }) => JSON.stringify([type, value])));
  const added = wanted.filter(({ type, value }) => !present.has(JSON.stringify([type, value])));
  for (const locator of layout.subjects) {
    switch (locator.how) {
      case "column": {
        const text = textOfValue(valueOf(locator.column));
        if (text === undefined || isWanted(locator.type, text)) break;
        const next = added.findIndex(({ type }) => type === locator.type);
        set(locator.column, next === -1 ? null : (added.splice(next, 1)[0]?.value ?? null));
        break;
      }
      case "json": {
        const left = withoutIdentifiers(valueOf(locator.column), locator.path, (text) => isWanted(locator.type, text));
        if (left !== undefined) set(locator.column, left);
        break;
      }
      case "segment":
        // The key stays what it is; the reading back refuses where a person stands in it who must go.
        break;
      case "via":
        removeJoined(db, locator.join, row, (text) => isWanted(locator.type, text));
        break;
    }
  }
}

function setSources(db: Db, layout: Layout, row: Row, wanted: Artifact, valueOf: ValueOf, set: SetValue): void {
  for (const locator of layout.sources) {
    const keys: readonly string[] = wanted.sources
      .filter(({ surface }) => surface === locator.surface)
      .map(({ key }) => key);
    switch (locator.how) {
      case "column": {
        const text = textOfValue(valueOf(locator.column));
        if (text === undefined || keys.includes(text)) break;
        set(locator.column, keys[0] ?? null);
        break;
      }
      case "json":
        if (valueOf(locator.column) !== null || keys.length > 0)
          set(locator.column, withSourceKeys(valueOf(locator.column), keys));
        break;
      case "via":
        removeJoined(db, locator.join, row, (text) => keys.includes(text));
        break;
    }
  }
}

function removeJoined(db: Db, join: Join, row: Row, isKept: (text: string) => boolean): void {
  const link = row.values.get(join.link) ?? null;
  const table = quoteName(join.table);
  const joined = db
    .prepare<[SqlValue], [SqlValue]>(
      `SELECT DISTINCT ${quoteName(join.column)} FROM ${table} WHERE ${quoteName(join.on)} = ?`,
    )
    .raw(true)
    .all(link);
  const going = joined
    .map(([value]) => value)
    .filter((value) => {
      const text = textOfValue(value);
      return text !== undefined && !isKept(text);
    });
  if (going.length === 0) return;
  if (!join.isOwned) throw new Unstorable("the row that names the person is shared with other records");
  const remove = db.prepare<[SqlValue, SqlValue]>(
    `DELETE FROM ${table} WHERE ${quoteName(join.on)} = ? AND ${quoteName(join.column)} IS ?`,
  );
  for (const value of going) remove.run(link, value);
}

/** Nothing counts as rewritten that does not read back as asked (a trigger, an affinity or a key may have had its own way). */
function requireReadBack(reader: RowReader, wanted: Artifact): void {
  const found = reader.rowsOf(wanted.key)[0]?.artifact;
  if (found === undefined) throw new Unstorable("the row is not there after the rewrite");
  const isSameSet = (part: (artifact: Artifact) => readonly string[]): boolean =>
    JSON.stringify(part(found).toSorted()) === JSON.stringify(part(wanted).toSorted());
  if (!isSameSet(({ subjects }) => subjects.map(({ type, value }) => JSON.stringify([type, value]))))
    throw new Unstorable("the persons it names cannot be set to what is asked");
  if (!isSameSet(({ sources }) => sources.map(({ surface, key }) => JSON.stringify([surface, key]))))
    throw new Unstorable("its sources cannot be set to what is asked");
  if (!isSameSet(({ content }) => content.map(fieldIdentity)))
    throw new Unstorable("its content reads back otherwise than it was written");
}

function fieldIdentity(field: ContentField): string {
  switch (field.type) {
    case "text":
      return JSON.stringify([field.name, "text", field.text]);
    case "bytes":
      return JSON.stringify([field.name, "bytes", Buffer.from(field.bytes).toString("base64")]);
    case "vector":
      return JSON.stringify([
        field.name,
        "vector",
        Buffer.from(field.vector.buffer, field.vector.byteOffset, field.vector.byteLength).toString("base64"),
      ]);
    default:
      return field satisfies never;
  }
}

function isReplaced(value: SqlValue, wanted: Artifact): boolean {
  return typeof value !== "string" || !wanted.content.some((field) => field.type === "text" && field.text === value);
}
