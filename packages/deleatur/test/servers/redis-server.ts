// Real Redis and Valkey servers for tests: each on a loopback port with a data directory of its own, gone with the test. Where a binary is missing the tests skip, and say so.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createClient, RESP_TYPES } from "redis";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";
import { trixieFolder } from "./trixie-folder.ts";

export type RedisBinary = "redis-server" | "valkey-server";
export type Persistence = "rdb" | "aof" | "both" | "none";
/** A reply with every text as its bytes. */
export type RawReply = string | number | bigint | boolean | Buffer | null | Error | readonly RawReply[];

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly directory: string;
  readonly pid: number;
  /** One command over a connection that stays open; texts come back as bytes. */
  send(...args: readonly (string | Buffer)[]): Promise<RawReply>;
  /** The same, the answer as text. */
  text(...args: readonly (string | Buffer)[]): Promise<string>;
  /** Every file of the server, relative to its directory. */
  files(): readonly string[];
  /** In how many places the files hold this, as plain bytes. */
  count(bytes: string | Buffer): number;
  kill9(): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again over the same directory and port. */
  start(): Promise<void>;
}

export interface RedisSetup {
  readonly binary?: RedisBinary;
  readonly persistence?: Persistence;
  /** Makes it a replica. */
  readonly of?: RedisServer;
  readonly args?: readonly string[];
  /** Where its folder is made: a disk of its own, perhaps. */
  readonly parent?: string;
}

export const ALL_BINARIES: readonly RedisBinary[] = ["redis-server", "valkey-server"];

const INSTALL: Readonly<Record<RedisBinary, string>> = {
  "redis-server": "apt-get install -y redis-server",
  "valkey-server":
    "apt-get install -y valkey-server (Debian 13), or as root: apt-get install -y debootstrap && packages/deleatur/test/servers/make-trixie",
};

/** How a server is started: from this system, or Valkey out of a Debian 13 in a folder, by that one's own loader and libraries. */
function findCommand(binary: RedisBinary): readonly string[] | undefined {
  const libraries = join(trixieFolder(), "usr/lib/x86_64-linux-gnu");
  const boxed = [join(libraries, "ld-linux-x86-64.so.2"), "--library-path", libraries];
  const commands = [[binary], [...boxed, join(trixieFolder(), "usr/bin", binary)]];
  return commands.find(
    ([program = "", ...args]) => spawnSync(program, [...args, "--version"], { stdio: "ignore" }).status === 0,
  );
}

const commands = new Map(ALL_BINARIES.map((binary) => [binary, findCommand(binary)]));

/** True where a server is missing: its tests skip. */
export function isMissing(binary: RedisBinary): boolean {
  return commands.get(binary) === undefined;
}

export const isRedisMissing: boolean = isMissing("redis-server");

/** The servers that are here; Redis stands in the list in any case, so that its tests are seen to skip. */
export const REDIS_BINARIES: readonly RedisBinary[] = ALL_BINARIES.filter(
  (binary) => binary === "redis-server" || !isMissing(binary),
);

for (const binary of ALL_BINARIES)
  if (isMissing(binary))
    process.stderr.write(`\nSKIPPED: tests of a real ${binary}, install it with: ${INSTALL[binary]}\n`);

const SAVES: Readonly<Record<Persistence, readonly string[]>> = {
  rdb: ["--save", "3600 1", "--appendonly", "no"],
  aof: ["--save", "", "--appendonly", "yes"],
  both: ["--save", "3600 1", "--appendonly", "yes"],
  none: ["--save", "", "--appendonly", "no"],
};

/** Starts a server that ends with the test. */
export async function startRedis(setup: RedisSetup = {}): Promise<RedisServer> {
  const { binary = "redis-server", persistence = "both", of, args = [], parent = tmpdir() } = setup;
  const directory = mkdtempSync(join(parent, "deleatur-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let client: ReturnType<typeof newClient> | undefined;

  async function start(): Promise<void> {
    const log = join(directory, "server.log");
    // Redis does not ignore the signal of a file that may not grow, with which the tests fill a disk; `exec` keeps what the shell ignores, and the process.
    child = spawn(
      "sh",
      [
        ["-c", `trap "" XFSZ; exec "$0" "$@"`, ...(commands.get(binary) ?? [binary])],
        `--port ${port} --bind 127.0.0.1 --daemonize no --repl-diskless-sync-delay 0`.split(" "),
        ["--dir", directory, "--logfile", log],
        SAVES[persistence],
        of === undefined ? [] : ["--replicaof", "127.0.0.1", String(of.port)],
        args,
      ].flat(),
      { stdio: "ignore" },
    );
    for (let tries = 0; ; tries += 1) {
      if (child.exitCode !== null || tries > 600)
        throw new Error(`${binary} did not start: ${existsSync(log) ? readFileSync(log, "utf8").slice(-500) : ""}`);
      if (await isUp(url)) return;
      await wait(50);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    client?.destroy();
    client = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  async function send(...args_: readonly (string | Buffer)[]): Promise<RawReply> {
    if (client === undefined) {
      client = newClient(url);
      await client.connect();
    }
    // The client's own type of a reply cannot say what it was mapped to.
    return (await client.sendCommand([...args_])) as unknown as RawReply;
  }

  onTestFinished(async () => {
    await end("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });
  await start();
  const files = (): readonly string[] =>
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((file) => file !== "server.log" && statSync(join(directory, file)).isFile())
      .toSorted();
  return {
    port,
    url,
    directory,
    get pid() {
      return child?.pid ?? 0;
    },
    send,
    text: async (...args_) => String(await send(...args_)),
    files,
    count: (bytes) => files().reduce((sum, file) => sum + occurrences(readFileSync(join(directory, file)), bytes), 0),
    kill9: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    start,
  };
}

function occurrences(content: Buffer, bytes: string | Buffer): number {
  let count = 0;
  for (let at = content.indexOf(bytes); at !== -1; at = content.indexOf(bytes, at + 1)) count += 1;
  return count;
}

// Where the type is left to the compiler it is the client's own, which no name of ours could say.
function newClient(url: string) {
  const client = createClient({
    url,
    RESP: 2,
    socket: { reconnectStrategy: false },
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
  // A server that a test kills is no surprise; what waits for it is rejected.
  client.on("error", () => undefined);
  return client;
}

async function isUp(url: string): Promise<boolean> {
  const client = newClient(url);
  try {
    await client.connect();
    await client.sendCommand(["PING"]);
    return true;
  } catch (cause) {
    // One that asks for a password is up; any other is asked again.
    return cause instanceof Error && cause.message.startsWith("NOAUTH");
  } finally {
    client.destroy();
  }
}
