// Fences in a store behind which no open request stands: a restore brought them back, or the ledger lost the request. One look a surface finds them, however many they are; a replay takes them down, but never another ledger's.
import { toHex } from "@deleatur/verify";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type RequestId, requestId, type SurfaceId, surfaceId } from "../../src/model/ids.ts";
import type { Deleatur } from "../../src/open-deleatur.ts";
import { useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { openPostgresScene } from "./postgres-scene.ts";
import { EPISODES, EPISODES_SQL, expectErasure, openScene, recordBoth, S, type Scene, T } from "./scene.ts";

const newRequest = (): RequestId => requestId(toHex(randomBytes(16)));
const episodes = surfaceId("episodes");

/** Requests that the ledger knows to be closed; nothing else is known of them. */
function closeMany({ engine: { ledger } }: Deleatur, count: number): readonly RequestId[] {
  const ids = Array.from({ length: count }, newRequest);
  ledger.transaction(() => {
    for (const id of ids) {
      ledger.openRequest({
        id,
        target: "records",
        identifiers: [],
        refs: [],
        boundaryDigest: "0".repeat(64),
        due: "2027-01-01T00:00:00Z",
        options: {},
      });
      ledger.closeRequest(id);
    }
  });
  return ids;
}

async function fence(memory: Deleatur, request: RequestId, person: string, id: SurfaceId = episodes): Promise<void> {
  const [type = "", value = ""] = person.split(":");
  const surface = await memory.engine.open(id);
  const order = { request, identifiers: [{ type, value }], keys: [], sources: new Map() };
  expect(await surface.fence(order, new AbortController().signal)).toBe("strong");
}

/** What a writer that never heard of us is told. */
function write(file: string, account: string): string {
  const db = new Database(file);
  try {
    db.prepare("INSERT INTO episodes (id, account, text) VALUES (hex(randomblob(8)), ?, 'a word')").run(account);
    return "written";
  } catch (error) {
    return String(error).includes("FENCED") ? "fenced" : String(error);
  } finally {
    db.close();
  }
}

describe("GUARD-4: a fence that nobody would take down", () => {
  it("is shown by check and taken down by a replay: of a closed request, and of one that the ledger does not know", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    await recordBoth(scene);
    const [closed = newRequest()] = closeMany(scene.memory, 1);
    await fence(scene.memory, closed, S);
    await fence(scene.memory, newRequest(), T);
    const shown = (await scene.memory.check()).fences;
    expect(shown.map((one) => [one.surface, one.closed.length, one.unknown.length, one.isShared])).toEqual([
      ["episodes", 1, 1, false],
    ]);
    const outcome = await scene.memory.replay({ now: true });
    expect([outcome.state, outcome.fences]).toEqual(["whole", { lifted: 2, left: 0 }]);
    expect((await scene.memory.check()).fences).toEqual([]);
    expect(scene.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'")).toEqual([]);
    expect([write(scene.file, "s-4471"), write(scene.file, "t-0815")]).toEqual(["written", "written"]);
  });

  it("stands while a request of this ledger, or another ledger over the same store, may need it", async () => {
    const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
    await recordBoth(scene);
    const other = await openScene({
      directory: scene.directory,
      surfaces: { episodes: EPISODES },
      ledger: "sqlite:./other.db",
    });
    await other.memory.record("episodes", { key: "u1", subjects: ["account:u-1"], content: { text: "a word" } }, () => {
      scene.app.exec("INSERT INTO episodes (id, account, text) VALUES ('u1', 'u-1', 'a word')");
    });
    const open = newRequest();
    await fence(other.memory, open, T);
    expect((await scene.memory.check()).fences).toMatchObject([{ unknown: [open], isShared: true }]);
    expect((await scene.memory.replay({ now: true })).fences).toEqual({ lifted: 0, left: 1 });
    expect(write(scene.file, "t-0815")).toBe("fenced");
    // Once it is said that the other is no more, its fences are nobody's.
    await scene.memory.adopt([other.memory.engine.ledger.ledgerId()]);
    expect((await scene.memory.replay({ now: true })).fences).toEqual({ lifted: 1, left: 0 });
    expect(write(scene.file, "t-0815")).toBe("written");
    expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  });
});

function noteOf({ app }: Scene, account: string): string {
  try {
    app.prepare("INSERT INTO notes VALUES (hex(randomblob(8)), ?, 'a word')").run(account);
    return "written";
  } catch (error) {
    return String(error).includes("FENCED") ? "fenced" : String(error);
  }
}

describe("GUARD-4: a fence in a location that was dropped from the boundary", () => {
  const notes = { ...EPISODES, table: "notes" } as const;
  const dropped = {
    surfaces: { episodes: EPISODES },
    exempt: [{ name: "notes", kind: "audit-log", store: "memory", table: "notes", ground: "moved" }],
  } as const;

  async function openNotes(): Promise<Scene> {
    const scene = await openScene({
      sql: `${EPISODES_SQL} CREATE TABLE notes (id TEXT PRIMARY KEY, account TEXT, text TEXT)`,
      surfaces: { episodes: EPISODES, notes },
    });
    await recordBoth(scene);
    return scene;
  }

  it("while its request waits, comes down with the others, and leaves nobody's name", async () => {
    const scene = await openNotes();
    const { request, state } = await scene.memory.forget({ subject: [S] });
    expect([state, noteOf(scene, "s-4471")]).toEqual(["waiting", "fenced"]);
    await scene.reopen(dropped);
    expectErasure(scene, await scene.memory.resume(request, { now: true }));
    expect(scene.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'deleatur%fence%'")).toEqual([]);
    expect(readFileSync(scene.file).includes("s-4471")).toBe(false);
    expect(noteOf(scene, "s-4471")).toBe("written");
  });

  it("is shown by check and taken down by a replay where its request was closed before", async () => {
    const scene = await openNotes();
    const [closed = newRequest()] = closeMany(scene.memory, 1);
    await fence(scene.memory, closed, S, surfaceId("notes"));
    await scene.reopen(dropped);
    expect((await scene.memory.check()).fences).toMatchObject([{ surface: "episodes", closed: [closed] }]);
    expect((await scene.memory.replay({ now: true })).fences).toEqual({ lifted: 1, left: 0 });
    expect(noteOf(scene, "s-4471")).toBe("written");
  });
});

const installation = findPostgres();

describe.skipIf(installation === undefined)("GUARD-4: thousands of closed requests over a PostgreSQL", () => {
  const server = useServer(installation);

  it("of a table that the boundary declares no more go too, with their triggers", async () => {
    const table = { ...EPISODES, kind: "postgres", key: "id" } as const;
    const scene = await openPostgresScene(server(), {
      sql: `${EPISODES_SQL} CREATE TABLE notes (id text PRIMARY KEY, account text, text text)`,
      surfaces: { episodes: table, notes: { ...table, table: "notes" } },
    });
    const [closed = newRequest()] = closeMany(scene.memory, 1);
    await fence(scene.memory, closed, S, surfaceId("notes"));
    const triggers = "SELECT 1 FROM pg_trigger WHERE tgname LIKE 'deleatur%'";
    expect(await scene.query(triggers)).not.toEqual([]);
    const memory = await scene.reopen({ surfaces: { episodes: table } });
    expect((await memory.check()).fences).toMatchObject([{ surface: "episodes", closed: [closed] }]);
    expect((await memory.replay({ now: true })).fences).toEqual({ lifted: 1, left: 0 });
    expect(await scene.query(triggers)).toEqual([]);
  });

  it("cost a replay no connection more than none, and all their fences go", async () => {
    const scene = await openPostgresScene(server(), {
      sql: EPISODES_SQL,
      surfaces: { episodes: { ...EPISODES, kind: "postgres", key: "id" } },
    });
    const { memory } = scene;
    const sessions = async (): Promise<number> => {
      const [row] = await scene.query(
        "SELECT sessions::int AS n FROM pg_stat_database WHERE datname = current_database()",
      );
      return Number(row?.["n"]);
    };
    const connections = async (work: () => Promise<unknown>): Promise<number> => {
      const before = await sessions();
      await work();
      return (await sessions()) - before;
    };
    await memory.replay({ now: true });
    const none = await connections(() => memory.replay({ now: true }));
    expect(none).toBeGreaterThan(0);
    const closed = closeMany(memory, 4_000);
    const lost = Array.from({ length: 1_000 }, newRequest);
    await fence(memory, closed[0] ?? newRequest(), S);
    await scene.query(
      `INSERT INTO deleatur.fence (digest, surface, request) SELECT md5(r), 'episodes', r FROM unnest($1::text[]) AS r ON CONFLICT DO NOTHING`,
      [[...closed.slice(0, 2_000), ...lost]],
    );
    expect(await scene.query("SELECT count(DISTINCT request)::int AS n FROM deleatur.fence")).toEqual([{ n: 3_000 }]);
    let outcome: Awaited<ReturnType<Deleatur["replay"]>> | undefined;
    const many = await connections(async () => {
      outcome = await memory.replay({ now: true });
    });
    expect([outcome?.state, outcome?.fences]).toEqual(["whole", { lifted: 3_000, left: 0 }]);
    // One to read the markers, one to take them down.
    expect(many - none).toBeLessThanOrEqual(2);
    expect(await scene.query("SELECT to_regclass('deleatur.fence') AS there")).toEqual([{ there: null }]);
  });
});
