// What two people own together: a summary of both, an entity row, namespaces and ids that only look alike (C03, C07, C14, C16, LINEAGE-5).
import { expect, it } from "vitest";
import {
  codes,
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  recordEpisode,
  S,
  S_SAYS,
  type Scene,
  type SceneSetup,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
  violations,
} from "./scene.ts";

type Policy = Pick<SceneSetup["surfaces"][string], "shared" | "rederive">;
const FACT = S_SAYS[0];
const BOTH = `${FACT}. ${T_SAYS[0]}.`;

async function mixedMemory(policy: Policy): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, ...policy } },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1", "t1"], BOTH);
  await deriveSummary(scene, "m2", ["t2"], `It was noted: ${T_SAYS[1]}.`);
  return scene;
}

const REDERIVE = { shared: "rederive", rederive: "summarise" } as const;
const summaryTexts = (scene: Scene): unknown => scene.rows("SELECT id, text FROM summaries ORDER BY id");

it("C03 VERDICT-2: the summary of two people keeps the fact when only the episode is deleted, PARTIAL naming it", async () => {
  const scene = await mixedMemory({ shared: "destroy" });
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.exec("DELETE FROM episodes WHERE account = 's-4471'; VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const claim = { subject: S, surfacesReached: ["episodes", "summaries"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(audit.verdict).toBe("PARTIAL");
  expect(audit.survivors.map(({ surface, key }) => [surface, key])).toEqual([["summaries", "m1"]]);
});

it("C03 LINEAGE-5: rederive writes a new summary from the survivor's episode alone", async () => {
  const scene = await mixedMemory(REDERIVE);
  const asked: string[][] = [];
  scene.memory.registerRederive("summarise", (sources) => {
    asked.push(sources.map(({ key }) => key));
    const texts = sources.flatMap(({ content }) => content.flatMap((field) => ("text" in field ? [field.text] : [])));
    return Promise.resolve(`From those who stay: ${texts.join(" ")}`);
  });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(asked).toEqual([["t1"]]);
  expect(summaryTexts(scene)).toEqual([
    { id: "m1", text: `From those who stay: ${T_SAYS[0]}` },
    { id: "m2", text: `It was noted: ${T_SAYS[1]}.` },
  ]);
  expect(scene.rows("SELECT source_ids FROM summaries WHERE id = 'm1'")).toEqual([{ source_ids: '["t1"]' }]);
  expect(outcome.surfaces.find(({ surface }) => surface === "summaries")).toMatchObject({ rewritten: 1, erased: 0 });
  expect(outcome.bystanders).toMatchObject({ lost: 0 });
});

it("C03 LINEAGE-5: destroy takes the shared summary and reports it as the other's loss by policy", async () => {
  const scene = await mixedMemory({ shared: "destroy" });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(summaryTexts(scene)).toEqual([{ id: "m2", text: `It was noted: ${T_SAYS[1]}.` }]);
  expect(outcome.bystanders).toMatchObject({ lost: 1, lostByPolicy: 1 });
});

it("C03 LINEAGE-5: redact strikes what the person said and leaves the other's words", async () => {
  const scene = await mixedMemory({ shared: "redact" });
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(summaryTexts(scene)).toEqual([
    { id: "m1", text: `[erased] ${T_SAYS[0]}.` },
    { id: "m2", text: `It was noted: ${T_SAYS[1]}.` },
  ]);
});

const FAILING: readonly (readonly [string, (() => Promise<string>) | undefined])[] = [
  ["throws", () => Promise.reject(new Error("no model"))],
  ["answers nothing", () => Promise.resolve("  ")],
  ["repeats the erased fact", () => Promise.resolve(`They said ${FACT.toLowerCase()}`)],
  ["is not registered", undefined],
];

it.each(FAILING)(
  "LINEAGE-5: a rederiver that %s leaves the old text fenced and the request stuck; mended, resume finishes",
  async (_how, rederiver) => {
    const scene = await mixedMemory(REDERIVE);
    let current = rederiver ?? (() => Promise.resolve(T_SAYS[0]));
    if (rederiver !== undefined) scene.memory.registerRederive("summarise", () => current());
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect([outcome.verdict, outcome.state, outcome.exitCode]).toEqual(["PARTIAL", "stuck", 20]);
    expect(outcome.attestation).toMatchObject({ kind: "withheld", code: "SURVIVOR_FOUND", resumable: true });
    expect(outcome.surfaces.find(({ surface }) => surface === "summaries")).toMatchObject({ failed: 1, erased: 0 });
    // FORGET-1: the rest is erased all the same; the old text is neither destroyed nor replaced, and nothing new derives from it.
    expect(scene.rows("SELECT id FROM episodes WHERE account = 's-4471'")).toEqual([]);
    expect(scene.rows("SELECT text FROM summaries WHERE id = 'm1'")).toEqual([{ text: BOTH }]);
    await expect(
      scene.memory.derive(
        "summaries",
        { key: "m9", sources: ["summaries/m1"], content: { text: "a digest" } },
        () => 0,
      ),
    ).rejects.toMatchObject({ code: "FENCED" });
    expect(() => scene.app.prepare("UPDATE summaries SET text = 'new' WHERE id = 'm1'").run()).toThrow(/./u);
    current = () => Promise.resolve(T_SAYS[0]);
    if (rederiver === undefined) scene.memory.registerRederive("summarise", () => current());
    const resumed = await scene.memory.resume(outcome.request, { now: true });
    expectErasure(scene, resumed);
    expect(scene.rows("SELECT text FROM summaries WHERE id = 'm1'")).toEqual([{ text: T_SAYS[0] }]);
  },
);

/** One entity row that S and T own through a join table. */
async function ownedMemory(): Promise<Scene> {
  const scene = await openScene({
    sql: `CREATE TABLE entities (id TEXT PRIMARY KEY, text TEXT NOT NULL); CREATE TABLE owners (id TEXT, account TEXT);`,
    surfaces: {
      entities: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "entities",
        key: "id",
        content: ["text"],
        subject: { via: "owners", on: "id", column: "account", type: "account" },
      },
    },
    census: { quiet: ["memory.owners"] },
  });
  const rows = [
    ["n1", "The Lindenhof allotment garden has a shared water pump near the western gate", [S, T]],
    ["n2", S_SAYS[1], [S]],
    ["n3", T_SAYS[1], [T]],
  ] as const;
  for (const [key, text, subjects] of rows) {
    await scene.memory.record("entities", { key, subjects, content: { text } }, () => {
      for (const person of subjects) scene.app.prepare("INSERT INTO owners VALUES (?, ?)").run(key, person.slice(8));
      scene.app.prepare("INSERT INTO entities VALUES (?, ?)").run(key, text);
    });
  }
  return scene;
}

