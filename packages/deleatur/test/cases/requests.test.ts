// The life of a request: joined, by record, by list, tried dry, waiting for a window; and nothing of the person left in our own files (PRIVACY-1).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  codes,
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
  type SceneSetup,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
} from "./scene.ts";

async function memory(change: Partial<SceneSetup> = {}): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "rederive", rederive: "summarise" } },
    ...change,
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1", "t1"], `${S_SAYS[0]}. ${T_SAYS[0]}.`);
  await deriveSummary(scene, "m2", ["s2"], `A note of theirs: ${S_SAYS[1]}.`);
  return scene;
}

it("FORGET-2: a second forget of the same person in one process joins the first", async () => {
  const scene = await memory();
  scene.memory.registerRederive("summarise", () => Promise.resolve(T_SAYS[0]));
  const [one, two] = await Promise.all([
    scene.memory.forget({ subject: [S], now: true }),
    scene.memory.forget({ subject: [S], now: true }),
  ]);
  expectErasure(scene, one);
  expect(two).toBe(one);
  expect(logOf(scene.memory).filter(({ type }) => type === "run-started")).toHaveLength(1);
});

it("FORGET-2: a second forget of the same person in another process waits for the first and answers its outcome", async () => {
  const scene = await memory();
  let answer: Promise<string> | undefined;
  scene.memory.registerRederive("summarise", async () => {
    const script = fileURLToPath(new URL("join-in-child.mjs", import.meta.url));
    const child = spawn(process.execPath, [script, scene.directory], { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    await once(lines, "line");
    answer = once(lines, "line").then(([line]) => String(line));
    // It has been received and waits for our claim.
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    return T_SAYS[0];
  });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(JSON.parse((await answer) ?? "")).toEqual({
    request: outcome.request,
    verdict: "COMPLIANT",
    state: "closed",
    kind: "erasure",
    receipt: outcome.receipt,
  });
  expect(logOf(scene.memory).filter(({ type }) => type === "request-opened")).toHaveLength(1);
});

it("FORGET-1: by record and by list: what was named goes with all that derives from it, the rest of the person stays", async () => {
  const scene = await memory();
  scene.memory.registerRederive("summarise", () => Promise.resolve(T_SAYS[0]));
  const outcome = await scene.memory.forget({ records: ["episodes/s2", "episodes/s3"], now: true });
  expectErasure(scene, outcome, { identifiers: [] });
  expect(scene.rows("SELECT id FROM episodes ORDER BY id").map(({ id }) => id)).toEqual(["s1", "t1", "t2", "t3"]);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m1" }]);
  // GUARD-2: by record, the person may go on writing; the erased words may not come back.
  await recordEpisode(scene, "s4", S, "Tomorrow I will bring the spare keys for the boiler room to the office");
  await recordEpisode(scene, "s5", S, S_SAYS[1]);
  expect(scene.rows("SELECT id FROM episodes WHERE id = 's5'")).toEqual([]);
  expect(scene.memory.held()).toHaveLength(1);
});

/** Every file under a folder with its bytes. */
function bytesOf(folder: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile() && !name.endsWith("-shm"))
      .map((name) => [name, readFileSync(join(folder, name))]),
  );
}

it("a dry run shows the closure and the best outcome, and touches not one byte of stores and ledger", async () => {
  const scene = await memory();
  await scene.memory.dryRun({ subject: [S] });
  const before = bytesOf(scene.directory);
  const plan = await scene.memory.dryRun({ subject: [S] });
  const after = bytesOf(scene.directory);
  expect([...after.keys()]).toEqual([...before.keys()]);
  for (const [name, bytes] of before) expect([name, after.get(name)?.equals(bytes)]).toEqual([name, true]);
  expect(
    plan.items
      .map(({ artifact, action, because }) => [artifact, action, because])
      .toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
  ).toEqual([
    ["episodes/s1", "erase", "own"],
    ["episodes/s2", "erase", "own"],
    ["episodes/s3", "erase", "own"],
    ["summaries/m1", "rewrite", "shared"],
    ["summaries/m2", "erase", "own"],
  ]);
  expect(plan.best).toMatchObject({ attestation: "erasure", verdict: "COMPLIANT" });
  expect(scene.memory.engine.ledger.requests()).toEqual([]);
});

it("FORGET-2: a purge that waits for its window is a state with a date: erased, no verdict, nothing signed, exit 22", async () => {
  const now = new Date();
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(now.getUTCDay() + 3) % 7];
  const purge = { window: `${day} 02:00-05:00Z` };
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: { ...EPISODES, purge } } });
  await recordBoth(scene);
  const waiting = await scene.memory.forget({ subject: [S] });
  expect([waiting.state, waiting.why, waiting.verdict, waiting.exitCode]).toEqual([
    "waiting",
    "purge-window",
    undefined,
    22,
  ]);
  expect([waiting.attestation, waiting.receipt]).toEqual([{ kind: "none", code: "WAITING" }, undefined]);
  expect(scene.rows("SELECT count(*) AS n FROM episodes WHERE account = 's-4471'")).toEqual([{ n: 0 }]);
  await expect(recordEpisode(scene, "s9", S, "a late word")).rejects.toMatchObject({ name: "WriteRefusedError" });
  scene.clock.advance(new Date(waiting.until ?? 0).getTime() - scene.clock.now().getTime() + 60_000);
  expectErasure(scene, await scene.memory.resume(waiting.request));
});

