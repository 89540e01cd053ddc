// One life of a request in a process of its own, which is killed by a real SIGKILL at a numbered moment: what no `finally` and no copy of files can soften.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ContinueOptions } from "../../src/forget/carriage.ts";
import type { ForgetOrder } from "../../src/forget/forget-order.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { DeleaturError } from "../../src/model/errors.ts";
import type { Deleatur } from "../../src/open-deleatur.ts";
import type { Declared } from "./boundary.ts";
import { createMoments } from "./moments.ts";
import { openEngine } from "./open-engine.ts";

/** What a life begins with. */
export type Act =
  | { readonly kind: "forget"; readonly order: ForgetOrder }
  | { readonly kind: "resume"; readonly request: string; readonly options: ContinueOptions };

export interface ChildLife {
  readonly directory: string;
  readonly declared: Declared;
  readonly nowMs: number;
  readonly act: Act;
  /** The moment at which it is killed. */
  readonly killAt: number;
}

export type ChildEnd =
  | { readonly is: "killed" }
  | { readonly is: "ended"; readonly outcome: RequestOutcome }
  | { readonly is: "refused"; readonly code: string };

export function begin(memory: Deleatur, act: Act): Promise<RequestOutcome> {
  return act.kind === "forget" ? memory.forget(act.order) : memory.resume(act.request, act.options);
}

/** The parent's side. Nobody else may have the memory open. */
export async function liveInChild(life: ChildLife): Promise<ChildEnd> {
  const script = fileURLToPath(new URL("live-in-child.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(life));
  const closed = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (_code, signal) => resolve(signal));
  });
  const [said, signal] = [await text(child.stdout), await closed];
  // Printed by the child's side below.
  return signal === "SIGKILL" ? { is: "killed" } : (JSON.parse(said) as ChildEnd);
}

/** The child's side: answers how it ended, unless it was killed. */
export async function liveOn({ directory, declared, nowMs, act, killAt }: ChildLife): Promise<ChildEnd> {
  let now = nowMs;
  const clock = (): Date => new Date((now += 1));
  const moments = createMoments();
  const memory = await openEngine(directory, declared, { clock }, moments);
  moments.onMoment = (at) => {
    if (at >= killAt) process.kill(process.pid, "SIGKILL");
  };
  try {
    return { is: "ended", outcome: await begin(memory, act) };
  } catch (error) {
    if (error instanceof DeleaturError) return { is: "refused", code: error.code };
    throw error;
  } finally {
    moments.onMoment = undefined;
    await memory.close();
  }
}
