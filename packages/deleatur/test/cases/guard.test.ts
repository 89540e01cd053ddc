// What must not come back: edited, inside a larger page, as boilerplate that others write as well (C17, C18, GUARD-2).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { liftEntries } from "../../src/audit/lift-entries.ts";
import type { GivenWrite } from "../../src/record/given-write.ts";
import {
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  logOf,
  openScene,
  recordBoth,
  recordEpisode,
  S,
  S_SAYS,
  type Scene,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
} from "./scene.ts";

const BOILERPLATE = "Customer called about billing.";
const FRAME = "Please find attached the monthly statement of the account that you asked for";
const PROVERB = "Nobody counts Zoë’s chickens on the farm before all of them have hatched";
/** Composed and decomposed accents, straight and typographic quotes. */
const ACCENTED = "Zoë said “the café’s naïve façade” was painted before the señor arrived in Besançon";
const HELD = { outcome: "held" };
const REFUSED = { name: "WriteRefusedError", code: "DENYLISTED" };

async function forgotten(): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "redact" } },
  });
  await recordBoth(scene);
  await recordEpisode(scene, "s4", S, ACCENTED);
  await recordEpisode(scene, "s5", S, BOILERPLATE);
  await recordEpisode(scene, "t5", T, BOILERPLATE);
  await recordEpisode(scene, "s6", S, `${FRAME}: the violet one`);
  await recordEpisode(scene, "t6", T, `${FRAME}: the green one`);
  await recordEpisode(scene, "s7", S, PROVERB);
  await recordEpisode(scene, "t7", T, `${PROVERB.normalize("NFD").toUpperCase()} !`);
  await deriveSummary(
    scene,
    "m1",
    ["s1", "t1"],
    `${S_SAYS[0]}. ${T_SAYS[0]}. They met at the fountain on the old market square.`,
  );
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  // What follows is about content: the person's own name is let back (GUARD-3).
  scene.memory.engine.ledger.liftDenylist({ identifiers: [{ type: "account", value: "s-4471" }] });
  return scene;
}

let keys = 0;
function put(scene: Scene, subjects: readonly string[], text: string): Promise<unknown> {
  const key = `new-${keys++}`;
  return scene.memory.record("episodes", { key, subjects, content: { text } }, () =>
    scene.app.prepare("INSERT INTO episodes VALUES (?, NULL, ?)").run(key, text),
  );
}

const newRows = (scene: Scene): unknown => scene.rows("SELECT id FROM episodes WHERE id LIKE 'new-%'").length;

it("C18 GUARD-2: erased text is kept out in another case, spacing, quotes, composition, and inside a longer page", async () => {
  const scene = await forgotten();
  const page = `${T_SAYS[1]}. ${"More of a page that nobody wrote before. ".repeat(40)} ${ACCENTED.normalize("NFD").toUpperCase()} ${T_SAYS[2]}.`;
  const edits = [
    ACCENTED.toUpperCase(),
    ACCENTED.replaceAll(" ", " \n\t "),
    ACCENTED.replaceAll(/[“”]/gu, '"').replaceAll("’", "'"),
    ACCENTED.normalize("NFD"),
    page,
  ];
  for (const text of edits) {
    await expect(put(scene, [S], text)).rejects.toMatchObject(REFUSED);
    for (const subjects of [[T], []]) expect(await put(scene, subjects, text)).toMatchObject(HELD);
  }
  expect(newRows(scene)).toBe(0);
  await put(scene, [T], ACCENTED.split(" ").toReversed().join(" "));
  await put(scene, [], `${page.slice(0, 400)} ${ACCENTED.split(" ").toReversed().join(" ")}`);
  expect(newRows(scene)).toBe(2);
});

it("GUARD-2: eight consecutive words of an erased text are enough, seven are not, wherever they stood", async () => {
  const scene = await forgotten();
  const words = S_SAYS[0].split(" ");
  for (let from = 0; from + 8 <= words.length; from += 1) {
    const quote = (length: number): string =>
      `Somebody said: ${words.slice(from, from + length).join(" ")} – and left.`;
    expect(await put(scene, [T], quote(8))).toMatchObject(HELD);
    expect(await put(scene, [T], quote(7))).not.toMatchObject(HELD);
  }
});

it("C17 GUARD-2: boilerplate that both had is refused for the forgotten person and accepted for the other, held for nobody named", async () => {
  const scene = await forgotten();
  await expect(put(scene, [S], BOILERPLATE)).rejects.toMatchObject(REFUSED);
  await put(scene, [T], BOILERPLATE);
  expect(await put(scene, [], BOILERPLATE)).toMatchObject(HELD);
  expect(newRows(scene)).toBe(1);
});

it("GUARD-2: a text of many words that both wrote, each in a spelling of their own, passes for the other", async () => {
  const scene = await forgotten();
  await expect(put(scene, [S], PROVERB)).rejects.toMatchObject(REFUSED);
  await put(scene, [T], PROVERB);
  expect(await put(scene, [], PROVERB)).toMatchObject(HELD);
  expect(newRows(scene)).toBe(1);
});

it("GUARD-2: a frame of eight words or more that others write too blocks nobody's new text", async () => {
  const scene = await forgotten();
  await put(scene, [T], `${FRAME}: the yellow one`);
  await put(scene, [], `${FRAME}: the red one`);
  expect(newRows(scene)).toBe(2);
  expect(await put(scene, [T], `${FRAME}: the violet one`)).toMatchObject(HELD);
});

