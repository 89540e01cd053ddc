// Says what a purge of the servers of a surface would take and lack, and which acts this user may not do: by rights and sizes. It runs no command that changes anything.
import type { Foresight } from "../../../surface.ts";
import type { RedisOptions } from "../options.ts";
import { type Arg, type Db, withDb } from "./connect.ts";
import { scanKeys } from "./list-keys.ts";
import { factsOf } from "./persistence.ts";
import { foreseePurge } from "./purge-server.ts";
import { replicationOf } from "./stores.ts";
import { mayRun } from "./try-rights.ts";

/** Bytes of the server's memory that a child writes in a second, as measured for the README; a disk that is slower or shared makes it longer. */
const SAVE_RATE = 45_000_000;
const BASIS =
  "the server's used memory, written twice where it keeps both files, at 45 MB a second, as measured on two busy cores";

/** @throws StoreError */
export async function foreseeStores(options: RedisOptions, signal: AbortSignal): Promise<Foresight> {
  let hindrance: Foresight["hindrance"];
  const refused: Foresight["refused"][number][] = [];
  let disk: Foresight["disk"];
  let bytes = 0;
  let primaries = 0;
  for (const store of options.stores)
    await withDb(store, signal, async (db) => {
      const {
        rewrites,
        hindrance: own,
        disk: room,
      } = await foreseePurge(db, options.declaration.persistence === "none");
      hindrance ??= own;
      disk ??= room;
      const memory = Number((await factsOf(db)).get("used_memory") ?? "0");
      bytes += memory * rewrites;
      if ((await replicationOf(db)).role !== "primary") return;
      primaries += 1;
      if (!(await mayErase(db, options, signal)))
        refused.push({ act: "erase", why: `this user of store ${store.name} may not erase` });
    });
  if (primaries === 0) {
    const why = `store ${options.stores[0].name} is a read-only replica, name its primary`;
    refused.push(...(["erase", "plant", "offer"] as const).map((act) => ({ act, why })));
  }
  return {
    ...(hindrance === undefined ? {} : { hindrance }),
    bytesStay: hindrance !== undefined,
    // A child of the server writes; nobody is kept out meanwhile.
    locks: [],
    spareBytes: bytes,
    ...(disk === undefined ? {} : { disk }),
    seconds: Math.ceil(bytes / SAVE_RATE),
    basis: BASIS,
    refused,
  };
}

const NOTHING = "deleatur-nothing";
const PARTS: Readonly<Record<RedisOptions["each"], (key: Buffer) => readonly (readonly Arg[])[]>> = {
  key: (key) => [
    ["UNLINK", key],
    ["DEL", key],
  ],
  entry: (key) => [["XDEL", key, "0-1"]],
  field: (key) => [["HDEL", key, NOTHING]],
};

/** By the first key of the surface: rights go by patterns of keys as well. Where there is none there is nothing to erase. */
async function mayErase(db: Db, { pattern, each }: RedisOptions, signal: AbortSignal): Promise<boolean> {
  for await (const [first] of scanKeys(db, pattern, signal)) {
    if (first === undefined) continue;
    for (const command of PARTS[each](first)) if ((await mayRun(db, ...command)) !== false) return true;
    return false;
  }
  return true;
}
