// Opens a connection of the hands to one database, for one act, and closes it again; nothing is held between acts. No probe imports this.
import { once } from "node:events";
import { endianness } from "node:os";
import type { RedisStore } from "../options.ts";
import { answerCode, redisError, slowError, troubleError } from "../store-errors.ts";

export type Arg = string | Buffer;
/** A reply over RESP 2, every text as its bytes. */
export type Reply = string | number | Buffer | null | readonly Reply[];

export interface Db {
  readonly store: RedisStore;
  /** @throws StoreError */
  send(...args: readonly Arg[]): Promise<Reply>;
  /** Several at once, in order; what the server refused is answered as its code. @throws StoreError where the connection fails */
  sendAll(commands: readonly (readonly Arg[])[]): Promise<readonly (Reply | Refused)[]>;
  /** Answers undefined where this user, or this server, may not or cannot do it. */
  ask(...args: readonly Arg[]): Promise<Reply | undefined>;
}

export class Refused {
  readonly code: string;
  readonly error: Error;
  constructor(code: string, error: Error) {
    this.code = code;
    this.error = error;
  }
}

const CONNECT_MS = 5_000;
/** A server that says nothing for so long is out of reach: no single command of ours takes as long on one that is well. */
const SILENCE_MS = 20_000;

/** @throws StoreError; when aborted */
export async function withDb<Result>(
  store: RedisStore,
  signal: AbortSignal,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const { db, close } = await openDb(store, signal);
  try {
    return await work(db);
  } finally {
    close();
  }
}

/** The same for who yields meanwhile; to be closed in any case. @throws StoreError */
export async function openDb(
  store: RedisStore,
  signal: AbortSignal,
): Promise<{ readonly db: Db; readonly close: () => void }> {
  signal.throwIfAborted();
  const client = await createConnection(store);
  let isSlow = false;
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    over.abort();
    signal.removeEventListener("abort", end);
    if (client.isOpen) client.destroy();
  };
  signal.addEventListener("abort", end, { once: true });
  const failure = (cause: unknown): Error => {
    signal.throwIfAborted();
    return isSlow ? slowError(store.name) : redisError(cause, store.name);
  };
  /** One watch for all that is under way: it is wound up again by each answer, and ends with the last. */
  const watch = (change: 1 | -1): void => {
    waiting += change;
    if (waiting === 0) {
      clearTimeout(timer);
      timer = undefined;
    } else if (timer === undefined)
      timer = setTimeout(() => {
        isSlow = true;
        end();
      }, SILENCE_MS);
    else if (change < 0) timer.refresh();
  };
  const send = async (args: readonly Arg[]): Promise<Reply> => {
    watch(1);
    try {
      // The client's own type of a reply cannot say what it was mapped to.
      return (await client.sendCommand([...args])) as unknown as Reply;
    } finally {
      watch(-1);
    }
  };
  const orRefused = async (args: readonly Arg[]): Promise<Reply | Refused> => {
    try {
      return await send(args);
    } catch (cause) {
      const code = isSlow ? undefined : answerCode(cause);
      const error = failure(cause);
      if (code === undefined) throw error;
      return new Refused(code, error);
    }
  };
  const db: Db = {
    store,
    async send(...args) {
      const reply = await orRefused(args);
      if (reply instanceof Refused) throw reply.error;
      return reply;
    },
    async sendAll(commands) {
      // Every command is waited for before the first failure is thrown, so that none is left unheard.
      const all = await Promise.allSettled(commands.map(orRefused));
      return all.map((one) => {
        if (one.status === "rejected") throw one.reason;
        return one.value;
      });
    },
    async ask(...args) {
      const reply = await orRefused(args);
      if (!(reply instanceof Refused)) return reply;
      if (reply.code === "NOPERM" || reply.code === "ERR") return undefined;
      throw reply.error;
    },
  };
  try {
    signal.throwIfAborted();
    watch(1);
    // The client itself waits for ever for a server that takes the connection and says nothing.
    const connecting = client.connect();
    connecting.catch(() => undefined); // told below, where it was waited for
    await Promise.race([connecting, once(over.signal, "abort")]);
    signal.throwIfAborted();
    if (isSlow) throw slowError(store.name);
    watch(-1);
    const server = infoOf(await db.send("INFO", "server"));
    // Redis has the first name for it, Valkey the second.
    if (["redis_mode", "server_mode"].some((mode) => server.get(mode) === "cluster")) throw clusterError(store);
  } catch (cause) {
    end();
    throw failure(cause);
  }
  return { db, close: end };
}

function clusterError(store: RedisStore): Error {
  const cure = "declare no surface on a cluster: one connection shows one node's part of the keys";
  return troubleError(store.name, ["CLUSTER_UNSUPPORTED", "is a cluster, which this kind cannot read whole", cure]);
}

/** The client is loaded only here, when a store is really opened. @throws StoreError where it is not installed */
async function createConnection(store: RedisStore) {
  const { createClient, RESP_TYPES } = await loadClient(store);
  const client = createClient({
    url: store.url,
    RESP: 2,
    name: "deleatur",
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
    // The client gives up each command that has not been sent within five seconds, however busy the server is with those before it: the silence is watched here.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
  // A connection that breaks rejects what waits for it: that is where it is told.
  client.on("error", () => undefined);
  return client;
}

async function loadClient(store: RedisStore) {
  try {
    return await import("redis");
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")) throw cause;
    throw troubleError(store.name, ["CLIENT_MISSING", "needs the package redis", "npm install redis@6"]);
  }
}

/** The lines `name:value` of an INFO section. */
export function infoOf(reply: Reply): ReadonlyMap<string, string> {
  const lines = textOf(reply).split("\r\n");
  return new Map(
    lines.flatMap((line): (readonly [string, string])[] => {
      const colon = line.indexOf(":");
      return colon <= 0 || line.startsWith("#") ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
    }),
  );
}

export function textOf(reply: Reply): string {
  if (Buffer.isBuffer(reply)) return reply.toString("utf8");
  return typeof reply === "string" || typeof reply === "number" ? String(reply) : "";
}

export function listOf(reply: Reply | Refused): readonly Reply[] {
  return isList(reply) ? reply : [];
}

export function bytesOf(reply: Reply): Buffer {
  return Buffer.isBuffer(reply) ? reply : Buffer.from(textOf(reply), "utf8");
}

function isList(reply: Reply | Refused): reply is readonly Reply[] {
  return Array.isArray(reply);
}

export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength));
  return endianness() === "BE" ? bytes.swap32() : bytes;
}

/** float32, little-endian, as every client of a vector store writes it. */
export function floatsOf(bytes: Buffer): Float32Array {
  const copy = Buffer.from(bytes);
  if (endianness() === "BE") copy.swap32();
  return new Float32Array(copy.buffer.slice(copy.byteOffset, copy.byteOffset + copy.byteLength));
}
