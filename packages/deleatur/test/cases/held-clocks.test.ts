// Held writes and their releases under clocks that jump: no clock drops one unseen, and none opens the door again (GUARD-2).
import { expect, it } from "vitest";
import { utcTime } from "../../src/model/utc-time.ts";
import {
  DAY_MS,
  EPISODES,
  EPISODES_SQL,
  logOf,
  openScene,
  recordBoth,
  recordEpisode,
  S,
  S_SAYS,
  type Scene,
  T,
  T_SAYS,
} from "./scene.ts";

const HELD = { outcome: "held" };
const NAMED = { role: "privacy-officer", reason: "TRUE_COINCIDENCE" };

let keys = 0;
function offer(scene: Scene): Promise<unknown> {
  const key = `n${keys++}`;
  return scene.memory.record("episodes", { key, subjects: [T], content: { text: S_SAYS[1] } }, () =>
    scene.app.prepare("INSERT INTO episodes VALUES (?, NULL, ?)").run(key, S_SAYS[1]),
  );
}

/** S is forgotten, and somebody else's write of what S said is held. */
async function held(): Promise<Scene> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  await scene.memory.forget({ subject: [S], now: true });
  expect(await offer(scene)).toMatchObject(HELD);
  return scene;
}

function release(scene: Scene): void {
  const [first] = scene.memory.held();
  scene.memory.decideHeld({ held: first?.id ?? "", decision: "released", ...NAMED });
}

/** Something is logged under the clock as it stands. */
async function look(scene: Scene): Promise<void> {
  for await (const { outcome } of scene.memory.watch()) {
    expect(outcome).toBe("clean");
    return;
  }
}

const expired = (scene: Scene): readonly unknown[] => logOf(scene.memory).filter(({ type }) => type === "held-expired");

it("GUARD-2: what was released, was not written in time and is offered again waits for a decision anew, and one release lets it in", async () => {
  const scene = await held();
  release(scene);
  scene.clock.advance(31 * DAY_MS);
  expect(await offer(scene)).toMatchObject(HELD);
  expect(scene.memory.held()).toMatchObject([{ artifact: { content: [{ text: S_SAYS[1] }] } }]);
  release(scene);
  expect(scene.memory.held()).toEqual([]);
  expect(await offer(scene)).not.toMatchObject(HELD);
  expect(await offer(scene)).toMatchObject(HELD);
});

it("GUARD-2: a release that ran out stays so, whatever is logged after the clock was put back; a new one counts from the latest time in the log", async () => {
  const scene = await held();
  release(scene);
  scene.clock.advance(31 * DAY_MS);
  await look(scene);
  scene.clock.advance(-20 * DAY_MS);
  await look(scene);
  expect(await offer(scene)).toMatchObject(HELD);
  release(scene);
  scene.clock.advance(40 * DAY_MS);
  expect(await offer(scene)).not.toMatchObject(HELD);
});

it("GUARD-2 LOG-1: a ledger that is opened once or twice under a clock that jumped ahead keeps what nobody decided", async () => {
  const scene = await held();
  for (const days of [31, 2]) {
    scene.clock.advance(days * DAY_MS);
    await scene.reopen();
    await recordEpisode(scene, `t-${days}`, T, T_SAYS[2]);
    await look(scene);
  }
  scene.clock.advance(-33 * DAY_MS);
  await scene.reopen();
  expect(scene.memory.held()).toHaveLength(1);
  expect(expired(scene)).toEqual([]);
});

it("GUARD-2 LOG-1: what nobody decided in thirty days that the log shows is dropped, and each is logged by its id", async () => {
  const scene = await held();
  const [{ id } = { id: "" }] = scene.memory.held();
  for (let day = 0; day < 30; day += 5) {
    expect(scene.memory.held()).toHaveLength(1);
    scene.clock.advance(5 * DAY_MS);
    await look(scene);
    await scene.reopen();
  }
  expect(scene.memory.held()).toEqual([]);
  expect(expired(scene)).toMatchObject([{ held: id }]);
});

const MOMENTS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "are listed": async (scene) => expect(scene.memory.held()).toEqual([]),
  "are looked for by a watch": look,
  "could be discarded by a forget": (scene) => scene.memory.forget({ subject: ["account:u-1"], now: true }),
  "are looked for by a find": (scene) => scene.memory.find({ subject: ["account:u-1"] }),
};

it.each(Object.entries(MOMENTS))(
  "GUARD-2: a process that opens its ledger once drops held writes that are over their time where they %s",
  async (_when, come) => {
    const scene = await held();
    for (let day = 0; day < 30; day += 5) {
      scene.clock.advance(5 * DAY_MS);
      await recordEpisode(scene, `u-${day}`, "account:u-1", `${T_SAYS[1]} on day ${day}`);
      scene.memory.engine.ledger.append({ type: "watched", at: utcTime(scene.clock.now()), outcome: "clean" });
    }
    const { ledger } = scene.memory.engine;
    const [{ id } = { id: "" }] = ledger.heldWrites();
    await come(scene);
    expect(ledger.heldWrites()).toEqual([]);
    expect(expired(scene)).toMatchObject([{ held: id }]);
  },
);
