// Starts a PGlite of its own for a test: a real PostgreSQL with nothing to install, in a process of its own. One backend serves all connections, as its superuser: docs/decisions says what that leaves to test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";

export interface PgliteServer {
  readonly url: string;
  /** In how many of its files the text stands. */
  filesWith(text: string): number;
}

const script = fileURLToPath(new URL("./pglite-server.mjs", import.meta.url));

export async function startPglite(): Promise<PgliteServer> {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-pglite-"));
  const port = await freePort();
  const child = spawn(process.execPath, [script, join(folder, "data"), String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const isGone = child.exitCode === null ? once(child, "exit") : undefined;
    child.kill("SIGKILL");
    await isGone;
    rmSync(folder, { recursive: true, force: true });
  });
  const end = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  if (String(end[0]) !== "ready") throw new Error(`PGlite ended with ${String(end[0])} before it answered`);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    filesWith: (text) =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
      ).length,
  };
}
