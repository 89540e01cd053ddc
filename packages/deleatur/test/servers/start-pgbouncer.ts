// Starts a real pgbouncer before a server, in the mode that gives a connection away after each transaction. Where it is not installed its tests skip, and say so.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";
import type { PostgresServer } from "./postgres-server.ts";

export const isPgbouncerMissing: boolean = spawnSync("pgbouncer", ["--version"]).status !== 0;
if (isPgbouncerMissing) console.warn("SKIPPED: no pgbouncer here, install it: apt-get install -y pgbouncer");

/** Answers the address of a database through the pooler; it ends with the test. */
export async function startPgbouncer(server: PostgresServer, database: string, mode: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-pool-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(join(folder, "users.txt"), '"deleatur" ""\n');
  writeFileSync(
    settings,
    `[databases]
${database} = host=127.0.0.1 port=${server.port} dbname=${database} user=deleatur
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users.txt")}
pool_mode = ${mode}
default_pool_size = 1
`,
  );
  const asNobody =
    process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const [command, ...args] = [...asNobody, "pgbouncer", "-q", settings];
  const child = spawn(command, args, { stdio: "ignore" });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `postgres://deleatur@127.0.0.1:${port}/${database}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined); // not yet up
    try {
      await client.connect();
      await client.query("SELECT 1");
      return url;
    } catch {
      await wait(20);
    } finally {
      await client.end().catch(() => undefined); // never connected
    }
  }
}
