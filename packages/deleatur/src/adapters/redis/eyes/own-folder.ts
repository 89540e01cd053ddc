// Tells whether a folder is the one that a server writes now: a copy of an earlier day has the same files and shows nothing of what should be gone. It reads sizes and times alone.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { seeFacts, seeParameter, type Sight } from "./see-server.ts";

const TRIES = 5;
const PAUSE_MS = 100;
/** The server notes the time when its child has ended. */
const SAVE_MS = 5_000;

/** False where the server's own counts contradict the folder; one of which nothing was written yet cannot be told from another. @throws StoreError */
export async function isOwnFolder(sight: Sight, folder: string, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    if (await isAlike(sight, folder)) return true;
    // A file is put in the place of another between two looks.
    if (tries === TRIES) return false;
    await wait(PAUSE_MS, undefined, { signal });
  }
}

async function isAlike(sight: Sight, folder: string): Promise<boolean> {
  const before = await seeFacts(sight, "persistence");
  if (before.get("aof_enabled") === "1") {
    const sizes = await appendedSizes(sight, folder);
    const after = await seeFacts(sight, "persistence");
    const [least = 0, most = 0] = [before, after].map((facts) => Number(facts.get("aof_current_size") ?? "0"));
    return sizes.some((size) => size >= least && size <= most);
  }
  if (Number(before.get("rdb_saves") ?? "0") === 0) return true;
  const snapshot = statSync(join(folder, (await seeParameter(sight, "dbfilename")) ?? ""), { throwIfNoEntry: false });
  const saved = 1_000 * Number(before.get("rdb_last_save_time") ?? "0");
  return snapshot !== undefined && Math.abs(snapshot.mtimeMs - saved) <= SAVE_MS;
}

/**
 * Of the append-only files that are in use, those that a manifest names or the only one of a server before version 7: what the server may count them as. Until its first rewrite it leaves out the
 * base that it began with.
 */
async function appendedSizes(sight: Sight, folder: string): Promise<readonly number[]> {
  const name = (await seeParameter(sight, "appendfilename")) ?? "";
  const directory = await seeParameter(sight, "appenddirname");
  const inside = directory === undefined ? folder : join(folder, directory);
  const sizeOf = (file: string): number => statSync(join(inside, file)).size;
  try {
    if (directory === undefined) return [sizeOf(name)];
    const [bases, parts] = namedIn(readFileSync(join(inside, `${name}.manifest`), "utf8"));
    const [base, appended] = [bases, parts].map((files) => files.reduce((sum, file) => sum + sizeOf(file), 0));
    return [(base ?? 0) + (appended ?? 0), appended ?? 0];
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw cause;
  }
}

/** Base files, and those that were appended to since. */
function namedIn(manifest: string): readonly [bases: readonly string[], parts: readonly string[]] {
  const files = manifest.split("\n").flatMap((line) => {
    const found = /^file (\S+) seq \d+ type ([bi])/.exec(line);
    return found === null ? [] : [{ name: found[1] ?? "", type: found[2] }];
  });
  const of = (wanted: string): string[] => files.flatMap(({ name, type }) => (type === wanted ? [name] : []));
  return [of("b"), of("i")];
}
