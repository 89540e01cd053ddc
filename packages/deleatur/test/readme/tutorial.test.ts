// Runs the README's tutorial as a newcomer would, in an empty folder over the build, and holds its snippets and its printed output to what really comes out.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const PROGRAM = join(ROOT, "packages/deleatur/dist/cli/main.js");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The fenced blocks of one language, in order. */
function blocksOf(language: string, document: string = README): readonly string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text]) => text ?? "",
  );
}

function sourceOf(url: URL): string {
  const text = readFileSync(url, "utf8");
  return text.slice(text.indexOf("\n") + 1); // without the file's own opening line
}

const [remember, again] = [
  sourceOf(new URL("./tutorial.ts", import.meta.url)),
  sourceOf(new URL("./tutorial-again.ts", import.meta.url)),
];

/** What differs from run to run is put aside: ids, digests, instants. */
function steady(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{64}\b/g, "(digest)")
    .replaceAll(/\b[0-9a-f]{32}\b/g, "(id)")
    .replaceAll(/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?: UTC|Z)?)?/g, "(date)");
}

/** A line `…` stands for any number of lines; everything else must come out as it is printed. */
function matches(printed: string, real: string): boolean {
  const parts = steady(printed).split(/^…\n/m);
  const [first = "", ...others] = parts;
  if (others.length === 0) return first === real;
  if (!real.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of others.entries()) {
    const isLast = index === others.length - 1;
    const found = isLast && part !== "" ? real.lastIndexOf(part) : real.indexOf(part, at);
    if (found < at || (isLast && part !== "" && found + part.length !== real.length)) return false;
    at = found + part.length;
  }
  return true;
}

describe("the README's tutorial", () => {
  let folder = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "deleatur-readme-"));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "remember.mjs"), remember);
    writeFileSync(join(folder, "again.mjs"), again);
    writeFileSync(join(folder, "deleatur.yaml"), blocksOf("yaml")[0] ?? "");
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("shows the very code that is type-checked", () => {
    const snippet = sourceOf(new URL("./process-memory.ts", import.meta.url)).split("// the snippet begins\n")[1];
    const taken = `import { memoryOf } from "deleatur";\n\n${snippet}`;
    expect(blocksOf("ts")).toEqual([remember, again, taken]);
    const packageReadme = readFileSync(join(ROOT, "packages/deleatur/README.md"), "utf8");
    const sketch = readFileSync(new URL("./sketch.ts", import.meta.url), "utf8").split("// the sketch begins\n")[1];
    expect(blocksOf("ts", packageReadme)).toEqual([`import { openDeleatur } from "deleatur";\n\n${sketch}`]);
  });

  it(
    "CLAIM-1, GUARD-2, GUARD-3: prints what comes out of check, forget, verify, a refusal of the same words, and a lift",
    { timeout: 240_000 },
    () => {
      const steps = blocksOf("console").flatMap((block) =>
        [...block.matchAll(/^\$ (.+)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command = "", printed = ""]) => ({
          command,
          printed,
        })),
      );
      expect(steps.length).toBeGreaterThanOrEqual(6);
      for (const { command, printed } of steps) {
        const script = `deleatur() { node ${JSON.stringify(PROGRAM)} "$@"; }\n${command}`;
        const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
          cwd: folder,
          encoding: "utf8",
          // The very Node that runs the tests: the native module is built for it.
          env: { PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`, NO_COLOR: "1" },
        });
        const real = steady(stdout + stderr);
        // Where it matches, the elided lines are put aside as well; where not, the difference is shown.
        expect(matches(printed, real) ? steady(printed) : real, `what ${command} prints`).toBe(steady(printed));
      }
      const db = new Database(join(folder, "memory.db"), { readonly: true });
      const [summary] = db.prepare<[], string>("SELECT text FROM summaries").pluck().all();
      db.close();
      expect(README).toContain(`\`${summary}\``);
    },
  );
});
