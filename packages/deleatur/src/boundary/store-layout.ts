// What `init` learns of a store's layout, told in facts and never in contents: the interface between the draft and whoever can open a store.

/** What the first values of a column look like, counted. No value is ever carried out of the store. */
export interface ValueFacts {
  /** Non-NULL values that were looked at. */
  readonly seen: number;
  readonly texts: number;
  readonly blobs: number;
  /** The most words in one text. */
  readonly words: number;
  /** Texts that have the shape of an e-mail address. */
  readonly emails: number;
  /** Texts that are JSON arrays of texts or numbers (an array of ids). */
  readonly idArrays: number;
  /** Texts (or BLOBs of UTF-8) that are JSON objects, or arrays of anything else. */
  readonly documents: number;
  /** The one length that all BLOBs have, in bytes; absent where they differ or there is none. */
  readonly blobBytes?: number;
}

export interface ColumnLayout {
  readonly name: string;
  /** As declared; empty where the table declares none. */
  readonly declaredType: string;
  readonly facts: ValueFacts;
  /** Tables in whose key every id that was looked at stands, for columns of ids or of arrays of ids; absent where nobody looked. */
  readonly idsOf?: readonly string[];
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** The referenced columns; the referenced primary key where none is declared. */
  readonly to: readonly string[];
}

/** An FTS5 table: `own` keeps its content, `external` reads it from a table, `none` is contentless. */
type FtsContent =
  | { readonly mode: "own" }
  | { readonly mode: "external"; readonly table: string; readonly rowid: string }
  | { readonly mode: "none" };

interface Named {
  readonly name: string;
  readonly columns: readonly ColumnLayout[];
}

/** One container of a SQLite file. Shadow tables name the virtual table that owns them. */
export type TableLayout =
  | (Named & {
      readonly kind: "table";
      /** In key order; empty where only the rowid identifies a row. */
      readonly primaryKey: readonly string[];
      /** True where SQLite may give the key of a deleted row to a new one: a rowid without AUTOINCREMENT. */
      readonly reusesKeys: boolean;
      readonly foreignKeys: readonly ForeignKey[];
    })
  | (Named & { readonly kind: "fts5"; readonly content: FtsContent })
  | (Named & { readonly kind: "vec0"; readonly vectors: readonly string[]; readonly key: string })
  | (Named & { readonly kind: "shadow"; readonly owner: string })
  | (Named & { readonly kind: "view" | "virtual" });

export interface SqliteLayout {
  readonly type: "sqlite";
  /** Sorted by name; tables of SQLite itself (`sqlite_…`) and of ours (`deleatur_…`) are left out. */
  readonly tables: readonly TableLayout[];
}

/** The tables of one database of a server. */
export interface ServerLayout {
  readonly type: "postgres";
  /** Sorted by name, `schema.table` where that is not `public`; the server's own, those of its extensions and ours are left out. */
  readonly tables: readonly Extract<TableLayout, { readonly kind: "table" }>[];
}

/** Looks into one database of a server, read-only. `name`: how errors call it. Implemented beside the store's client. @throws StoreError, BoundaryError where the client is not installed */
export type InspectServer = (name: string, url: string, signal: AbortSignal) => Promise<ServerLayout>;

export interface FilesLayout {
  readonly type: "jsonl" | "text";
  readonly files: number;
  /** Top-level fields of the lines that were looked at, by name; empty for text. */
  readonly fields: readonly ColumnLayout[];
  /** The values of a top-level `type` field where it has few; they tell a known layout. */
  readonly lineTypes: readonly string[];
}

/** Keys of a Redis database that begin alike. */
export interface KeysLayout {
  readonly type: "redis";
  /** What they begin with, its separator with it: never a part that may name somebody. */
  readonly prefix: string;
  /** As the server calls it: `hash`, `string`. */
  readonly valueType: string;
  readonly keys: number;
  readonly fields: readonly ColumnLayout[];
}

/** Looks into one Redis database. `others`: keys that begin with nothing that is plainly no name. @throws StoreError */
export type InspectKeys = (
  url: string,
  signal: AbortSignal,
) => Promise<{ readonly groups: readonly KeysLayout[]; readonly others: number }>;

/** Looks into one SQLite file, read-only. Implemented beside the store's client. @throws StoreError */
export type InspectSqlite = (file: string, signal: AbortSignal) => Promise<SqliteLayout>;