it("C18 GUARD-2: a text that another person said too is theirs, though what was made of it is met before it", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    // Surfaces are surveyed in the order of their names.
    surfaces: { episodes: EPISODES, digests: { ...SUMMARIES, shared: "redact" } },
  });
  await recordEpisode(scene, "s7", S, PROVERB);
  await recordEpisode(scene, "t7", T, PROVERB);
  scene.app.prepare("INSERT INTO summaries VALUES ('m7', '[\"t7\"]', ?)").run(PROVERB);
  await scene.memory.forget({ subject: [S], now: true });
  expect(scene.rows("SELECT id FROM episodes")).toEqual([{ id: "t7" }]);
  await put(scene, [T], PROVERB);
  expect(newRows(scene)).toBe(1);
  expect(await put(scene, [], PROVERB)).toMatchObject(HELD);
});

it("GUARD-2 LINEAGE-5: what stays of a shared summary may be written again; what was struck from it may not", async () => {
  const scene = await forgotten();
  const kept = "They met at the fountain on the old market square.";
  expect(scene.rows("SELECT text FROM summaries")).toEqual([{ text: `[erased] ${T_SAYS[0]}. ${kept}` }]);
  await deriveSummary(scene, "m5", ["t1"], `${T_SAYS[0]}. ${kept}`);
  await deriveSummary(scene, "m6", ["t1"], `${kept} ${S_SAYS[0]}`);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m1" }, { id: "m5" }]);
  expect(scene.memory.held().map(({ artifact }) => artifact.key)).toEqual(["m6"]);
});

const NAMED = { role: "privacy-officer", reason: "TRUE_COINCIDENCE" };

it("GUARD-2: a held write is sealed, held once however often it is offered, and released for one write", async () => {
  const scene = await forgotten();
  const first = await put(scene, [T], S_SAYS[1]);
  expect(await put(scene, [T], S_SAYS[1])).toEqual(first);
  const memory = await scene.reopen();
  const [held] = memory.held();
  expect(memory.held()).toHaveLength(1);
  expect(held?.artifact.content).toEqual([{ type: "text", name: "text", text: S_SAYS[1] }]);
  expect(readFileSync(join(scene.directory, "deleatur.db")).includes(S_SAYS[1].slice(0, 12))).toBe(false);
  memory.decideHeld({ held: held?.id ?? "", decision: "released", ...NAMED });
  expect(await put(scene, [], S_SAYS[1])).toMatchObject(HELD);
  await put(scene, [T], S_SAYS[1]);
  expect(newRows(scene)).toBe(1);
  expect(await put(scene, [T], S_SAYS[1])).toMatchObject(HELD);
  expect(logOf(memory).filter(({ type }) => type === "held-decided")).toMatchObject([
    { decision: "released", ...NAMED },
  ]);
});

it("GUARD-2: a discarded write stays out, and a wrong id decides nothing", async () => {
  const scene = await forgotten();
  await put(scene, [T], S_SAYS[1]);
  const [held] = scene.memory.held();
  scene.memory.decideHeld({ held: held?.id ?? "", decision: "discarded", ...NAMED });
  expect(scene.memory.held()).toEqual([]);
  expect(() => scene.memory.decideHeld({ held: held?.id ?? "", decision: "released", ...NAMED })).toThrow(/held/u);
  expect(await put(scene, [T], S_SAYS[1])).toMatchObject(HELD);
  expect(newRows(scene)).toBe(0);
});

it("GUARD-2: what a person had offered is discarded with the person", async () => {
  const scene = await forgotten();
  await put(scene, [T], S_SAYS[1]);
  await scene.memory.forget({ subject: [T], now: true });
  expect(scene.memory.held()).toEqual([]);
});

const batched = (subjects: readonly string[], text: string): GivenWrite => ({
  key: `batch-${keys++}`,
  subjects,
  content: { text },
});

it("GUARD-2: of a batch with one held write nothing is written; with a refused one it is refused", async () => {
  const scene = await forgotten();
  let runs = 0;
  const batch = [batched([T], "Something that nobody said before in this whole building"), batched([T], S_SAYS[2])];
  const held = await scene.memory.recordBatch("episodes", batch, () => (runs += 1));
  expect(held).toMatchObject({ outcome: "held", ids: [expect.any(String)] });
  await expect(
    scene.memory.recordBatch("episodes", [...batch, batched([S], S_SAYS[0])], () => (runs += 1)),
  ).rejects.toMatchObject(REFUSED);
  expect(runs).toBe(0);
});

it("GUARD-2 GUARD-3: an allowed text is let in alone and inside larger ones, and is no entry of a later request", async () => {
  const scene = await forgotten();
  const { engine } = scene.memory;
  const named = { role: "privacy-officer", reason: "BOILERPLATE" };
  const template = S_SAYS[0];
  expect(await put(scene, [], template)).toMatchObject(HELD);
  expect(liftEntries(engine, { texts: [template], ...named })).toBe(1);
  await put(scene, [], template);
  await put(scene, [], `A larger page with ${template} in it`);
  expect(newRows(scene)).toBe(2);
  expect(await put(scene, [], S_SAYS[1])).toMatchObject(HELD);
  await recordEpisode(scene, "u1", "account:u", template);
  await scene.memory.forget({ subject: ["account:u"], now: true });
  expect(await put(scene, [T], `Again, ${template}`)).not.toMatchObject(HELD);
  expect(await put(scene, [T], template)).not.toMatchObject(HELD);
});

it("GUARD-3: lifting a request lets its texts in inside larger ones too", async () => {
  const scene = await forgotten();
  const { engine } = scene.memory;
  const page = `A page in which ${S_SAYS[1]} stands`;
  expect(await put(scene, [T], page)).toMatchObject(HELD);
  const [request] = engine.ledger.requests();
  liftEntries(engine, { request: request?.id ?? "", role: "privacy-officer", reason: "NEW_CONSENT" });
  expect(await put(scene, [T], page)).not.toMatchObject(HELD);
});
