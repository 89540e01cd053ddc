// Names of JSONL files and of their folders that are an identifier of the person: what is left of the person when every line is gone.
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { codes, expectErasure, openScene, type Scene, S, S_SAYS, T_SAYS } from "./scene.ts";

/** Files below `logs`, each with one line of its person. */
async function openLogs(files: Readonly<Record<string, readonly [person: string, text: string]>>): Promise<Scene> {
  const scene = await openScene({
    surfaces: {
      logs: {
        kind: "jsonl",
        role: "transcript",
        store: "logs",
        key: "id",
        subject: { field: "user", type: "account" },
        content: ["text"],
      },
    },
    connect: { logs: { path: "./logs/**/*.jsonl" } },
    before(directory) {
      for (const [path, [user, text]] of Object.entries(files)) {
        const file = join(directory, "logs", path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `${JSON.stringify({ id: path, user, text })}\n`);
      }
    },
  });
  await scene.memory.scan();
  return scene;
}

const OTHERS = { "t-0815/a.jsonl": ["t-0815", T_SAYS[0]], "b.jsonl": ["t-0815", T_SAYS[1]] } as const;

const PLACES: readonly (readonly [what: string, path: string, left: string])[] = [
  ["a folder", "s-4471/2026/a.jsonl", "s-4471"],
  ["a folder within a folder, in other letters", "2026/S-4471/a.jsonl", "2026/S-4471"],
  ["a file", "s-4471.jsonl", "s-4471.jsonl"],
  ["a file up to a dot", "s-4471.2026.jsonl", "s-4471.2026.jsonl"],
];

it.each(PLACES)(
  "VERDICT-1 VERDICT-2: %s that is called by the person's identifier is left, until it is renamed",
  async (_what, path, left) => {
    const scene = await openLogs({ ...OTHERS, [path]: ["s-4471", S_SAYS[0]] });
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect([outcome.verdict, outcome.exitCode, codes(outcome)]).toEqual(["PARTIAL", 20, ["SURVIVOR_FOUND"]]);
    expect(outcome.reasons).toMatchObject([{ surface: "logs", cure: expect.stringContaining("rename or remove") }]);
    expect(JSON.stringify(outcome).toLowerCase()).not.toContain("s-4471");
    renameSync(join(scene.directory, "logs", left), join(scene.directory, "logs", "renamed.jsonl"));
    expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
  },
);

it("VERDICT-1: a folder that was left empty is seen too", async () => {
  const scene = await openLogs({ ...OTHERS, "s-4471/a.jsonl": ["s-4471", S_SAYS[0]] });
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  rmSync(join(scene.directory, "logs", "s-4471", "a.jsonl"));
  const resumed = await scene.memory.resume(outcome.request, { now: true });
  expect([resumed.verdict, codes(resumed)]).toEqual(["PARTIAL", ["SURVIVOR_FOUND"]]);
  rmSync(join(scene.directory, "logs", "s-4471"), { recursive: true });
  expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
  expect(existsSync(join(scene.directory, "logs", "t-0815", "a.jsonl"))).toBe(true);
});

it("VERDICT-2: a name that is a number may be a date, and is for a person to decide", async () => {
  const scene = await openLogs({ ...OTHERS, "2026/12/a.jsonl": ["12", S_SAYS[0]] });
  const outcome = await scene.memory.forget({ subject: ["account:12"], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["UNCONFIRMED", ["SUSPECT_OPEN"]]);
  const [suspect] = scene.memory.suspects(outcome.request);
  expect(suspect).toMatchObject({ surface: "logs", name: "12" });
  const decision = { suspect: suspect?.id ?? "", role: "privacy-officer", reason: "A_DATE" };
  expect(() => scene.memory.review(outcome.request, { ...decision, decision: "erased" })).toThrow("no record");
  scene.memory.review(outcome.request, { ...decision, decision: "kept" });
  expect((await scene.memory.resume(outcome.request, { now: true })).verdict).toBe("COMPLIANT");
});

it("VERDICT-1: the name of a symbolic link is seen", async () => {
  const scene = await openLogs({ ...OTHERS, "a.jsonl": ["s-4471", S_SAYS[0]] });
  symlinkSync(join(scene.directory, "logs", "t-0815"), join(scene.directory, "logs", "s-4471"));
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect([outcome.verdict, codes(outcome)]).toEqual(["PARTIAL", ["SURVIVOR_FOUND"]]);
});
