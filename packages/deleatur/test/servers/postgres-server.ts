// Starts a real PostgreSQL of its own for tests: own data folder, own loopback port, no socket; it can be killed, started again and copied by a standby.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client, type QueryResult } from "pg";
import { commandOf, ownerOf, type PostgresInstallation } from "./find-postgres.ts";
import { freePort } from "./free-port.ts";

export interface PostgresServer {
  readonly port: number;
  /** The data folder as this process sees it. */
  readonly data: string;
  url(database: string, user?: string, password?: string): string;
  /** Runs statements as the superuser over a connection of its own; answers the rows of the last one. */
  query(database: string, sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** A database of its own, empty. */
  createDatabase(): Promise<string>;
  /** Ends the server and every process of it at once, as a power cut for it alone. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The server's process and all that it started, as of now. */
  processes(): readonly number[];
  /** A standby that streams from this server. */
  startStandby(): Promise<PostgresServer>;
  /** A base backup of now; answers the act that starts it as a server of its own, which ends with this one. */
  takeBaseBackup(): () => Promise<PostgresServer>;
  /** Runs a client program of the installation against this server, such as `pg_dump`; answers what it wrote. */
  runClient(program: string, args: readonly string[], input?: Buffer): Buffer;
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_buffers: "32MB",
  max_connections: "40",
  // A killed process loses nothing that it handed to the system; only a power cut would.
  fsync: "off",
  dynamic_shared_memory_type: "mmap",
  hot_standby: "on",
};

/** `segmentMb`: the size of a file of the write-ahead log; 16 where nobody says otherwise, less of it is written over faster. `parent`: where its folder is made. */
export async function startPostgres(
  installation: PostgresInstallation,
  settings: Readonly<Record<string, string>> = {},
  segmentMb = 1,
  parent?: string,
): Promise<PostgresServer> {
  const folder = makeFolder(installation, parent);
  // prettier-ignore
  run(installation, "initdb", ["-D", folder.inside, "-U", "deleatur", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N", `--wal-segsize=${segmentMb}`]);
  writeFileSync(
    join(folder.data, "pg_hba.conf"),
    "host all keyed 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n",
  );
  return serve(installation, folder, settings);
}

interface Folder {
  readonly base: string;
  readonly data: string;
  /** The data folder as the server names it. */
  readonly inside: string;
}

function makeFolder(
  installation: PostgresInstallation,
  parent: string = installation.root === "" ? tmpdir() : join(installation.root, "tmp"),
): Folder {
  const base = mkdtempSync(join(parent, "deleatur-pg-"));
  const data = join(base, "data");
  mkdirSync(data, { mode: 0o700 });
  const { uid, gid } = ownerOf(installation);
  for (const path of [base, data]) chownSync(path, uid, gid);
  return { base, data, inside: data.slice(installation.root.length) };
}

function run(installation: PostgresInstallation, program: string, args: readonly string[], input?: Buffer): Buffer {
  const [command = "", ...rest] = commandOf(installation, program, args);
  const end = spawnSync(command, rest, { cwd: "/", maxBuffer: 1 << 28, ...(input === undefined ? {} : { input }) });
  if (end.status !== 0) throw new Error(`${program} ended with ${String(end.status)}: ${String(end.stderr)}`);
  return end.stdout;
}

async function serve(
  installation: PostgresInstallation,
  folder: Folder,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const port = await freePort();
  const lines = Object.entries({ ...SETTINGS, ...settings, port: String(port) });
  appendFileSync(join(folder.data, "postgresql.conf"), lines.map(([name, value]) => `${name} = '${value}'\n`).join(""));
  let child: ChildProcess | undefined;
  const copies: PostgresServer[] = [];
  const url = (database: string, user = "deleatur", password?: string): string =>
    `postgres://${user}${password === undefined ? "" : `:${password}`}@127.0.0.1:${port}/${database}`;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const parts = signal === "SIGKILL" ? childrenOf(child.pid) : [];
    const gone = once(child, "exit");
    process.kill(child.pid, signal);
    for (const part of parts) killOne(part);
    await gone;
    child = undefined;
  };
  const copyServer = (flags: readonly string[]): (() => Promise<PostgresServer>) => {
    const copy = makeFolder(installation);
    run(installation, "pg_basebackup", [...HERE(port), "-D", copy.inside, "-X", "stream", "-c", "fast", ...flags]);
    return async () => {
      const started = await serve(installation, copy, settings);
      copies.push(started);
      return started;
    };
  };
  const server: PostgresServer = {
    port,
    data: folder.data,
    url,
    query: (database, sql, values) => queryOnce(url(database), sql, values),
    async createDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      await queryOnce(url("postgres"), `CREATE DATABASE ${name} TEMPLATE template0`);
      return name;
    },
    kill: () => end("SIGKILL"),
    async start() {
      rmSync(join(folder.data, "postmaster.pid"), { force: true });
      const [command = "", ...rest] = commandOf(installation, "postgres", ["-D", folder.inside]);
      child = spawn(command, rest, { stdio: ["ignore", "ignore", "ignore"], cwd: "/" });
      await answering(child, url("postgres"));
    },
    async stop() {
      for (const copy of copies) await copy.stop();
      await end("SIGINT");
      rmSync(folder.base, { recursive: true, force: true });
    },
    processes: () => (child?.pid === undefined ? [] : [child.pid, ...childrenOf(child.pid)]),
    startStandby: () => copyServer(["-R"])(),
    takeBaseBackup: () => copyServer([]),
    runClient: (program, args, input) => run(installation, program, [...HERE(port), ...args], input),
  };
  await server.start();
  return server;
}

/** How a client program reaches a server. */
const HERE = (port: number): readonly string[] => ["-h", "127.0.0.1", "-p", String(port), "-U", "deleatur"];

let databases = 0;

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It saw its parent die and ended by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} before it answered`);
    try {
      await queryOnce(url, "SELECT 1");
      return;
    } catch {
      await wait(20); // not yet up
    }
  }
}

async function queryOnce(
  url: string,
  sql: string,
  values?: readonly unknown[],
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined); // a killed server is what some tests are about; the query itself rejects
  await client.connect();
  try {
    const result: unknown = await client.query(sql, values === undefined ? [] : [...values]);
    const last: unknown = Array.isArray(result) ? result.at(-1) : result;
    return (last as QueryResult<Record<string, unknown>>).rows;
  } finally {
    await client.end();
  }
}
