// `npm run long`: many random histories, and the mutants that they must find. `--runs N --seed S`, `--path P --replay R` for one again, `--unshrunk` to stop at the first as it is, `--without-kills` as in a test run, `--mutants`, `--mutant NAME`.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runnerImport } from "vite";

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
  },
});
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const sources = fileURLToPath(new URL("../../src/", import.meta.url));
const runs = Number(values.runs ?? (values.mutants || values.mutant ? 200 : 10_000));
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);

/** The histories over the sources as they are, or as a mutant changes them. */
async function load(edits = []) {
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
  const { module } = await runnerImport(fileURLToPath(new URL("run-histories.ts", import.meta.url)), {
    root,
    configFile: false,
    logLevel: "error",
    plugins: [mutate],
    resolve: { alias: { "@deleatur/verify": `${root}packages/verify/src/index.ts` } },
  });
  return module;
}

function progress(begun) {
  return (tally) => {
    const done = tally.get("histories");
    if (done % 10 !== 0) return;
    const seconds = Math.round((performance.now() - begun) / 1000);
    process.stderr.write(`\r${done} of ${runs} histories, ${seconds} s, ${tally.get("verdict COMPLIANT")} COMPLIANT `);
  };
}

async function runLong() {
  const { runHistories, LONG_MUST_MEET } = await load();
  const begun = performance.now();
  process.stdout.write(`seed ${seed}\n`);
  const one = { path: values.path, replayPath: values.replay };
  const { tally, broken } = await runHistories({
    runs: values.path === undefined ? runs : 1,
    seed,
    ...(values.path === undefined ? {} : one),
    kills: values["without-kills"] !== true,
    ...(values.unshrunk ? { endOnFailure: true } : {}),
    onHistory: progress(begun),
  });
  process.stderr.write("\n");
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${tally.lines().join("\n")}\n${Math.round((user + system) / 1e6)} s of processor time\n`);
  const missed = values.path !== undefined || runs < 1000 ? [] : LONG_MUST_MEET.filter((what) => tally.get(what) === 0);
  if (broken === undefined && missed.length === 0) return;
  process.stdout.write(`${broken ?? `never met: ${missed.join(", ")}`}\n`);
  process.exitCode = 1;
}

/** Each mutant must be found, by a broken property or because nothing is COMPLIANT any more. */
async function runMutants() {
  const { MUTANTS } = await load();
  for (const { name, edits } of MUTANTS) {
    if (values.mutant !== undefined && values.mutant !== name) continue;
    const { runHistories } = await load(edits);
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

await (values.mutants || values.mutant !== undefined ? runMutants() : runLong());
process.exit();
