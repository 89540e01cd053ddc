// The markers of the ledgers that manage a folder: an empty file of ours for each, whose name bears a random id. Without a right to write there is none.
import { readdir, unlink, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { entriesBelow } from "../entries-below.ts";
import { fileCode, fileError } from "../file-errors.ts";
import { type FilesStore, MARKER_FILE } from "../options.ts";

const UNWRITABLE: readonly string[] = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"];

/** A store that is one file shares its folder with others, so its marker bears the file's name as well. */
function markerName({ single }: FilesStore, ledger: string): string {
  return single === undefined ? `.deleatur-ledger-${ledger}` : `.deleatur-ledger-${ledger}.${single}`;
}

export async function markFolder(store: FilesStore, ledger: string): Promise<"marked" | "unmarked"> {
  try {
    await writeFile(join(store.directory, markerName(store, ledger)), "", { flag: "wx" });
    return "marked";
  } catch (cause) {
    const code = fileCode(cause);
    if (code === "EEXIST") return "marked";
    if (code !== undefined && UNWRITABLE.includes(code)) return "unmarked";
    throw fileError(cause, store);
  }
}

interface Marker {
  readonly ledger: string;
  readonly path: string;
}

/** Markers of the folder and of what is below it, as far as they are about files that this store means. */
async function markersOf(store: FilesStore): Promise<readonly Marker[]> {
  try {
    const entries =
      store.single === undefined
        ? entriesBelow(store.directory)
        : await readdir(store.directory, { withFileTypes: true });
    return entries.flatMap((entry): readonly Marker[] => {
      const [, ledger, file] = MARKER_FILE.exec(entry.name) ?? [];
      if (ledger === undefined) return [];
      const marker = { ledger, path: join(entry.parentPath, entry.name) };
      if (file === undefined) return [marker];
      const meant = relative(store.directory, join(entry.parentPath, file)).split(sep).join("/");
      return (store.single === undefined ? store.matches(meant) : meant === store.single) ? [marker] : [];
    });
  } catch (cause) {
    throw fileError(cause, store);
  }
}

export async function readMarkers(store: FilesStore): Promise<readonly string[]> {
  return [...new Set((await markersOf(store)).map(({ ledger }) => ledger))].toSorted();
}

export async function unmarkFolder(store: FilesStore, ledgers: readonly string[]): Promise<void> {
  for (const { ledger, path } of await markersOf(store)) {
    if (!ledgers.includes(ledger)) continue;
    await unlink(path).catch((cause: unknown) => {
      if (fileCode(cause) !== "ENOENT") throw fileError(cause, store);
    });
  }
}
