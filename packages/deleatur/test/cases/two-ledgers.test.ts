// Two ledgers over one store: each finds the other's marker, and neither attests an erasure (DESIGN §7, CONTAINER_SHARED).
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import {
  codes,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  logOf,
  openScene,
  recordBoth,
  S,
  type Scene,
  T,
} from "./scene.ts";

const TRANSCRIPTS = {
  kind: "jsonl",
  role: "primary",
  store: "shared",
  key: "id",
  subject: { field: "user", type: "account" },
  content: ["text"],
} as const;

const forget = (scene: Scene, person: string = S): ReturnType<Scene["memory"]["forget"]> =>
  scene.memory.forget({ subject: [person], now: true });

function markersIn(file: string): readonly unknown[] {
  const db = new Database(file, { readonly: true });
  try {
    const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deleatur_ledger'").get() !== undefined;
    return hasTable ? db.prepare("SELECT id FROM deleatur_ledger").all() : [];
  } finally {
    db.close();
  }
}

/** A second boundary with a ledger of its own over the first one's database. */
const over = (file: string): Promise<Scene> =>
  openScene({ surfaces: { episodes: EPISODES }, connect: { memory: { file } } });

it("VERDICT-4: two ledgers over one SQLite store find each other, PARTIAL at best, until one adopts it", async () => {
  const first = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(first);
  const second = await over(first.file);
  // What only looks leaves no marker.
  await second.memory.check();
  expect(markersIn(first.file)).toHaveLength(1);
  const outcome = await forget(second);
  expect([outcome.verdict, outcome.exitCode]).toEqual(["PARTIAL", 20]);
  expect(outcome.reasons.map(({ code, surface }) => [code, surface])).toEqual([["CONTAINER_SHARED", "episodes"]]);
  expect(outcome.attestation).toMatchObject({ kind: "withheld", code: "DOMAIN_NOT_COVERED" });
  expect(markersIn(first.file)).toHaveLength(2);
  const check = await first.memory.check();
  expect(check.shared).toEqual([
    { container: "memory", surfaces: ["episodes"], ledgers: [second.memory.engine.ledger.ledgerId()] },
  ]);
  expect(check.best.attestation).not.toBe("erasure");
  expect(codes(await forget(first, T))).toContain("CONTAINER_SHARED");
  await expect(second.memory.adopt(["0".repeat(32)])).rejects.toMatchObject({ code: "MARKER_UNKNOWN" });
  await second.memory.adopt([first.memory.engine.ledger.ledgerId()]);
  expect(logOf(second.memory).filter(({ verb }) => verb === "adopt")).toHaveLength(2);
  expectErasure(second, await second.memory.resume(outcome.request, { now: true }));
});

it("VERDICT-4: two ledgers over one folder of files find each other", async () => {
  const first = await openScene({
    sql: EPISODES_SQL,
    surfaces: { transcripts: { ...TRANSCRIPTS, store: "transcripts" } },
    before: (directory) =>
      writeFileSync(
        join(directory, "transcripts", "a.jsonl"),
        ["s", "t"]
          .map(
            (who) =>
              `{"id":"${who}1","user":"${who === "s" ? "s-4471" : "t-0815"}","text":"Some longer words of ${who}"}\n`,
          )
          .join(""),
      ),
  });
  await first.memory.scan();
  expectErasure(first, await forget(first));
  expect(readdirSync(first.transcripts).filter((name) => name.startsWith(".deleatur-ledger-"))).toHaveLength(1);
  const second = await openScene({
    surfaces: { lines: TRANSCRIPTS },
    connect: { shared: { path: join(first.transcripts, "*.jsonl") } },
  });
  const outcome = await forget(second, T);
  expect([outcome.verdict, codes(outcome)]).toEqual(["PARTIAL", ["CONTAINER_SHARED"]]);
  await second.memory.adopt([first.memory.engine.ledger.ledgerId()]);
  expect(readdirSync(first.transcripts).filter((name) => name.startsWith(".deleatur-ledger-"))).toHaveLength(1);
  expectErasure(second, await second.memory.resume(outcome.request, { now: true }), {
    identifiers: [{ type: "account", identifier: "t-0815" }],
  });
});

it("VERDICT-4: a copy of a store bears the marker of the ledger that it came from", async () => {
  const first = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(first);
  first.app.pragma("wal_checkpoint(TRUNCATE)");
  const copy = join(first.directory, "copies", "memory.db");
  mkdirSync(join(first.directory, "copies"));
  copyFileSync(first.file, copy);
  const second = await over(copy);
  expect((await second.memory.check()).shared).toHaveLength(1);
  await second.memory.adopt([first.memory.engine.ledger.ledgerId()]);
  expectErasure(second, await forget(second));
  // The first one's own store is untouched by that.
  expect((await first.memory.check()).shared).toEqual([]);
  expectErasure(first, await forget(first));
});
