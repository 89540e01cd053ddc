// The guard across processes: one release for two writers, and the fence that a program meets which never heard of us (GUARD-1, GUARD-2).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import {
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  tempFolder,
} from "./scene.ts";

const SQL = EPISODES_SQL + SUMMARIES_SQL;
const SURFACES = { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } } as const;

interface Child {
  /** The next line that it prints. */
  next(): Promise<string>;
  tell(line: string): void;
  end(): Promise<void>;
}

function start(name: string, argv: readonly string[]): Child {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [file, ...argv], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await lines.next();
      return done === true ? "gone" : value;
    },
    tell: (line) => void child.stdin.write(`${line}\n`),
    async end() {
      child.stdin.end();
      await gone;
    },
  };
}

it("GUARD-2: two processes that have both written under one release: one stays, the other is held and undone", async () => {
  const scene = await openScene({ sql: SQL, surfaces: SURFACES });
  await recordBoth(scene);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  await scene.memory.record("episodes", { key: "n0", subjects: [T], content: { text: S_SAYS[1] } }, () => undefined);
  const [held] = scene.memory.held();
  scene.memory.decideHeld({
    held: held?.id ?? "",
    decision: "released",
    role: "privacy-officer",
    reason: "TRUE_COINCIDENCE",
  });
  const writers = ["n1", "n2"].map((key) => start("release-writer.mjs", [scene.directory, key, T, S_SAYS[1]]));
  // Both were let in and have written; neither has committed.
  expect(await Promise.all(writers.map((one) => one.next()))).toEqual(["wrote", "wrote"]);
  expect(scene.rows("SELECT id FROM episodes WHERE id LIKE 'n%'")).toHaveLength(2);
  for (const one of writers) one.tell("go");
  const ends = await Promise.all(writers.map((one) => one.next()));
  expect(ends.toSorted()).toEqual(["held", "stored"]);
  await Promise.all(writers.map((one) => one.end()));
  expect(scene.rows("SELECT id FROM episodes WHERE id LIKE 'n%'")).toEqual([{ id: `n${ends.indexOf("stored") + 1}` }]);
  expect(scene.memory.held()).toHaveLength(1);
});

it("GUARD-1 C19: while a request runs, the store refuses the person to a program of another process that never heard of us, and nobody else", async () => {
  const folder = tempFolder();
  const asked = new Int32Array(new SharedArrayBuffer(4));
  let answers: unknown;
  const scene = await openScene({
    sql: SQL,
    surfaces: SURFACES,
    writers: "trigger",
    report({ step, phase }) {
      if (step !== "erase" || phase !== "finished") return;
      writeFileSync(join(folder, "go"), "");
      // The run stands still here until the other program has tried.
      while (!existsSync(join(folder, "answers"))) Atomics.wait(asked, 0, 0, 5);
      answers = JSON.parse(readFileSync(join(folder, "answers"), "utf8"));
    },
  });
  await recordBoth(scene);
  const writer = start("bare-writer.mjs", [scene.file, folder]);
  expect(await writer.next()).toBe("ready");
  await scene.memory.forget({ subject: [S], now: true });
  await writer.end();
  expect(answers).toEqual([expect.stringMatching(/^refused: .*deleatur/u), "stored"]);
  expect(scene.rows("SELECT id FROM episodes WHERE id LIKE 'bare-%'")).toEqual([{ id: "bare-2" }]);
});
