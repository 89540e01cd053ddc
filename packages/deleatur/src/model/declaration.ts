// The declared boundary as plain types: what boundary/ parses from YAML or `defineBoundary`, and what adapters are handed. No I/O.
import type { SurfaceId } from "./ids.ts";

/** The kinds that ship; another is one that was given to `openDeleatur`, or a BoundaryError that names those that exist. */
export const SURFACE_KINDS = [
  "sqlite",
  "sqlite-fts",
  "sqlite-vec",
  "postgres",
  "jsonl",
  "text",
  "redis",
  "provider-cache",
  "backup",
  "in-process",
] as const;
/** Kinds of copies that nobody here can reach: nothing to connect to, nothing to scan. */
export const OUT_OF_REACH_KINDS: ReadonlySet<string> = new Set<SurfaceKindName>(["provider-cache", "backup"]);
/** How a kind may be called. */
export const KIND_NAME: RegExp = /^[a-z][a-z0-9-]{0,63}$/;
export type SurfaceKindName = (typeof SURFACE_KINDS)[number];

export const SURFACE_ROLES = ["primary", "derived", "index", "cache", "transcript", "log", "backup"] as const;
export type SurfaceRole = (typeof SURFACE_ROLES)[number];

export type Writers = "sdk" | "trigger" | "foreign";
export type SharedPolicy = "destroy" | "redact" | "rederive";

/** Where an artifact names its person. `json` is `column.path.to.value`; `segment` counts from 0 in the key split at `sep`; `via` joins a table. */
export type SubjectLocator = { readonly type: string } & (
  | { readonly column: string }
  | { readonly field: string }
  | { readonly json: string }
  | { readonly segment: number; readonly of: "key"; readonly sep: string }
  | { readonly via: string; readonly on: string; readonly column: string }
);

/** Where an artifact names its sources. `as: json` is a JSON array of keys (an array inside it is a composite key); `via` joins a table. */
export type SourceLocator = { readonly surface: SurfaceId } & (
  | { readonly column: string; readonly as?: "key" | "json" }
  | { readonly field: string; readonly as?: "key" | "json" }
  | { readonly via: string; readonly on: string; readonly column: string }
);

export const REDIS_UNITS = ["key", "entry", "field"] as const;
export type RedisUnit = (typeof REDIS_UNITS)[number];

export interface ContentLocator {
  /** A column, or a dotted field path in JSONL and Redis. */
  readonly column: string;
  readonly as: "text" | "json" | "msgpack";
}

/** Two columns of one row that name the same person by two identifier types. */
export interface IdentifierMapping {
  readonly from: { readonly column: string; readonly type: string };
  readonly to: { readonly column: string; readonly type: string };
}

export interface Horizon {
  /** Longest time a copy lives, in whole seconds; absent: unbounded. */
  readonly maxSeconds?: number;
  readonly basis: string;
  /** Declared as `ttl`: the store sets it on every record, and each scan reads back whether it does. */
  readonly isReadBack?: true;
}

export interface Keep {
  readonly ground: string;
  /** ISO date. */
  readonly until: string;
}

export type Rederive = string | { readonly command: readonly string[] } | { readonly http: string };

export interface PurgePolicy {
  readonly window?: string;
  readonly method: "auto" | "vacuum" | "checkpoint";
}

/** One declared surface, defaults filled in. Members that its kind does not use are absent. */
export interface SurfaceDeclaration {
  readonly id: SurfaceId;
  /** One of those that ship, or of those that were given from outside. */
  readonly kind: string;
  readonly role: SurfaceRole;
  readonly label: string;
  /** The name of its connection under `connect`; absent for kinds out of reach and in-process. */
  readonly store?: string;
  /** Table name (SQLite kinds). */
  readonly table?: string;
  /** Which keys of a Redis database, as a pattern of its own `MATCH`; a declared prefix stands in it escaped. */
  readonly pattern?: string;
  /** What an artifact is under such a key (Redis): the key itself, an entry of a stream, a field of a hash. */
  readonly each?: RedisUnit;
  /** `none`: the server is said to write no files (Redis), which is held against it. */
  readonly persistence?: "none";
  /** Key columns or field in declared order; `["rowid"]` where none is given for FTS. Empty for `text` (the key is the relative path), redis (the key is the store's own), kinds out of reach and in-process. */
  readonly key: readonly string[];
  /** `reusable`: the store may give the key of an erased artifact to a new one (rowids without AUTOINCREMENT). */
  readonly keys: "unique" | "reusable";
  readonly subject: readonly SubjectLocator[];
  readonly content: readonly ContentLocator[];
  /** Vector column (sqlite-vec, or a float32 BLOB column of a table). */
  readonly vector?: string;
  readonly derivedFrom: readonly SourceLocator[];
  readonly shared?: SharedPolicy;
  readonly rederive?: Rederive;
  readonly maps: readonly IdentifierMapping[];
  readonly writers: Writers;
  readonly horizon?: Horizon;
  readonly horizonLimitSeconds?: number;
  /** A backup: the stores (names under `connect`) that it is a copy of, with what they archive. */
  readonly of?: readonly string[];
  readonly keep?: Keep;
  readonly purge: PurgePolicy;
  /** Further stores (names under `connect`) that hold the same surface. */
  readonly replicas: readonly string[];
}

export type ExemptionKind = "audit-log" | "shredded-medium" | "non-recoverable";

export interface Exemption {
  readonly name: string;
  readonly kind: ExemptionKind;
  readonly ground: string;
  readonly store?: string;
  readonly table?: string;
  readonly mechanism?: string;
  readonly epsilon?: number;
  readonly reference?: string;
}

/** A server's address, credentials and all, and its own data folder where that can be read from here. */
export interface ServerConnection {
  /** `server`: of any other scheme, for a kind that does not ship. */
  readonly type: "postgres" | "redis" | "server";
  readonly name: string;
  readonly url: string;
  readonly data?: string;
}

/** A resolved connection: `file` for SQLite, `path` for a glob of files, both absolute; `url` for a server. Never digested, never published, never in a message. */
export type StoreConnection =
  | ServerConnection
  | { readonly type: "sqlite"; readonly name: string; readonly file: string }
  | { readonly type: "files"; readonly name: string; readonly glob: string };

/** The whole boundary, validated. */
export interface Boundary {
  readonly version: 1;
  readonly id: string;
  /** Identifier types, sorted. */
  readonly identifiers: readonly string[];
  /** Sorted by the UTF-8 bytes of their id. */
  readonly surfaces: readonly SurfaceDeclaration[];
  /** Sorted by name. */
  readonly exempt: readonly Exemption[];
  readonly census: { readonly include: readonly string[]; readonly quiet: readonly string[] };
  /** Within how many seconds a watch must have looked at a surface with foreign writers; absent: nothing counts as watched. Never published. */
  readonly watchSeconds?: number;
  /** After how many seconds the do-not-store entries of a request may be taken out as expired; absent: never. Never published. */
  readonly guardSeconds?: number;
  readonly connect: {
    readonly ledger: string;
    /** The file that the ledger is anchored in, outside the stores' backup set (GUARD-5). */
    readonly anchor?: string;
    readonly stores: ReadonlyMap<string, StoreConnection>;
  };
  /** Where the declaration stands, for errors and for relative paths. */
  readonly source: {
    readonly file: string | undefined;
    readonly directory: string;
    /** Of a file, the lines of its surfaces (`surfaces.episodes`) and of their fields (`surfaces.episodes.table`). */
    readonly lines?: ReadonlyMap<string, number>;
  };
}
