// Checks the documents: links that resolve, requirement ids that a test names, commands and packages that exist, no path of a machine.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SKIPPED = new Set(["node_modules", "dist", ".git", "coverage", "demo-out"]);

function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path, ending) : path.endsWith(ending) ? [path] : [];
  });
}

const documents = filesUnder(ROOT, ".md");
const tests = filesUnder(ROOT, ".test.ts").map((file) => readFileSync(file, "utf8"));

describe("the documents", () => {
  it("link to files that exist", () => {
    const broken = documents.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target ?? "")
        .filter((target) => !existsSync(resolve(dirname(file), target)))
        .map((target) => `${relative(ROOT, file)} -> ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("name every dependency and why it is there", () => {
    const dependencies = ["packages/verify/package.json", "packages/deleatur/package.json", "package.json"].flatMap(
      (file) => {
        const manifest = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as Record<
          string,
          Record<string, string> | undefined
        >;
        return [...Object.keys(manifest["dependencies"] ?? {}), ...Object.keys(manifest["devDependencies"] ?? {})];
      },
    );
    const text = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8");
    expect(dependencies.filter((name) => !name.startsWith("@deleatur/") && !text.includes(`\`${name}\``))).toEqual([]);
  });

  it("pin exact versions", () => {
    const loose = ["packages/verify/package.json", "packages/deleatur/package.json", "package.json"].flatMap((file) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as Record<
        string,
        Record<string, string> | undefined
      >;
      const all = { ...manifest["dependencies"], ...manifest["devDependencies"] };
      return Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
    });
    expect(loose).toEqual([]);
  });

  it("hold no path of a machine and no registry host", () => {
    const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
    const home = new RegExp(["(^|[^.a-z])/(w", "ork|f", "arm|root|home/[a-z]+)/[a-z.]"].join(""));
    const offending = tracked.filter((file) => {
      if (!existsSync(join(ROOT, file))) return false;
      const text = readFileSync(join(ROOT, file), "utf8");
      return home.test(text) || text.includes(['"resolved": "ht', "tp"].join(""));
    });
    expect(offending).toEqual([]);
  });
});

describe("the requirements", () => {
  const rows = [
    ...readFileSync(join(ROOT, "docs/requirements.md"), "utf8").matchAll(
      /^\| \*{0,2}([A-Z]+-\d+)\*{0,2} \| (built|later) \|/gm,
    ),
  ];

  it("are all listed with a state", () => {
    expect(rows.length).toBeGreaterThanOrEqual(45);
  });

  it("that are built are named by a test", () => {
    const unnamed = rows.filter(
      ([, id, state]) => state === "built" && !tests.some((text) => text.includes(id ?? "?")),
    );
    expect(unnamed.map(([, id]) => id)).toEqual([]);
  });
});
