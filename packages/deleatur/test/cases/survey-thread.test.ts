// What a thread sees of a survey, from the build, beside what the caller sees; threads that die; and a forget of the build that has one. Needs `npm run build`.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { digesterUnder } from "../../src/examine/artifact-digests.ts";
import { openDigestTable } from "../../src/examine/digest-table.ts";
import { layArtifacts, openLaid } from "../../src/forget/laid-artifacts.ts";
import { openSurvey } from "../../src/forget/survey.ts";
import { openSight } from "../../src/forget/survey-sight.ts";
import {
  canSurveyOnThread,
  openSurveyThread,
  type SeenOnThread,
  type SurveyOnThread,
} from "../../src/forget/survey-thread.ts";
import { openComparison, openWanted } from "../../src/forget/wanted-content.ts";
import { createWordRuns, WORD_DOMAINS } from "../../src/ledger/word-runs.ts";
import type { Artifact, ContentField } from "../../src/model/artifact.ts";
import { artifactKey, parseIdentifier, requestId, surfaceId } from "../../src/model/ids.ts";
import type { openDeleatur } from "../../src/open-deleatur.ts";
import { EPISODES, EPISODES_SQL, openScene, S, S_SAYS, T, T_SAYS, tempFolder } from "./scene.ts";

const BUILT = new URL("../../dist/", import.meta.url);
const PROGRAM = new URL("forget/survey-on-thread.js", BUILT);

const EPISODES_ID = surfaceId("episodes");
const NOTES_ID = surfaceId("notes");
const SUBJECTS = [{ type: "account", value: "t-0815" }];

function artifact(at: number, change: Partial<Artifact> = {}): Artifact {
  const text = at % 50 === 0 ? S_SAYS[0] : `${T_SAYS[at % 3]} and that was remark number ${at}`;
  return {
    surface: EPISODES_ID,
    key: artifactKey(`e${at}`),
    subjects: SUBJECTS,
    sources: [],
    content: [{ type: "text", name: "text", text }],
    ...change,
  };
}

/** Enough for several parts. */
const MANY: readonly Artifact[] = [
  ...Array.from({ length: 9_000 }, (_, at) => artifact(at)),
  ...Array.from({ length: 50 }, (_, at) => artifact(at, { surface: NOTES_ID, expires: new Date(1_000 * at) })),
];

const VECTOR: ContentField = { type: "vector", name: "embedding", vector: Float32Array.of(0.5, -1, Number.NaN) };
const ODD: readonly Artifact[] = [
  artifact(1, { content: [], subjects: [] }),
  artifact(2, { content: [VECTOR, { type: "text", name: "text", text: "" }, VECTOR] }),
  artifact(3, { content: [{ type: "bytes", name: "blob", bytes: Uint8Array.of(0, 255, 7) }, VECTOR] }),
  artifact(4, {
    key: artifactKey("éa/ 日本"),
    content: [{ type: "text", name: "t", text: "Ωmega \u{1f426}\ud800 end" }],
  }),
  artifact(5, { expires: new Date(0), sources: [{ surface: NOTES_ID, key: artifactKey("n") }] }),
];

const without = ({ subjects, sources, ...rest }: Artifact): unknown => [rest, subjects.length, sources.length];

it("what is laid says what the artifacts say, but for whom and what from", () => {
  const layer = layArtifacts(EPISODES_ID);
  for (const one of ODD) layer.add(one);
  const opened = [...openLaid(layer.take())];
  expect(opened.map(without)).toEqual(ODD.map(without));
  expect(layer.isEmpty).toBe(true);
});

const secrets = new Map(["baseline/ref", "baseline/fields", ...WORD_DOMAINS].map((name) => [name, randomBytes(32)]));
const digests = { keyedDigest: (domain: string): Uint8Array => secrets.get(domain) ?? new Uint8Array(32) };
const words = createWordRuns(digests);
const digester = digesterUnder(digests);

/** A survey for S, whose first text some others have too; of its closure one says something else than before. */
function order(): SurveyOnThread {
  const closures = openDigestTable();
  for (const at of [7, 8])
    closures.add(digester.digest(at === 7 ? artifact(7) : artifact(8, { content: [VECTOR] })).words);
  const said = words.hashWords(S_SAYS[0]);
  return {
    secrets,
    roles: new Map([
      [EPISODES_ID, "primary"],
      [NOTES_ID, "transcript"],
    ]),
    closures: closures.bytes(),
    marks: new Set([((said.halves[0] ?? 0) ^ said.count) >>> 0]),
    runs: new Set(words.runValues(said)),
  };
}

/** What the caller sees itself. */
function seenHere(artifacts: readonly Artifact[]): SeenOnThread {
  const { roles, closures, marks, runs } = order();
  const met: ContentField[] = [];
  const wanted = openWanted(() => false, new Set(), marks, runs);
  const tools = {
    ...words,
    roleOf: (surface: Artifact["surface"]) => roles.get(surface) ?? "primary",
    met: (_: unknown, field: ContentField) => met.push(field),
  };
  const sight = openSight(digester, openDigestTable(closures), openComparison(tools, [wanted], wanted));
  for (const one of artifacts) sight.see(one);
  return { baseline: sight.baseline.bytes(), isChanged: sight.isChanged, sharedRuns: wanted.sharedRuns, met };
}

