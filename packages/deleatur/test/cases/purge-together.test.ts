// The purges of two servers are under way at the same time: whichever ends first, and if the process dies in between, the outcome is that of one after the other.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BoundaryInput } from "../../src/boundary/boundary-input.ts";
import { type Deleatur, openDeleatur } from "../../src/open-deleatur.ts";
import type { ProgressEvent } from "../../src/progress.ts";
import { useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { isRedisMissing, startRedis } from "../servers/redis-server.ts";
import { expectErasure, logOf, S, S_SAYS, type Scene, T, T_SAYS, tempFolder, verifyOutcome } from "./scene.ts";

const CHILD = fileURLToPath(new URL("./purge-in-child.mjs", import.meta.url));

const SURFACES: BoundaryInput["surfaces"] = {
  // Before the replies, so that one after the other it would be purged first.
  episodes: {
    kind: "postgres",
    role: "primary",
    store: "memory",
    table: "episodes",
    key: "id",
    subject: { column: "account", type: "account" },
    content: ["body"],
  },
  replies: {
    kind: "redis",
    role: "derived",
    store: "cache",
    prefix: "reply:",
    content: ["body"],
    derivedFrom: { surface: "episodes", field: "sources", as: "json" },
    shared: "destroy",
  },
};

const sceneOf = (memory: Deleatur): Pick<Scene, "verify"> => ({
  verify: (outcome, change = {}) =>
    verifyOutcome(memory, outcome, { now: () => new Date(), advance: () => undefined }, change),
});

const installation = findPostgres();

describe.skipIf(installation === undefined || isRedisMissing)("two servers that are purged at the same time", () => {
  const server = useServer(installation);

  interface Memory {
    readonly boundary: string;
    /** Lets the tables be written and keeps them from being purged, until it is ended. */
    readonly block: () => Promise<() => Promise<void>>;
    readonly open: (report?: (event: ProgressEvent) => void) => Promise<Deleatur>;
    readonly left: () => Promise<unknown>;
  }

  async function openMemory(): Promise<Memory> {
    const directory = tempFolder();
    const redis = await startRedis({ persistence: "both" });
    const database = await server().createDatabase();
    await server().query(database, "CREATE TABLE episodes (id text PRIMARY KEY, account text, body text)");
    const boundary = join(directory, "deleatur.yaml");
    const memory = { url: server().url(database), data: server().data };
    writeFileSync(
      boundary,
      JSON.stringify({
        deleatur: 1,
        boundary: "cases/two-servers",
        identifiers: ["account"],
        writers: "sdk",
        surfaces: SURFACES,
        connect: { ledger: "sqlite:./deleatur.db", memory, cache: { url: redis.url } },
      }),
    );
    const open: Memory["open"] = async (report) => {
      const opened = await openDeleatur(boundary, report === undefined ? {} : { report });
      onTestFinished(() => opened.close());
      return opened;
    };
    const first = await open();
    for (const [place, body] of [...S_SAYS, ...T_SAYS].entries()) {
      const [id, person] = [`e${place}`, place < S_SAYS.length ? S : T];
      await first.record("episodes", { key: id, subjects: [person], content: { body } }, async () => {
        await server().query(database, "INSERT INTO episodes VALUES ($1, $2, $3)", [id, person.slice(8), body]);
      });
      const reply = { key: `reply:${id}`, sources: [`episodes/${id}`], content: { body: `So it was: ${body}` } };
      await first.derive("replies", reply, async () => {
        await redis.send("HSET", reply.key, "body", reply.content.body, "sources", JSON.stringify([id]));
      });
    }
    await first.close();
    return {
      boundary,
      open,
      block: async () => {
        const client = new Client({ connectionString: memory.url });
        await client.connect();
        await client.query("BEGIN; LOCK TABLE episodes IN ACCESS SHARE MODE");
        return () => client.end();
      },
      left: async () => ({
        rows: (await server().query(database, "SELECT id FROM episodes ORDER BY id")).map(({ id }) => id),
        keys: String(await redis.send("KEYS", "reply:*"))
          .split(",")
          .toSorted(),
        bytes: S_SAYS.map((text) => redis.count(text.slice(0, 30))),
      }),
    };
  }

  const CLEAN = { rows: ["e3", "e4", "e5"], keys: ["reply:e3", "reply:e4", "reply:e5"], bytes: [0, 0, 0] };

  it("ATTEST-4: the one is not waited for by the other, and both are purged before anything is attested", async () => {
    const { block, open, left } = await openMemory();
    const unblock = await block();
    const events: string[] = [];
    const memory = await open(({ step, phase, surface }) => {
      if (step !== "purge" || surface === undefined) return;
      events.push(`${surface} ${phase}`);
      if (phase === "finished" && surface === "replies") void unblock();
    });
    const outcome = await memory.forget({ subject: [S], now: true });
    expect(events).toEqual(["episodes started", "replies started", "replies finished", "episodes finished"]);
    expectErasure(sceneOf(memory), outcome);
    expect(await left()).toEqual(CLEAN);
  });

  it("FORGET-1: killed with -9 when one has ended and the other has not, the request is carried on to the same end", async () => {
    const { boundary, block, open, left } = await openMemory();
    const unblock = await block();
    const child = spawn(process.execPath, [CHILD, boundary, S, "replies"], { stdio: ["ignore", "ignore", "inherit"] });
    const [, killedBy] = (await once(child, "exit")) as [unknown, NodeJS.Signals | null];
    await unblock();
    expect(killedBy).toBe("SIGKILL");
    const memory = await open();
    const purges = (): number => logOf(memory).filter(({ type }) => type === "purge-finished").length;
    expect(purges()).toBe(0);
    const outcome = await memory.forget({ subject: [S], now: true });
    expect(purges()).toBe(1);
    expectErasure(sceneOf(memory), outcome);
    expect(await left()).toEqual(CLEAN);
  });
});
