// What a surface of files is opened with: its declaration narrowed to folders and field paths. Pure; hands and eyes share this and nothing that reads a store.
import { basename, dirname, resolve } from "node:path";
import type { ContentLocator, SurfaceDeclaration } from "../../model/declaration.ts";
import { BoundaryError } from "../../model/errors.ts";
import type { SurfaceId } from "../../model/ids.ts";
import type { SurfaceEntry } from "../../surface.ts";
import { parseFileGlob } from "./file-glob.ts";

export interface FilesStore {
  readonly name: string;
  /** The fixed folder of the glob. */
  readonly directory: string;
  /** The one file that is meant, where the glob has no wildcard. */
  readonly single: string | undefined;
  /** Whether a path relative to `directory` belongs to the surface. */
  readonly matches: (path: string) => boolean;
  /** Whether files of any depth belong to it. */
  readonly isDeep: boolean;
  readonly canaryPath: (name: string) => string | undefined;
  /** Whether a file that the glob does not match is none of this store's concern: another declared store, the ledger, the boundary file. */
  readonly isForeign: (path: string) => boolean;
  /** The same of a folder, which a glob of files never means: only what belongs to the ledger or to a database is none of this store's concern. */
  readonly isForeignFolder: (path: string) => boolean;
}

/** Where a line names its person: a field, or a part of the key. */
type FileSubject = { readonly type: string } & (
  { readonly path: string } | { readonly segment: number; readonly sep: string }
);

export interface FileSource {
  readonly surface: SurfaceId;
  readonly path: string;
  readonly as: "key" | "json";
}

export interface FilesOptions {
  readonly kind: "jsonl" | "text";
  readonly surface: SurfaceId;
  readonly declaration: SurfaceDeclaration;
  /** The surface's own store first, then replicas. */
  readonly stores: readonly [FilesStore, ...FilesStore[]];
  /** Field paths of the key; empty for text. */
  readonly key: readonly string[];
  readonly subjects: readonly FileSubject[];
  readonly sources: readonly FileSource[];
  readonly content: readonly ContentLocator[];
  readonly vector: string | undefined;
}

/** Files of ours beside the store's: a rewrite in the making, and the lock of who makes it. */
export const TEMP_FILE: RegExp = /^\.deleatur-(\d+)-[0-9a-f]+\.tmp$/;
/** Stands in the name of every file that is created for a canary. */
export const CANARY_FILE: RegExp = /deleatur-canary/;
/** The marker of a ledger that manages the folder, or one file in it. */
export const MARKER_FILE: RegExp = /^\.deleatur-ledger-([0-9a-f]{32})(?:\.(.+))?$/;
export const LOCK_FILE: RegExp = /^\.deleatur-.*\.lock(?:\.(?<pid>\d+)-[0-9a-f]+)?$/;

/** Narrows a declaration of kind `jsonl` or `text`. @throws BoundaryError */
export function parseFilesOptions(kind: "jsonl" | "text", entry: SurfaceEntry): FilesOptions {
  const { declaration } = entry;
  const [own, ...replicas] = parseStores(entry);
  if (own === undefined) throw unfit(entry, "store", "STORE_NOT_GIVEN", "names no store, add store");
  if (kind === "jsonl" && declaration.key.length === 0)
    throw unfit(entry, "key", "KEY_NOT_GIVEN", "names no key, add key (a field or a list)");
  if (kind === "text" && declaration.derivedFrom.length > 0)
    throw unfit(entry, "derivedFrom", "LOCATOR_UNFIT", "says where sources stand, a text file has no fields");
  if (declaration.content.some(({ as }) => as === "msgpack"))
    throw unfit(entry, "content", "LOCATOR_UNFIT", "has content as msgpack, files hold text or json");
  return {
    kind,
    surface: declaration.id,
    declaration,
    stores: [own, ...replicas],
    key: kind === "text" ? [] : declaration.key,
    subjects: declaration.subject.map((locator): FileSubject => {
      if ("via" in locator) throw unfit(entry, "subject", "LOCATOR_UNFIT", "joins a table, files have none");
      if ("segment" in locator) return { type: locator.type, segment: locator.segment, sep: locator.sep };
      if (kind === "text")
        throw unfit(entry, "subject", "LOCATOR_UNFIT", "names a field, a text file has only segments of its key");
      const path = "field" in locator ? locator.field : "json" in locator ? locator.json : locator.column;
      return { type: locator.type, path };
    }),
    sources: declaration.derivedFrom.map((locator): FileSource => {
      if ("via" in locator) throw unfit(entry, "derivedFrom", "LOCATOR_UNFIT", "joins a table, files have none");
      return {
        surface: locator.surface,
        path: "field" in locator ? locator.field : locator.column,
        as: locator.as ?? "key",
      };
    }),
    content: kind === "text" ? [] : declaration.content,
    vector: kind === "text" ? undefined : declaration.vector,
  };
}

function unfit({ declaration, boundary }: SurfaceEntry, field: string, code: string, what: string): BoundaryError {
  const file = boundary.source.file === undefined ? {} : { file: boundary.source.file };
  return new BoundaryError(code, `surface ${declaration.id} of kind ${declaration.kind} ${what}`, {
    place: { surface: declaration.id, field, ...file },
  });
}

function parseStores(entry: SurfaceEntry): readonly FilesStore[] {
  const { boundary } = entry;
  const own = [boundary.connect.ledger, ...(boundary.source.file === undefined ? [] : [boundary.source.file])];
  for (const store of boundary.connect.stores.values()) if (store.type === "sqlite") own.push(store.file);
  const foreign = own.map((file) => resolve(file));
  const isOurs = (absolute: string): boolean => foreign.some((file) => belongsTo(absolute, file));
  const globs = [...boundary.connect.stores.values()].flatMap((store) =>
    store.type === "files" ? [{ name: store.name, glob: parseFileGlob(store.glob) }] : [],
  );
  return entry.connections.map((connection): FilesStore => {
    if (connection.type !== "files")
      throw unfit(entry, "store", "STORE_UNFIT", "has a store that is no path, give it as { path: ... }");
    const { directory, single, matches, isDeep, canaryPath } = parseFileGlob(connection.glob);
    return {
      name: connection.name,
      directory,
      single,
      matches,
      isDeep,
      canaryPath,
      isForeignFolder: (path) => isOurs(resolve(directory, path)),
      isForeign(path) {
        const absolute = resolve(directory, path);
        if (isOurs(absolute)) return true;
        return globs.some(({ glob }) => {
          const folder = glob.directory === "/" ? "/" : `${glob.directory}/`;
          return absolute.startsWith(folder) && glob.matches(absolute.slice(folder.length));
        });
      },
    };
  });
}

/** A database's own file, its -wal, -shm and -journal, and the key files that stand beside a ledger. */
function belongsTo(path: string, file: string): boolean {
  if (path === file) return true;
  return (
    dirname(path) === dirname(file) &&
    /^(?:-wal|-shm|-journal|\.keys?)$/.test(basename(path).slice(basename(file).length)) &&
    path.startsWith(file)
  );
}