it("FORGET-1 VERDICT-6: a thread sees of a survey what the caller would", async () => {
  const thread = openSurveyThread(order, PROGRAM);
  const left: Artifact[] = [];
  for (const one of [...MANY, ...ODD]) if (!thread.take(one)) left.push(one);
  const seen = await thread.end();
  expect(left).toEqual([]);
  const here = seenHere([...MANY, ...ODD]);
  expect(seen).toEqual({ ...here, baseline: new Uint8Array(here.baseline) });
  expect([here.isChanged, here.sharedRuns.size > 0, here.met.length > 0]).toEqual([true, true, true]);
});

it.each([
  ["is not there", undefined],
  ["cannot be read", "this is no program"],
  ["throws at once", "throw new Error('dead')"],
  ["ends at once", "process.exit(3)"],
  [
    "dies before its answer",
    `import { parentPort } from "node:worker_threads";
     parentPort.on("message", (part) => { if (part === undefined) process.exit(1); });`,
  ],
])("a thread whose program %s loses the survey, and says so", async (what, program) => {
  const file = join(tempFolder(), `${what.replaceAll(" ", "-")}.mjs`);
  if (program !== undefined) writeFileSync(file, program);
  const thread = openSurveyThread(order, pathToFileURL(file));
  for (const one of MANY) thread.take(one);
  expect(await thread.end()).toBeUndefined();
});

it.each([
  ["is lost with the thread", "throw new Error('dead')", "s1", false],
  ["is not sound where the thread met what had been read otherwise", undefined, "t1", false],
  ["is sound where it met all as it had been read", undefined, "s1", true],
] as const)("FORGET-1: a survey of two eyes %s", async (_, program, key, isSound) => {
  const { memory } = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  const { engine } = memory;
  const id = requestId("a".repeat(32));
  engine.ledger.openRequest({
    id,
    target: "person",
    identifiers: [parseIdentifier(S)],
    refs: [],
    options: {},
    boundaryDigest: "d1",
    due: "2026-12-02",
  });
  const dead = pathToFileURL(join(tempFolder(), "dead.mjs"));
  if (program !== undefined) writeFileSync(dead, program);
  const before = artifact(0, { key: artifactKey(key) });
  const survey = openSurvey(
    engine,
    [{ request: id, identifiers: [parseIdentifier(S)], closure: [before], contents: [before.content] }],
    [before],
    (given) => openSurveyThread(given, program === undefined ? PROGRAM : dead),
  );
  survey.see(artifact(1, { key: artifactKey("t1") }));
  expect(await survey.settle()).toBe(isSound);
});

it("a thread is had only where its program is built", async () => {
  const built = (await import(new URL("forget/survey-thread.js", BUILT).href)) as {
    canSurveyOnThread: typeof canSurveyOnThread;
  };
  expect([canSurveyOnThread(), built.canSurveyOnThread()]).toEqual([false, true]);
});

it("FORGET-1 GUARD-2 VERDICT-6: a forget whose survey a thread shares knows every bystander, and whose words are others' too", async () => {
  const directory = tempFolder();
  const app = new Database(join(directory, "memory.db"));
  onTestFinished(() => void app.close());
  app.exec(EPISODES_SQL);
  const insert = app.prepare("INSERT INTO episodes VALUES (?, ?, ?)");
  app.transaction(() => {
    for (let at = 0; at < 4_000; at += 1) insert.run(`t${at}`, "t-0815", `${T_SAYS[at % 3]} and that was remark ${at}`);
    for (const [at, text] of S_SAYS.entries()) insert.run(`s${at}`, "s-4471", text);
    insert.run("t9999", "t-0815", S_SAYS[0]);
  })();
  // The build is the sources', and so are its types.
  const built = (await import(new URL("index.js", BUILT).href)) as { openDeleatur: typeof openDeleatur };
  const boundary = {
    deleatur: 1,
    boundary: "cases/thread",
    identifiers: ["account"],
    writers: "sdk",
    surfaces: { episodes: EPISODES },
    connect: { ledger: "sqlite:./deleatur.db", memory: { file: "./memory.db" } },
  };
  writeFileSync(join(directory, "deleatur.yaml"), JSON.stringify(boundary));
  const readings: string[] = [];
  const memory = await built.openDeleatur(join(directory, "deleatur.yaml"), {
    report: ({ step, phase }) => {
      if (phase === "started" && (step === "scan" || step === "survey")) readings.push(step);
    },
  });
  onTestFinished(() => memory.close());
  await memory.scan();
  readings.length = 0;
  const outcome = await memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, readings]).toEqual(["COMPLIANT", ["survey"]]);
  expect(outcome.bystanders).toMatchObject({ checked: 4_001, intact: 4_001, lost: 0 });
  const put = (key: string, text: string): Promise<unknown> =>
    memory.record("episodes", { key, subjects: [T], content: { text } }, () => undefined);
  expect(await put("n1", S_SAYS[0])).toBeUndefined();
  expect(await put("n2", S_SAYS[1])).toMatchObject({ outcome: "held" });
});
