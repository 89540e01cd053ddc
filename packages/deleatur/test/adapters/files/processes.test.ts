// Lets real processes write to one JSONL file at once, and kills one with -9 in the middle of a rewrite: no erased line comes back, no file is torn.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { keys, makeFolder, openSurface, signal } from "./open-folder.ts";

const built = fileURLToPath(new URL("../../../dist/adapters/files/index.js", import.meta.url));
if (!existsSync(built) && process.env["CI"] !== undefined)
  throw new Error("the build is missing, run npm run build first");

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

function start(
  script: URL,
  args: readonly string[],
): { kill: () => void; opened: Promise<void>; ended: Promise<Ended> } {
  const path = fileURLToPath(script);
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  const opened = new Promise<void>((resolve) => {
    child.stdout.on("data", (data: Buffer) => {
      out += data.toString();
      resolve();
    });
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => resolve({ code, out }));
  });
  return { kill: () => child.kill("SIGKILL"), opened, ended };
}

function line(id: string, text: string): string {
  return `${JSON.stringify({ id, user: "42", text })}\n`;
}

function ids(text: string): string[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((each) => {
      const value: unknown = JSON.parse(each);
      return typeof value === "object" && value !== null && "id" in value ? String(value.id) : "";
    });
}

describe.skipIf(!existsSync(built))("files under several processes", () => {
  it("CLAIM-5: two erasing processes lose none of each other's deletes, and nothing else", async () => {
    const all = Array.from({ length: 60 }, (_, i) => `k${i}`);
    const folder = makeFolder({ "a.jsonl": all.map((id) => line(id, "text")).join("") });
    const [left, right] = [all.slice(0, 8), all.slice(8, 16)];
    const runs = [left, right].map(
      (some) => start(new URL("./rewriter.mjs", import.meta.url), [folder.path, "*.jsonl", JSON.stringify(some)]).ended,
    );
    for (const { code, out } of await Promise.all(runs)) {
      expect(code).toBe(0);
      expect(out).toContain(JSON.stringify(left.map(() => "erased")));
    }
    expect(ids(folder.read("a.jsonl"))).toEqual(all.slice(16));
    expect(readdirSync(folder.path)).toEqual(["a.jsonl"]);
  });

  it("a purge takes away what killed processes left beside a lock, and nothing of a living one", async () => {
    const folder = makeFolder({ "a.jsonl": line("k1", "text") });
    const dead = ".deleatur-a.jsonl.lock.4194304-0123456789ab";
    const living = `.deleatur-a.jsonl.lock.${process.ppid}-0123456789ab`;
    for (const name of [dead, living]) writeFileSync(join(folder.path, name), "");
    const surface = await openSurface(folder, "*.jsonl");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(readdirSync(folder.path).toSorted()).toEqual([living, "a.jsonl"]);
  });

  it("CLAIM-5: a writer that puts back the whole file as it had read it brings no erased line back", async () => {
    const all = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const folder = makeFolder({ "m.jsonl": all.map((id) => line(id, "text")).join("") });
    const surface = await openSurface(folder, "m.jsonl");
    const writer = start(new URL("./whole-file-writer.mjs", import.meta.url), [
      join(folder.path, "m.jsonl"),
      "new",
      "20",
    ]);
    for (const id of all.slice(0, 10))
      expect(await surface.erase(keys(id), signal)).toMatchObject([{ outcome: "erased" }]);
    expect((await writer.ended).code).toBe(0);
    const left = ids(folder.read("m.jsonl"));
    expect(left.filter((id) => all.slice(0, 10).includes(id))).toEqual([]);
    expect(left).toEqual(expect.arrayContaining(all.slice(10)));
  });

  it("a lock of a process that is gone goes when the folder is opened, and that of a living one stays", async () => {
    const gone = spawnSync(process.execPath, ["--eval", "0"]).pid;
    const [dead, alive] = [".deleatur-a.jsonl.lock", ".deleatur-b.jsonl.lock"];
    // Nobody has anything to change in these files, so that nobody would ask for their locks.
    const folder = makeFolder({
      "a.jsonl": "",
      "b.jsonl": "",
      [dead]: `${gone} 00\n`,
      [alive]: `${process.ppid} 00\n`,
    });
    await openSurface(folder, "*.jsonl");
    expect(readdirSync(folder.path)).toEqual([alive, "a.jsonl", "b.jsonl"]);
  });

  it("a process killed with -9 in the middle of a rewrite leaves the old file or the new one, whole, and the next one finishes", async () => {
    const text = "x".repeat(2000);
    const old = Array.from({ length: 4000 }, (_, i) => line(`k${i}`, text)).join("");
    const fresh = old.slice(old.indexOf("\n") + 1);
    let torn = 0;
    for (let round = 0; round < 5; round++) {
      const folder = makeFolder({ "a.jsonl": old });
      const run = start(new URL("./rewriter.mjs", import.meta.url), [folder.path, "*.jsonl", '["k0"]']);
      await run.opened;
      // Killed at the first sight of the temporary file, and then later and later.
      while (!readdirSync(folder.path).some((name) => name.endsWith(".tmp"))) await sleep(1);
      await sleep(round * 8);
      run.kill();
      await run.ended;
      const now = readFileSync(join(folder.path, "a.jsonl"), "utf8");
      expect(now === old || now === fresh).toBe(true);
      if (readdirSync(folder.path).some((name) => name.endsWith(".tmp"))) torn++;
      const surface = await openSurface(folder, "*.jsonl");
      expect(readdirSync(folder.path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      expect((await surface.erase(keys("k0"), signal))[0]?.outcome).toBe(now === old ? "erased" : "absent");
      expect(statSync(join(folder.path, "a.jsonl")).size).toBe(fresh.length);
      expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
      expect(readdirSync(folder.path)).toEqual(["a.jsonl"]);
    }
    expect(torn).toBeGreaterThan(0);
  });
});
