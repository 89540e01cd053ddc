// Says what a server writes to its disk and what it is doing about it now, from INFO and, where this user may, CONFIG. It changes nothing.
import { type Db, infoOf, listOf, textOf } from "./connect.ts";

export interface ServerFiles {
  readonly directory: string;
  readonly snapshot: string;
  /** Undefined for a server that has a single append-only file (Redis 6). */
  readonly appendDirectory: string | undefined;
  readonly appendName: string;
}

export interface Persistence {
  readonly hasAof: boolean;
  /** Undefined where this user may not ask: then snapshots are taken for granted. */
  readonly savesSnapshots: boolean | undefined;
  /** Where its files stand, on its own machine; undefined where this user may not ask. */
  readonly files: ServerFiles | undefined;
  /** Whether a snapshot may stand on its disk: it wrote one, read one when it started, or was sent one as a replica. */
  readonly mayHaveSnapshot: boolean;
  readonly processId: number;
  readonly runId: string;
}

/** The sections of INFO that tell of a server, its files and the children that write them. @throws StoreError */
export async function factsOf(db: Db): Promise<ReadonlyMap<string, string>> {
  const facts = new Map<string, string>();
  for (const section of ["server", "replication", "persistence", "memory"])
    for (const [name, value] of infoOf(await db.send("INFO", section))) facts.set(name, value);
  return facts;
}

/** @throws StoreError */
export async function persistenceOf(db: Db): Promise<Persistence> {
  const facts = await factsOf(db);
  const config = await configOf(db);
  const save = config.get("save");
  const counted = (name: string): boolean => Number(facts.get(name) ?? "1") > 0;
  return {
    hasAof: facts.get("aof_enabled") === "1",
    savesSnapshots: save === undefined ? undefined : save !== "",
    files: filesOf(config),
    // A replica keeps the snapshot that it was sent as a file of its own, whatever it saves itself.
    mayHaveSnapshot: facts.get("role") === "slave" || counted("rdb_saves") || counted("rdb_last_load_keys_loaded"),
    processId: Number(facts.get("process_id") ?? "0"),
    runId: facts.get("run_id") ?? "",
  };
}

/** One parameter after the other: Redis 6 takes no more than one, and answers nothing for what it does not have. */
async function configOf(db: Db): Promise<ReadonlyMap<string, string>> {
  const config = new Map<string, string>();
  for (const wanted of ["save", "dir", "dbfilename", "appenddirname", "appendfilename"]) {
    const [name, value] = listOf((await db.ask("CONFIG", "GET", wanted)) ?? null);
    if (name !== undefined && value !== undefined) config.set(textOf(name), textOf(value));
  }
  return config;
}

function filesOf(config: ReadonlyMap<string, string>): ServerFiles | undefined {
  const [directory, snapshot, appendName] = ["dir", "dbfilename", "appendfilename"].map((name) => config.get(name));
  if (directory === undefined || snapshot === undefined || appendName === undefined) return undefined;
  return { directory, snapshot, appendDirectory: config.get("appenddirname"), appendName };
}

/** The server's folder, where it is one of this machine's: declared so, or told by a server on the loopback. */
export function folderHere({ store }: Db, { files }: Pick<Persistence, "files">): string | undefined {
  if (store.data !== undefined) return store.data;
  return /^(?:localhost|127\..*|\[::1\])$/.test(new URL(store.url).hostname) ? files?.directory : undefined;
}
