// Reads the files of a store as they lie there, for the probes: its own listing and its own reading, nothing shared with what erases.
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { fileCode, fileError } from "../file-errors.ts";
import { type FilesStore, TEMP_FILE } from "../options.ts";

export interface SeenFile {
  /** Relative to the store's folder, with `/`. */
  readonly path: string;
  readonly absolute: string;
  readonly name: string;
}

/** The files of a store that the glob means, and what an unfinished rewrite left beside them. @throws StoreError */
export function seeFiles(store: FilesStore): readonly SeenFile[] {
  try {
    return filesBelow(store.directory, store.single === undefined)
      .map((absolute) => ({
        absolute,
        path: relative(store.directory, absolute).split(sep).join("/"),
        name: basename(absolute),
      }))
      .filter(({ path, name, absolute }) => (store.matches(path) || TEMP_FILE.test(name)) && isRegular(absolute));
  } catch (cause) {
    throw fileError(cause, store.name);
  }
}

/** What stands beside the declared files under one name: a file, or all that is below a link to a folder. @throws StoreError */
export function seeBeside(store: FilesStore, path: string): readonly SeenFile[] {
  const absolute = `${store.directory}/${path}`;
  try {
    if (!statSync(absolute).isDirectory()) return [{ path, absolute, name: basename(path) }];
    return filesBelow(absolute, true)
      .filter(isRegular)
      .map((file) => ({ path: relative(store.directory, file), absolute: file, name: basename(file) }));
  } catch (cause) {
    throw fileError(cause, store.name, path);
  }
}

/** Files and links. No link to a folder is followed: Node's own recursion does so from version 22 on, forty times round in a circle. */
function filesBelow(folder: string, deep: boolean): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return deep ? filesBelow(path, deep) : [];
    return entry.isFile() || entry.isSymbolicLink() ? [path] : [];
  });
}

function isRegular(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (cause) {
    // A link that leads nowhere or in a circle, or a file that is gone by now.
    if (fileCode(cause) === "ENOENT" || fileCode(cause) === "ELOOP") return false;
    throw cause;
  }
}

const CHUNK = 1 << 20;

/** A file in pieces; each piece starts with the last `overlap` bytes of the one before. */
export function* seePieces(
  file: SeenFile,
  store: string,
  size: number,
  overlap: number,
  signal: AbortSignal,
): Generator<Buffer> {
  let fd: number | undefined;
  try {
    fd = openSync(file.absolute, "r");
    for (let position = 0; ;) {
      signal.throwIfAborted();
      const piece = Buffer.allocUnsafe(size);
      let length = 0;
      for (let read = -1; read !== 0 && length < size; length += read) {
        read = readSync(fd, piece, length, Math.min(CHUNK, size - length), position + length);
      }
      if (length > 0) yield piece.subarray(0, length);
      if (length < size) return;
      position += size - overlap;
    }
  } catch (cause) {
    throw fileError(cause, store, file.path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export interface SeenLine {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Every line of a file, without its line end, whatever stands in it. */
export function* seeLines(file: SeenFile, store: string, signal: AbortSignal): Generator<SeenLine> {
  let rest: Buffer[] = [];
  let number = 0;
  for (const piece of seePieces(file, store, CHUNK, 0, signal)) {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      rest.push(piece.subarray(from, end));
      yield { number: ++number, bytes: Buffer.concat(rest) };
      rest = [];
      from = end + 1;
    }
    if (from < piece.length) rest.push(Buffer.from(piece.subarray(from)));
  }
  if (rest.length > 0) yield { number: ++number, bytes: Buffer.concat(rest) };
}
