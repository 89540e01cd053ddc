// Looks after what a server leaves beside its files: temporary files of a save that was killed, append-only files that a rewrite replaced. Only where its folder is here.
import { readdirSync, readFileSync, readlinkSync, realpathSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Persistence, ServerFiles } from "./persistence.ts";

/** Names that Redis gives to what it is still writing; they bear the number of the process that writes. */
const TEMPORARY = /^temp-(?:rewriteaof-(?:bg-)?)?(?:\d+)(?:\.\d+)?\.(?:rdb|aof)$/;

export interface LeftFiles {
  /** Append-only files that no manifest names any more: the server deletes them behind the scenes. */
  readonly replaced: number;
  /** Append-only files of a server that writes none. */
  readonly abandoned: number;
  readonly temporary: readonly string[];
  readonly hasSnapshot: boolean;
}

/** The folder in which a server of this machine stands. */
export function serversFolder({ files, processId }: Persistence): string | undefined {
  return files !== undefined && isServersOwn(processId, files) ? files.directory : undefined;
}

/** Undefined where the server's folder is not on this machine, or may not be read. */
export function lookForLeftFiles(persistence: Persistence): LeftFiles | undefined {
  const { files, hasAof } = persistence;
  if (files === undefined || serversFolder(persistence) === undefined) return undefined;
  const beside = namesIn(files.directory);
  const appended = files.appendDirectory === undefined ? [] : namesIn(join(files.directory, files.appendDirectory));
  const own = appended.filter((name) => name.startsWith(`${files.appendName}.`));
  const named = hasAof ? namedInManifest(files) : new Set<string>();
  const data = own.filter((name) => name !== `${files.appendName}.manifest`);
  return {
    replaced: hasAof ? data.filter((name) => !named.has(name)).length : 0,
    abandoned: hasAof ? 0 : data.length + beside.filter((name) => name === files.appendName).length,
    temporary: [
      ...beside.filter((name) => TEMPORARY.test(name)).map((name) => join(files.directory, name)),
      ...appended
        .filter((name) => TEMPORARY.test(name))
        .map((name) => join(files.directory, files.appendDirectory ?? "", name)),
    ],
    hasSnapshot: beside.includes(files.snapshot),
  };
}

/** Takes out temporary files; to be asked only while the server writes none. Answers how many could not be taken out. */
export function removeTemporary({ temporary }: LeftFiles): number {
  let left = 0;
  for (const file of temporary) {
    try {
      unlinkSync(file);
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) left += 1;
    }
  }
  return left;
}

/** A path alone proves nothing: the same one may stand on another machine. The server's own process must be here, and stand in that very folder. */
function isServersOwn(processId: number, { directory }: ServerFiles): boolean {
  try {
    return readlinkSync(`/proc/${processId}/cwd`) === realpathSync(directory);
  } catch {
    return false; // the process is not here, or is another's: its folder is not taken for ours to look at
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw cause;
  }
}

function namedInManifest({ directory, appendDirectory = "", appendName }: ServerFiles): ReadonlySet<string> {
  const manifest = namesIn(join(directory, appendDirectory)).includes(`${appendName}.manifest`)
    ? readFileSync(join(directory, appendDirectory, `${appendName}.manifest`), "utf8")
    : "";
  // `type h` is history: written no more, to be deleted.
  const lines = manifest.split("\n").map((line) => /^file (\S+) seq \d+ type ([bih])/.exec(line));
  return new Set(lines.flatMap((line) => (line === null || line[2] === "h" ? [] : [line[1] ?? ""])));
}
