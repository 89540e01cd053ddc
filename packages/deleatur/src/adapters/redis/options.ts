// What a Redis surface is opened with: its declaration narrowed to servers, a pattern of keys and field paths. Pure; hands and eyes share this and nothing that reads a store.
import type { Boundary, ContentLocator, RedisUnit, SurfaceDeclaration } from "../../model/declaration.ts";
import { BoundaryError } from "../../model/errors.ts";
import type { SurfaceId } from "../../model/ids.ts";
import type { SurfaceEntry } from "../../surface.ts";
import { keyGlob } from "./key-glob.ts";

/** One database of one server. */
export interface RedisStore {
  readonly name: string;
  /** With credentials, where there are any: it is never repeated. */
  readonly url: string;
  readonly database: number;
  /** The server's own folder, where it is reached from here by another path than the server's. */
  readonly data: string | undefined;
}

type RedisSubject = { readonly type: string } & (
  { readonly path: string } | { readonly segment: number; readonly sep: string }
);

export interface RedisSource {
  readonly surface: SurfaceId;
  readonly path: string;
  readonly as: "key" | "json";
}

export interface RedisOptions {
  readonly surface: SurfaceId;
  readonly declaration: SurfaceDeclaration;
  readonly boundary: Boundary;
  /** The surface's own store first, then replicas. */
  readonly stores: readonly [RedisStore, ...RedisStore[]];
  readonly pattern: string;
  /** Whether a key matches the pattern; made once, asked of each key. */
  readonly isMeant: (key: Uint8Array) => boolean;
  readonly each: RedisUnit;
  readonly subjects: readonly RedisSubject[];
  readonly sources: readonly RedisSource[];
  /** None: all that is no person, source or vector is content. */
  readonly content: readonly ContentLocator[];
  readonly vector: string | undefined;
}

/** The keys under which ledgers leave their markers; the value is always the same. */
export const MARKER_KEY: RegExp = /^deleatur:ledger:([0-9a-f]{32})$/;
export const MARKER_VALUE = "1";

/** The hash in which each request whose fence stands has noted the server that it was raised on. */
export const FENCE_KEY = "deleatur:fence";

/** Whether a hash under that name holds nothing but such notes; `texts`: fields and values, in turns. */
export function isFenceNotes(texts: readonly string[]): boolean {
  const shapes = [/^[0-9a-f]{32}$/, /^[0-9a-f]{40}(?: \d+:\d+)?$/];
  return texts.length > 0 && texts.every((text, at) => shapes[at % 2]?.test(text) === true);
}

/** What the whole of a string, or of an item of a list or a set, is called as a field. */
export const WHOLE = "value";

/** Narrows a declaration of kind `redis`. @throws BoundaryError */
export function parseRedisOptions(entry: SurfaceEntry): RedisOptions {
  const { declaration, boundary } = entry;
  const [own, ...replicas] = entry.connections.map((connection): RedisStore => {
    if (connection.type !== "redis")
      throw unfit(entry, "store", "STORE_UNFIT", "has a store that is no Redis server, give it as { url: redis://… }");
    const { name, url, data } = connection;
    return { name, url, database: databaseOf(url), data };
  });
  if (own === undefined) throw unfit(entry, "store", "STORE_NOT_GIVEN", "names no store, add store");
  if (declaration.pattern === undefined)
    throw unfit(entry, "prefix", "KEY_NOT_GIVEN", "names no keys, add prefix or pattern");
  return {
    surface: declaration.id,
    declaration,
    boundary,
    stores: [own, ...replicas],
    pattern: declaration.pattern,
    isMeant: keyGlob(declaration.pattern),
    each: declaration.each ?? "key",
    subjects: declaration.subject.map((locator): RedisSubject => {
      if ("via" in locator) throw unfit(entry, "subject", "LOCATOR_UNFIT", "joins a table, Redis has none");
      if ("segment" in locator) return { type: locator.type, segment: locator.segment, sep: locator.sep };
      const path = "field" in locator ? locator.field : "json" in locator ? locator.json : locator.column;
      return { type: locator.type, path };
    }),
    sources: declaration.derivedFrom.map((locator): RedisSource => {
      if ("via" in locator) throw unfit(entry, "derivedFrom", "LOCATOR_UNFIT", "joins a table, Redis has none");
      return {
        surface: locator.surface,
        path: "field" in locator ? locator.field : locator.column,
        as: locator.as ?? "key",
      };
    }),
    content: declaration.content,
    vector: declaration.vector,
  };
}

function databaseOf(url: string): number {
  return Number(new URL(url).pathname.slice(1) || "0");
}

function unfit({ declaration, boundary }: SurfaceEntry, field: string, code: string, what: string): BoundaryError {
  const file = boundary.source.file === undefined ? {} : { file: boundary.source.file };
  return new BoundaryError(code, `surface ${declaration.id} of kind redis ${what}`, {
    place: { surface: declaration.id, field, ...file },
  });
}

/** The value of a segment of a spelled key; undefined where there is none. */
export function segmentOf(key: string, { segment, sep }: { segment: number; sep: string }): string | undefined {
  return key.split(sep)[segment] || undefined;
}
