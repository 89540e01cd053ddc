// `npm run long`: many random histories, and the mutants that they must find. `--runs N --seed S`, `--path P --replay R` for one again, `--unshrunk` to stop at the first as it is, `--jobs N` for so many processes, `--without-kills` as in a test run, `--mutants`, `--mutant NAME`.
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleSources, importSources } from "./import-sources.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    replay: { type: "string" },
    mutants: { type: "boolean" },
    mutant: { type: "string" },
    unshrunk: { type: "boolean" },
    "without-kills": { type: "boolean" },
    jobs: { type: "string" },
    share: { type: "boolean" },
  },
});
const sources = fileURLToPath(new URL("../../src/", import.meta.url));
const isOne = values.path !== undefined;
const runs = isOne ? 1 : Number(values.runs ?? (values.mutants || values.mutant ? 200 : 10_000));
const jobs = isOne ? 1 : Number(values.jobs ?? Math.min(4, availableParallelism()));
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);

const loadHistories = () => importSources("run-histories.ts");

/** The histories over the sources as a mutant changes them. */
function loadMutant(edits) {
  const mutate = {
    name: "mutate",
    enforce: "pre",
    transform(code, id) {
      let mutated = code;
      for (const { file, find, replace } of edits) {
        if (id !== `${sources}${file}`) continue;
        if (!mutated.includes(find)) throw new Error(`a mutant does not fit ${file} any more`);
        mutated = mutated.replace(find, () => replace);
      }
      return mutated === code ? undefined : mutated;
    },
  };
  return importSources("run-histories.ts", [mutate]);
}

function say(done, compliant, begun) {
  const seconds = Math.round((performance.now() - begun) / 1000);
  process.stderr.write(`\r${done} of ${runs} histories, ${seconds} s, ${compliant} COMPLIANT `);
}

function processorSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** A share of a long run, in this process: `onHistory` gets the tally after each tenth. */
async function runShare(order, onHistory) {
  const { runHistories } = await loadHistories();
  const { tally, broken } = await runHistories({
    ...order,
    kills: values["without-kills"] !== true,
    ...(values.unshrunk ? { endOnFailure: true } : {}),
    onHistory: (tally) => {
      if (tally.get("histories") % 10 === 0) onHistory(tally);
    },
  });
  return { entries: tally.entries(), broken, seconds: processorSeconds() };
}

/** The same in as many processes as are asked for, each with a seed of its own; the first that breaks ends the others. */
async function runShares(jobs, lanes, onProgress) {
  const met = Array.from({ length: jobs }, () => ({ histories: 0, compliant: 0 }));
  const children = [];
  const ends = Array.from({ length: jobs }, (_, job) => {
    const share = Math.floor((runs + job) / jobs);
    const child = fork(fileURLToPath(import.meta.url), [
      ...process.argv.slice(2),
      "--share",
      `--runs=${share}`,
      `--seed=${seed + job * lanes}`,
    ]);
    children.push(child);
    return new Promise((resolve) => {
      let report;
      child.on("message", (message) => {
        if (message.report !== undefined) report = message.report;
        else met[job] = message;
        if (report?.broken !== undefined) for (const other of children) if (other !== child) other.kill("SIGTERM");
        onProgress(met);
      });
      child.on("exit", (code, signal) => {
        const gone = `a share ended with ${signal ?? code} and no report`;
        resolve(report ?? { entries: [], broken: signal === "SIGTERM" ? undefined : gone, seconds: 0 });
      });
    });
  });
  return Promise.all(ends);
}

async function runLong() {
  const child = await bundleSources("live-in-child.ts");
  process.env["DELEATUR_HISTORY_CHILD"] = child.file;
  try {
    await runBundled();
  } finally {
    await child.remove();
  }
}

async function runBundled() {
  const { LONG_MUST_MEET, LANES, Tally } = await loadHistories();
  const begun = performance.now();
  process.stdout.write(`seed ${seed}\n`);
  const one = !isOne ? {} : { path: values.path, replayPath: values.replay };
  const reports =
    jobs === 1
      ? [
          await runShare({ runs, seed, ...one }, (tally) => {
            say(tally.get("histories"), tally.get("verdict COMPLIANT"), begun);
          }),
        ]
      : await runShares(jobs, LANES, (met) => {
          const sum = (what) => met.reduce((all, share) => all + share[what], 0);
          say(sum("histories"), sum("compliant"), begun);
        });
  process.stderr.write("\n");
  const tally = new Tally();
  for (const { entries } of reports) tally.addAll(entries);
  const seconds = reports.reduce((all, report) => all + report.seconds, 0);
  process.stdout.write(`${tally.lines().join("\n")}\n${Math.round(seconds)} s of processor time\n`);
  const broken = reports.find((report) => report.broken !== undefined)?.broken;
  const missed = isOne || runs < 1000 ? [] : LONG_MUST_MEET.filter((what) => tally.get(what) === 0);
  if (broken === undefined && missed.length === 0) return;
  process.stdout.write(`${broken ?? `never met: ${missed.join(", ")}`}\n`);
  process.exitCode = 1;
}

/** What a process does that `runShares` started: it tells its parent how far it is, and at last what it met. */
async function answerShare() {
  const report = await runShare({ runs, seed }, (tally) => {
    process.send({ histories: tally.get("histories"), compliant: tally.get("verdict COMPLIANT") });
  });
  await new Promise((resolve) => process.send({ report }, resolve));
}

/** Each mutant must be found, by a broken property or because nothing is COMPLIANT any more. */
async function runMutants() {
  const { MUTANTS } = await loadHistories();
  for (const { name, edits } of MUTANTS) {
    if (values.mutant !== undefined && values.mutant !== name) continue;
    const { runHistories } = await loadMutant(edits);
    const { tally, broken } = await runHistories({ runs, seed, endOnFailure: true });
    const isNeverDone = tally.get("verdict COMPLIANT") === 0;
    const why = broken
      ?.split("\n")
      .find((line) => /Error|broken|never/u.test(line) && !line.startsWith("broken after"));
    const after = `${tally.get("histories") + 1} histories`;
    const silent = isNeverDone ? "found: the engine itself lets nothing be COMPLIANT" : "NOT FOUND";
    const found = broken === undefined ? silent : `found after ${after}: ${why}`;
    process.stdout.write(`${name}: ${found}\n`);
    if (found === "NOT FOUND") process.exitCode = 1;
  }
}

await (values.share ? answerShare() : values.mutants || values.mutant !== undefined ? runMutants() : runLong());
process.exit();
