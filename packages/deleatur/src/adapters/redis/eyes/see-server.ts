// The eyes' own way to a server: a socket that speaks RESP, without the client that the hands use, so that what a client swallows is seen all the same. It writes nothing.
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { RedisStore } from "../options.ts";
import { redisError, slowError } from "../store-errors.ts";
import { isSeenList, parseResp, Refusal, respCommand, type Seen, seenText } from "./resp.ts";

export interface Sight {
  readonly store: RedisStore;
  /** @throws StoreError, also where the server refuses */
  ask(...args: readonly (string | Buffer)[]): Promise<Seen>;
  /** Several at once, in order; what the server refused is among the answers. @throws StoreError where the connection fails */
  askAll(commands: readonly (readonly (string | Buffer)[])[]): Promise<readonly Seen[]>;
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 20_000;

/** Looks through one connection and closes it, also where the looking stops early. @throws StoreError: the probe is then blind */
export async function* throughSight<Item>(
  store: RedisStore,
  signal: AbortSignal,
  look: (sight: Sight) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const line = new Line(store, signal);
  try {
    await line.open();
    yield* look(line);
  } catch (cause) {
    signal.throwIfAborted();
    throw redisError(cause, store.name);
  } finally {
    line.close();
  }
}

interface Waiting {
  readonly resolve: (seen: Seen) => void;
  readonly reject: (cause: Error) => void;
}

class Line implements Sight {
  readonly store: RedisStore;
  readonly #signal: AbortSignal;
  readonly #waiting: Waiting[] = [];
  #socket: Socket | undefined;
  #rest: Buffer[] = [];
  #size = 0;
  /** How much must have come before there is anything to take: a long answer is not parsed anew with each piece of it. */
  #enough = 0;
  #failure: Error | undefined;
  readonly #onAbort = (): void => this.#fail(new Error("aborted"));

  constructor(store: RedisStore, signal: AbortSignal) {
    this.store = store;
    this.#signal = signal;
  }

  async open(): Promise<void> {
    this.#signal.throwIfAborted();
    const { protocol, hostname, port, username, password } = new URL(this.store.url);
    const to = { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || "6379") };
    const isTls = protocol === "rediss:";
    const socket = isTls ? connectTls({ ...to, servername: to.host }) : connectTcp(to);
    this.#socket = socket;
    socket.setNoDelay(true);
    // A connection that nothing is asked of may be as silent as it likes.
    socket.setTimeout(CONNECT_MS, () => {
      if (socket.connecting || this.#waiting.length > 0) this.#fail(slowError(this.store.name));
    });
    socket.on("data", (piece: Buffer) => this.#take(piece));
    socket.on("error", (cause) => this.#fail(cause));
    socket.on("close", () => this.#fail(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    await Promise.race([once(socket, isTls ? "secureConnect" : "connect"), once(socket, "close")]);
    if (this.#failure !== undefined) throw this.#failure;
    socket.setTimeout(SILENCE_MS);
    if (password !== "") {
      const secret = decodeURIComponent(password);
      await this.ask("AUTH", ...(username === "" ? [secret] : [decodeURIComponent(username), secret]));
    }
    if (this.store.database !== 0) await this.ask("SELECT", String(this.store.database));
  }

  async ask(...args: readonly (string | Buffer)[]): Promise<Seen> {
    const [seen = null] = await this.askAll([args]);
    if (seen instanceof Refusal) throw redisError(new Error(seen.words), this.store.name);
    return seen;
  }

  async askAll(commands: readonly (readonly (string | Buffer)[])[]): Promise<readonly Seen[]> {
    if (commands.length === 0) return [];
    if (this.#failure !== undefined) throw this.#failure;
    const answers = commands.map(
      () => new Promise<Seen>((resolve, reject) => void this.#waiting.push({ resolve, reject })),
    );
    this.#socket?.write(Buffer.concat(commands.map(respCommand)));
    return await Promise.all(answers);
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#socket?.destroy();
  }

  #take(piece: Buffer): void {
    this.#rest.push(piece);
    this.#size += piece.length;
    if (this.#size < this.#enough) return;
    const bytes = Buffer.concat(this.#rest);
    let at = 0;
    this.#enough = 0;
    try {
      while (at < bytes.length) {
        const { value, end } = parseResp(bytes, at);
        if (value === undefined) {
          this.#enough = end - at;
          break;
        }
        at = end;
        this.#waiting.shift()?.resolve(value);
      }
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause : new Error("unreadable"));
      return;
    }
    // What was handed out keeps its piece; only what is left over is carried on.
    this.#rest = [bytes.subarray(at)];
    this.#size = bytes.length - at;
  }

  #fail(cause: Error): void {
    this.#failure ??= cause;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    this.#socket?.destroy();
  }
}

/** The lines `name:value` of an INFO section. */
export async function seeFacts(sight: Sight, section: string): Promise<ReadonlyMap<string, string>> {
  const lines = seenText(await sight.ask("INFO", section)).split("\r\n");
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
}

/** One parameter of the server; undefined where this user may not ask, or the server has none of that name. */
export async function seeParameter(sight: Sight, name: string): Promise<string | undefined> {
  const [seen = null] = await sight.askAll([["CONFIG", "GET", name]]);
  const value = isSeenList(seen) ? seen[1] : undefined;
  return value === undefined ? undefined : seenText(value);
}