it("C07: ours takes the person's ownership edge and keeps the row for the other owner", async () => {
  const scene = await ownedMemory();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(scene.rows("SELECT id FROM entities ORDER BY id")).toEqual([{ id: "n1" }, { id: "n3" }]);
  expect(scene.rows("SELECT id, account FROM owners ORDER BY id")).toEqual([
    { id: "n1", account: "t-0815" },
    { id: "n3", account: "t-0815" },
  ]);
  expect(outcome.bystanders.lost).toBe(0);
});

it("C07: a foreign tool that deletes the shared row is reported for over-deletion", async () => {
  const scene = await ownedMemory();
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.exec("DELETE FROM entities WHERE id IN ('n1', 'n2'); DELETE FROM owners WHERE id IN ('n1', 'n2'); VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const claim = { subject: S, surfacesReached: ["entities"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(codes(audit)[0]).toBe("BYSTANDER_LOST");
  expect(audit.bystanders.lost).toBe(1);
  expect(violations(scene.memory)).toContain("BYSTANDER_LOST");
});

it("C14: namespaces that join to the same path are two: forgetting one leaves the other", async () => {
  const scene = await openScene({
    sql: "CREATE TABLE items (space TEXT, name TEXT, text TEXT NOT NULL, PRIMARY KEY (space, name));",
    surfaces: {
      items: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "items",
        key: ["space", "name"],
        content: ["text"],
      },
    },
  });
  const insert = scene.app.prepare("INSERT INTO items VALUES (?, ?, ?)");
  const record = (space: string, name: string, text: string): Promise<unknown> =>
    scene.memory.record("items", { key: JSON.stringify([space, name]), content: { text } }, () =>
      insert.run(space, name, text),
    );
  await record("a:b", "c", S_SAYS[0]);
  await record("a", "b:c", T_SAYS[0]);
  const outcome = await scene.memory.forget({ records: ['items/["a:b","c"]'], now: true });
  expectErasure(scene, outcome, { identifiers: [] });
  expect(scene.rows("SELECT space, name FROM items")).toEqual([{ space: "a", name: "b:c" }]);
});

async function prefixMemory(): Promise<Scene> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordEpisode(scene, "e1", "account:42", S_SAYS[0]);
  await recordEpisode(scene, "e2", "account:421", T_SAYS[0]);
  await recordEpisode(scene, "e3", "account:4", T_SAYS[1]);
  return scene;
}

it("C16: a tool that matches ids by prefix is reported for over-deletion", async () => {
  const scene = await prefixMemory();
  const ticket = await scene.memory.prepareAudit({ subject: ["account:42"] });
  scene.app.exec("DELETE FROM episodes WHERE account LIKE '42%'; VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const claim = { subject: "account:42", surfacesReached: ["episodes"], tombstoneWritten: true };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(codes(audit)[0]).toBe("BYSTANDER_LOST");
  expect(audit.bystanders).toMatchObject({ checked: 2, intact: 1, lost: 1 });
  expect(audit.exitCode).not.toBe(0);
});

it("C16: ours takes 42 and leaves 421 and 4 everything", async () => {
  const scene = await prefixMemory();
  const outcome = await scene.memory.forget({ subject: ["account:42"], now: true });
  expectErasure(scene, outcome, { identifiers: [{ type: "account", identifier: "42" }] });
  expect(scene.rows("SELECT id FROM episodes ORDER BY id")).toEqual([{ id: "e2" }, { id: "e3" }]);
  expect(outcome.bystanders).toMatchObject({ checked: 2, intact: 2, lost: 0 });
});
