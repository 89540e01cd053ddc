// Notices that another server answers than the one a fence was raised on: a replica was promoted, a snapshot loaded elsewhere. The former one keeps what was erased from it, and no purge of ours reaches it.
import { statSync } from "node:fs";
import { StoreError } from "../../../model/errors.ts";
import { isRequestId, type RequestId } from "../../../model/ids.ts";
import { FENCE_KEY, type RedisOptions } from "../options.ts";
import { type Db, listOf, Refused, textOf, withDb } from "./connect.ts";
import { serversFolder } from "./left-files.ts";
import { persistenceOf } from "./persistence.ts";
import { replicationOf } from "./stores.ts";

/** Notes, by request and in the database itself, so that a replica has it too, on which server its fence was raised; once. Where this user may not write it, nobody can tell later. */
export async function noteServers(options: RedisOptions, request: RequestId, signal: AbortSignal): Promise<void> {
  await eachPrimary(options, signal, async (db) => {
    await db.sendAll([["HSETNX", FENCE_KEY, request, await standingOf(db)]]);
  });
}

export async function notedRequests(options: RedisOptions, signal: AbortSignal): Promise<readonly RequestId[]> {
  const requests = new Set<RequestId>();
  await eachPrimary(options, signal, async (db) => {
    for (const [request] of await notesOf(db)) if (isRequestId(request)) requests.add(request);
  });
  return [...requests];
}

export async function dropNotes(
  options: RedisOptions,
  requests: readonly RequestId[],
  signal: AbortSignal,
): Promise<void> {
  if (requests.length === 0) return;
  await eachPrimary(options, signal, async (db) => {
    const [reply] = await db.sendAll([["HDEL", FENCE_KEY, ...requests]]);
    if (reply instanceof Refused && reply.code !== "NOPERM") throw reply.error;
  });
}

/**
 * Whether this process is not the one of a fence, nor one that was started again in the same folder of this machine. Elsewhere a server that was started again cannot be told from another, and
 * counts as one. It answers so once for each change: whoever resumes the request has been told of the former server.
 */
export async function hasFailedOver(db: Db): Promise<boolean> {
  const notes = await notesOf(db);
  if (notes.size === 0 || (await replicationOf(db)).role === "replica") return false;
  const now = await standingOf(db);
  const changed = [...notes].filter(([, was]) => runOf(was) !== runOf(now));
  if (changed.length === 0) return false;
  await db.sendAll([["HSET", FENCE_KEY, ...changed.flatMap(([request]) => [request, now])]]);
  return changed.some(([, was]) => folderOf(was) === undefined || folderOf(was) !== folderOf(now));
}

/** The process, and its folder where that is one of this machine's: `<run id> <device>:<inode>`. @throws StoreError */
async function standingOf(db: Db): Promise<string> {
  const persistence = await persistenceOf(db);
  const folder = serversFolder(persistence);
  if (folder === undefined) return persistence.runId;
  const { dev, ino } = statSync(folder);
  return `${persistence.runId} ${dev}:${ino}`;
}

function runOf(standing: string): string {
  return standing.split(" ")[0] ?? "";
}

function folderOf(standing: string): string | undefined {
  return standing.split(" ")[1];
}

/** By request; nothing where this user may not read it. */
async function notesOf(db: Db): Promise<ReadonlyMap<string, string>> {
  const reply = (await db.ask("HGETALL", FENCE_KEY)) ?? null;
  const texts = listOf(reply).map(textOf);
  return new Map(texts.flatMap((text, at) => (at % 2 === 0 ? [[text, texts[at + 1] ?? ""] as const] : [])));
}

/** A replica has the notes of the server that it follows; one that is down is no reason to leave them. @throws StoreError where no primary is reached and a store is down */
async function eachPrimary(
  { stores }: RedisOptions,
  signal: AbortSignal,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  let isReached = false;
  let down: StoreError | undefined;
  for (const store of stores) {
    try {
      await withDb(store, signal, async (db) => {
        if ((await replicationOf(db)).role !== "primary") return;
        await work(db);
        isReached = true;
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      down ??= error;
    }
  }
  if (!isReached && down !== undefined) throw down;
}
