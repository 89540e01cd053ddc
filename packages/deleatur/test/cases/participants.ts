// Starts processes that hold the surface `scratchpad` in their memory, and talks to them.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { EPISODES, EPISODES_SQL, openScene, recordBoth, type Scene } from "./scene.ts";

export type Kind = "map" | "pad" | "lru";
export type Behaviour = "honest" | "throws" | "lies" | "hides" | "bare" | "preloaded" | "killed";

interface Told {
  readonly ready?: boolean;
  readonly has?: boolean;
  readonly held?: boolean;
  readonly code?: string;
}

export interface Holder {
  readonly child: ChildProcess;
  readonly first: Told;
  ask(act: "derive" | "sneak" | "has" | "leave" | "forget", more?: Readonly<Record<string, unknown>>): Promise<Told>;
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("participant.mjs", import.meta.url));

/** Longer than a busy machine takes to answer. */
export const PATIENT_MS = 20_000;

/** Episodes of two people in SQLite, and a scratchpad in the memory of whoever takes part. */
export async function openPadScene(answerMs: number = PATIENT_MS): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL,
    surfaces: { episodes: EPISODES, scratchpad: { kind: "in-process", role: "cache" } },
    answerMs,
  });
  await recordBoth(scene);
  return scene;
}

export async function startHolder(
  scene: Scene,
  kind: Kind = "map",
  behaviour: Behaviour = "honest",
  text = "",
): Promise<Holder> {
  const child = spawn(process.execPath, [SCRIPT, scene.directory, kind, behaviour, text], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { stdin, stdout } = child;
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Told> => {
    const { value, done } = await lines.next();
    if (done === true || value === undefined) throw new Error("the holder ended without an answer");
    return JSON.parse(value) as Told;
  };
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const first = await next();
  return {
    child,
    first,
    ask(act, more = {}) {
      stdin.write(`${JSON.stringify({ act, ...more })}\n`);
      return next();
    },
    async signal(signal) {
      const gone = signal === "SIGKILL" ? once(child, "exit") : undefined;
      child.kill(signal);
      await gone;
    },
  };
}
