// Drafts the virtual tables of a SQLite file: full-text indexes and vec0 tables, each with what it seems to be made from.
import type { DraftEntry } from "./draft-entry.ts";
import { oneOrList, sourceByName, type Scene } from "./draft-scene.ts";
import { stem } from "./guess-columns.ts";
import type { TableLayout } from "./store-layout.ts";

type FtsTable = Extract<TableLayout, { readonly kind: "fts5" }>;
type VecTable = Extract<TableLayout, { readonly kind: "vec0" }>;

/** Drafts a full-text index: what it indexes, by its external content, by a column, or by its name. */
export function draftFts(table: FtsTable, scene: Scene): DraftEntry {
  const { content } = table;
  const base = scene.tables.find((candidate) =>
    content.mode === "external" ? candidate.name === content.table : stem(candidate.name) === stem(table.name),
  );
  const named =
    content.mode === "own"
      ? table.columns.map((column) => sourceByName(column, table, scene)).find((source) => source !== undefined)
      : undefined;
  const source = named ?? (base === undefined ? undefined : { surface: scene.idOf(base.name), column: "rowid" });
  const sourceColumn = named !== undefined && "column" in named ? named.column : undefined;
  const texts =
    content.mode === "own"
      ? table.columns.map(({ name }) => name).filter((name) => name !== sourceColumn && !/_?id$/i.test(name))
      : [];
  const joinsByRowid =
    base === undefined ||
    base.primaryKey.length === 0 ||
    (content.mode === "external" && base.primaryKey[0] === content.rowid);
  return {
    id: scene.idOf(table.name),
    input: {
      kind: "sqlite-fts",
      role: "index",
      store: scene.store,
      table: table.name,
      content: oneOrList(texts),
      derivedFrom: source,
    },
    decide: {
      ...(source === undefined ? { entry: "what is this index made from? add derivedFrom" } : {}),
      ...(source !== undefined && named === undefined && !joinsByRowid
        ? { derivedFrom: "the rowid must be the key of that surface" }
        : {}),
    },
  };
}

/** Drafts a vec0 table; further vector columns are left to the person. */
export function draftVec(table: VecTable, scene: Scene): readonly DraftEntry[] {
  const [vector, ...more] = table.vectors;
  if (vector === undefined) return [];
  const named = table.columns
    .map((column) => (column.name === table.key ? undefined : sourceByName(column, table, scene)))
    .find((source) => source !== undefined);
  const base = scene.tables.find((candidate) => stem(candidate.name) === stem(table.name));
  const source = named ?? (base === undefined ? undefined : { surface: scene.idOf(base.name), column: table.key });
  const others = more.length === 0 ? "" : `; it has further vectors: ${more.join(", ")}`;
  return [
    {
      id: scene.idOf(table.name),
      input: {
        kind: "sqlite-vec",
        role: "index",
        store: scene.store,
        table: table.name,
        key: table.key,
        keys: "reusable",
        vector,
        derivedFrom: source,
      },
      decide:
        source === undefined
          ? { entry: `what are these vectors made from? add derivedFrom${others}` }
          : { derivedFrom: `is this the key of what was embedded?${others}` },
    },
  ];
}
