// One act over a memory in a process of its own, so that its resident memory is its own: `record` takes the lineage in, `forget` has persons forgotten together.
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openDeleatur } from "../../packages/deleatur/dist/index.js";
import type { Told } from "./told.ts";

const [, , act, directory = "", ...persons] = process.argv;
const steps = new Map<string, number>();
const begun = new Map<string, number>();
let zero = performance.now();
let purged = 0;
let probing: string | undefined;

const memory = await openDeleatur(join(directory, "deleatur.yaml"), {
  report: ({ step, phase, surface, request }) => {
    const now = performance.now() - zero;
    // A probe is only said to begin; what begins next has ended it.
    if (probing !== undefined) add(probing, now);
    probing = undefined;
    const name = `${step} ${surface ?? request ?? ""}`;
    if (step.startsWith("probe ")) {
      probing = step;
      begun.set(step, now);
    } else if (phase === "started") begun.set(name, now);
    else if (phase === "finished") {
      add(request === undefined ? `${step} (store)` : step, now, name);
      if (step === "purge" && request !== undefined) purged = now;
    }
  },
});

function add(step: string, now: number, name: string = step): void {
  const from = begun.get(name);
  if (from !== undefined) steps.set(step, (steps.get(step) ?? 0) + now - from);
}

if (act === "record") await memory.scan();
else {
  zero = performance.now();
  const ends = await memory.forgetAll(persons.map((person) => ({ subject: [person], now: true })));
  const whole = performance.now() - zero;
  const outcomes = ends.map((end) => {
    if (end.status === "fulfilled") return end.value;
    throw end.reason;
  });
  const told: Told = {
    states: outcomes.map(({ verdict, reasons }) =>
      [verdict ?? "none", ...new Set(reasons.map(({ code, surface = "" }) => `${code} ${surface}`.trim()))].join(", "),
    ),
    erased: outcomes.flatMap(({ surfaces }) => surfaces).reduce((sum, surface) => sum + surface.erased, 0),
    purged,
    whole,
    steps: Object.fromEntries(steps),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
await memory.close();
