// A replay's requests stand for those whose entries it acts on: a lift of these reaches what the replay entered again, and no more (GUARD-3).
import { join } from "node:path";
import { expect, it } from "vitest";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import { requestId } from "../../src/model/ids.ts";
import { backUp, restored } from "./restored.ts";
import {
  EPISODES,
  EPISODES_SQL,
  logOf,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  T,
  T_SAYS,
  tempFolder,
} from "./scene.ts";

const ACT = { role: "privacy-officer", reason: "NEW_CONSENT" };

/** What the SDK's door says to a new row of the person: nothing, or the error. */
async function offer(scene: Scene, surface: string, key: string, person: string, text: string): Promise<unknown> {
  const write = { key, subjects: [person], content: { text } };
  return scene.memory.record(surface, write, () => undefined).catch((error: unknown) => error);
}

it("GUARD-3 GUARD-4: a lift of a request reaches what replays entered for it again, and nothing that they entered for another", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  const restore = backUp(scene, ["memory.db"]);
  const [first, other] = [
    await scene.memory.forget({ subject: [S], now: true }),
    await scene.memory.forget({ subject: [T], now: true }),
  ];
  // The second replay stands for what the first one stood for.
  for (let round = 0; round < 2; round += 1) {
    await restored(scene, restore);
    const replayed = await scene.memory.replay({ now: true });
    expect([replayed.state, replayed.requests.length]).toEqual(["whole", 2]);
  }
  const { engine } = scene.memory;
  const offer = async (key: string, person: string, text: string): Promise<unknown> => {
    const write = { key, subjects: [person], content: { text } };
    return scene.memory.record("episodes", write, () => undefined).catch((error: unknown) => error);
  };
  expect(await offer("s9", S, S_SAYS[0])).toMatchObject({ code: "DENYLISTED" });
  const lifted = liftEntries(engine, { request: first.request, ...ACT });
  expect(lifted).toBeGreaterThan(engine.ledger.denylistCount(requestId(other.request)));
  for (const [place, text] of S_SAYS.entries())
    expect(await offer(`s${place + 10}`, S, `${text} And more of it.`)).toBeUndefined();
  expect(await offer("t9", T, T_SAYS[0])).toMatchObject({ code: "DENYLISTED" });
  expect(logOf(scene.memory).filter(({ type }) => type === "denylist-lifted")).toHaveLength(3);
  // What was lifted may be there again, whoever had erased it last.
  await restored(scene, restore);
  expect((await scene.memory.replay({ now: true })).state).toBe("whole");
  expect(scene.rows("SELECT id FROM episodes ORDER BY id").map(({ id }) => id)).toEqual(["s1", "s2", "s3"]);
});

it("GUARD-3: what a replay entered for a person who was forgotten twice is lifted with the later of the two", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  const restore = backUp(scene, ["memory.db"]);
  const first = await scene.memory.forget({ subject: [S], now: true });
  // Past the SDK's door.
  scene.app.exec(
    "INSERT INTO episodes VALUES ('s5', 's-4471', 'A later row that somebody wrote about the same person')",
  );
  const second = await scene.memory.forget({ subject: [S], now: true });
  expect(second.request).not.toBe(first.request);
  await restored(scene, restore);
  const [replayed] = (await scene.memory.replay({ now: true })).requests;
  const left = (): number => scene.memory.engine.ledger.denylistCount(requestId(replayed?.request ?? ""));
  expect(left()).toBeGreaterThan(3);
  liftEntries(scene.memory.engine, { request: first.request, ...ACT });
  expect(left()).toBeGreaterThan(3);
  expect(await offer(scene, "episodes", "s9", S, S_SAYS[0])).toMatchObject({ code: "DENYLISTED" });
  // The person alone, and then the rest.
  liftEntries(scene.memory.engine, { request: second.request, subject: [S], ...ACT });
  expect(await offer(scene, "episodes", "s8", S, "Something that nobody has said before")).toBeUndefined();
  expect(left()).toBeGreaterThan(2);
  expect(() => liftEntries(scene.memory.engine, { request: second.request, subject: [S], ...ACT })).toThrow(
    expect.objectContaining({ code: "NOTHING_LIFTED" }),
  );
  liftEntries(scene.memory.engine, { request: first.request, texts: [S_SAYS[0]], ...ACT });
  expect(await offer(scene, "episodes", "s7", S, S_SAYS[0])).toBeUndefined();
  expect(await offer(scene, "episodes", "s6", S, S_SAYS[1])).toMatchObject({ code: "DENYLISTED" });
});

it("GUARD-3 GUARD-4: records that no column gives a person are replayed apart for each request, so that a lift reaches its own", async () => {
  const scene = await openScene({
    sql: "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL);",
    surfaces: {
      notes: { kind: "sqlite", role: "primary", store: "memory", table: "notes", key: "id", content: ["text"] },
    },
  });
  for (const [person, key, text] of [
    [S, "s1", S_SAYS[0]],
    [T, "t1", T_SAYS[0]],
  ] as const)
    await scene.memory.record("notes", { key, subjects: [person], content: { text } }, () => {
      scene.app.prepare("INSERT INTO notes VALUES (?, ?)").run(key, text);
    });
  const restore = backUp(scene, ["memory.db"]);
  const first = await scene.memory.forget({ subject: [S], now: true });
  await scene.memory.forget({ subject: [T], now: true });
  await restored(scene, restore);
  expect((await scene.memory.replay({ now: true })).requests).toHaveLength(2);
  expect(scene.rows("SELECT id FROM notes")).toEqual([]);
  liftEntries(scene.memory.engine, { request: first.request, ...ACT });
  expect(await offer(scene, "notes", "s9", S, S_SAYS[0])).toBeUndefined();
  expect(await offer(scene, "notes", "t9", T, T_SAYS[0])).toMatchObject({ code: "DENYLISTED" });
});

it("GUARD-3 GUARD-5: a ledger that is set back knows from its anchor for whom a replay stood", async () => {
  const anchor = join(tempFolder(), "deleatur.anchor");
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES },
    connect: { anchor: { file: anchor } },
  });
  await recordBoth(scene);
  const restore = backUp(scene, ["memory.db"]);
  const ledgerToo = backUp(scene, ["deleatur.db"]);
  const first = await scene.memory.forget({ subject: [S], now: true });
  await restored(scene, restore);
  expect((await scene.memory.replay({ now: true })).state).toBe("whole");
  await restored(scene, ledgerToo);
  expect((await scene.memory.replay({ now: true })).state).toBe("whole");
  const request = requestId(first.request);
  const known = scene.memory.engine.ledger.standInsOf(request);
  expect(known).toMatchObject([{ others: [] }]);
  liftEntries(scene.memory.engine, { request, ...ACT });
  expect(await offer(scene, "episodes", "s9", S, S_SAYS[0])).toBeUndefined();
});