/** Every run of twelve bytes of these texts, as they stand and as base64, that others' texts do not have too. */
function runsOf(texts: readonly string[], others: readonly string[]): readonly Buffer[] {
  const runs = new Set<string>();
  for (const text of texts) {
    const bytes = Buffer.from(text);
    for (let at = 0; at + 12 <= bytes.length; at += 1) runs.add(bytes.subarray(at, at + 12).toString("latin1"));
    for (const skip of [0, 1, 2]) {
      const base64 = bytes.subarray(skip).toString("base64").replaceAll("=", "");
      for (let at = 0; at + 16 <= base64.length; at += 4) runs.add(base64.slice(at, at + 16));
    }
  }
  const theirs = others.join("\n");
  return [...runs].filter((run) => !theirs.includes(run)).map((run) => Buffer.from(run, "latin1"));
}

it("PRIVACY-1: after the close, no run of twelve bytes of the erased text is in ledger, WAL, log, keys, receipt, stores or temporary files", async () => {
  const scene = await memory({
    surfaces: {
      episodes: EPISODES,
      summaries: { ...SUMMARIES, shared: "rederive", rederive: "summarise" },
      transcripts: {
        kind: "jsonl",
        role: "transcript",
        store: "transcripts",
        key: "id",
        subject: { field: "user", type: "account" },
        content: ["text"],
      },
    },
  });
  scene.memory.registerRederive("summarise", () => Promise.resolve(`Only this stays: ${T_SAYS[0]}`));
  const lines = [...S_SAYS, ...T_SAYS].map((text, at) => ({ id: `l${at}`, user: at < 3 ? "s-4471" : "t-0815", text }));
  await scene.memory.recordBatch(
    "transcripts",
    lines.map(({ id, user, text }) => ({ key: id, subjects: [`account:${user}`], content: { text } })),
    () =>
      writeFileSync(join(scene.transcripts, "day.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
  );
  const secrets = [...S_SAYS, `A note of theirs: ${S_SAYS[1]}.`, "account:s-4471", '"user":"s-4471"'];
  const runs = runsOf(secrets, T_SAYS);
  const found = (): readonly string[] =>
    [...bytesOf(scene.directory)].flatMap(([name, bytes]) => (runs.some((run) => bytes.includes(run)) ? [name] : []));
  // The search itself sees: before the erase, the text is in the stores.
  expect(found()).toEqual(expect.arrayContaining(["transcripts/day.jsonl"]));
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(found()).toEqual([]);
  await scene.reopen();
  expect(found()).toEqual([]);
});

it("PRIVACY-1: while a request is stuck, ledger and receipt hold its needles sealed only", async () => {
  const scene = await memory();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.state, codes(outcome)[0]]).toEqual(["stuck", "SURVIVOR_FOUND"]);
  const runs = runsOf([...S_SAYS, "account:s-4471"], T_SAYS);
  const ours = [...bytesOf(scene.directory)].filter(([name]) => !name.startsWith("memory.db"));
  expect(ours.length).toBeGreaterThan(3);
  for (const [name, bytes] of ours) expect([name, runs.some((run) => bytes.includes(run))]).toEqual([name, false]);
});

it("GUARD-1 GUARD-2 GUARD-3: refused by person, by record, by text under another id and trivially edited; a lift lets the person back, not the text", async () => {
  const scene = await memory();
  scene.memory.registerRederive("summarise", () => Promise.resolve(T_SAYS[0]));
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  const put = (key: string, subjects: readonly string[], text: string): Promise<unknown> =>
    scene.memory.record("episodes", { key, subjects, content: { text } }, () =>
      scene.app.prepare("INSERT INTO episodes VALUES (?, NULL, ?)").run(key, text),
    );
  const refused = { name: "WriteRefusedError", code: "DENYLISTED" };
  const fresh = "A new remark about the parking rules in front of the building's north entrance";
  await expect(put("n1", [S], fresh)).rejects.toMatchObject(refused);
  await expect(put("s1", [T], fresh)).rejects.toMatchObject(refused);
  const edits = [
    S_SAYS[0],
    S_SAYS[0].toUpperCase(),
    `  ${S_SAYS[0].replaceAll(" ", "  \n")} `,
    `${S_SAYS[0]}!`,
    S_SAYS[0].normalize("NFD").replace("cellar", "cellar"),
  ];
  for (const [at, text] of edits.entries()) {
    await expect(put(`n-${at}`, [S], text)).rejects.toMatchObject(refused);
    for (const subjects of [[T], []]) expect(await put(`n-${at}`, subjects, text)).toMatchObject({ outcome: "held" });
  }
  await put("ok", [T], `${S_SAYS[0].split(" ").toReversed().join(" ")}`);
  // GUARD-3: a lawful return lifts the person's own entries; what was erased stays out.
  const { ledger } = scene.memory.engine;
  expect(ledger.liftDenylist({ identifiers: [{ type: "account", value: "s-4471" }] })).toBe(1);
  await put("back", [S], fresh);
  await expect(put("n9", [S], S_SAYS[0])).rejects.toMatchObject(refused);
});

it("a table that is not there is a BoundaryError before a request opens, and nothing is left open", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  scene.app.exec("ALTER TABLE episodes RENAME TO elsewhere");
  const memory = await scene.reopen();
  await expect(memory.forget({ subject: [S], now: true })).rejects.toMatchObject({
    code: "TABLE_MISSING",
    exitCode: 2,
  });
  expect(memory.engine.ledger.requests()).toEqual([]);
});
