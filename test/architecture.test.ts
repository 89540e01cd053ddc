// Holds the tree to its import rules, file sizes and exports maps, by a short walk over the import lines.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = join(ROOT, "packages/deleatur/src");
const MAX_LINES = 400;
const MEDIAN_LINES = 120;

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : path.endsWith(".ts") ? [path] : [];
  });
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^"';]*?\s+from\s+)?"([^"]+)";|\bimport\("([^"]+)"\)/gm;

function importsOf(file: string): Import[] {
  return [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, type, named, dynamic]) => {
    const target = named ?? dynamic ?? "";
    const to = target.startsWith(".") ? relative(SOURCE, resolve(dirname(file), target)) : target;
    return { from: relative(SOURCE, file), to, isTypeOnly: type !== undefined };
  });
}

const files = filesUnder(SOURCE);
const imports = files.flatMap(importsOf);
const breaking = (rule: (edge: Import) => boolean): string[] =>
  imports.filter(rule).map(({ from, to }) => `${from} imports ${to}`);

const isEye = (path: string): boolean => /^adapters\/[^/]+\/(eyes\/|probes\.ts)/.test(path);
const isHand = (path: string): boolean => /^adapters\/[^/]+\/(hands\/|surface\.ts)/.test(path);

describe("the import rules", () => {
  it("sees the imports at all", () => {
    expect(imports.length).toBeGreaterThan(300);
  });

  it("model/ imports nothing outside model/", () => {
    expect(breaking(({ from, to }) => from.startsWith("model/") && !to.startsWith("model/"))).toEqual([]);
  });

  it("probe/ never imports forget/, nor any adapter", () => {
    expect(breaking(({ from, to }) => from.startsWith("probe/") && /^(forget|adapters)\//.test(to))).toEqual([]);
  });

  it("what looks (examine/, probe/, attest/) never imports what erases (forget/)", () => {
    expect(breaking(({ from, to }) => /^(examine|probe|attest)\//.test(from) && to.startsWith("forget/"))).toEqual([]);
  });

  it("an adapter's eyes never import its hands", () => {
    expect(breaking(({ from, to }) => isEye(from) && isHand(to))).toEqual([]);
    expect(breaking(({ from, to }) => isHand(from) && isEye(to))).toEqual([]);
  });

  it("only adapters/sqlite/, ledger/ and the demo's application import the SQLite client", () => {
    const allowed = /^(adapters\/sqlite|ledger|demo)\//;
    expect(breaking(({ from, to }) => /^(better-sqlite3|sqlite-vec)$/.test(to) && !allowed.test(from))).toEqual([]);
  });

  it("only adapters/postgres/ imports the PostgreSQL client, and at run time only when a store is opened", () => {
    expect(breaking(({ from, to }) => to === "pg" && from !== "adapters/postgres/load-client.ts")).toEqual([]);
    const loader = readFileSync(join(SOURCE, "adapters/postgres/load-client.ts"), "utf8");
    expect(loader.match(/^.*"pg".*$/gm)).toEqual([
      'import type { Client, ClientConfig, Query } from "pg";',
      '    const client = await import("pg");',
    ]);
  });

  it("no adapter imports the engine: it is handed what it needs", () => {
    const engine = /^(engine|open-deleatur|forget\/|examine\/|audit\/|ledger\/|attest\/|record\/|cli\/)/;
    expect(breaking(({ from, to }) => /^adapters\/[^/]+\//.test(from) && engine.test(to))).toEqual([]);
  });

  // Exported as JWK it can wait for ever for a lock of its own thread (ledger/exchange-seal.ts): one process in some thousand histories did.
  it("nobody has Node make a key pair", () => {
    const makers = files.filter((file) => /\bgenerateKeyPair(?:Sync)?\(/.test(readFileSync(file, "utf8")));
    expect(makers.map((file) => relative(SOURCE, file))).toEqual([]);
  });

  it("the command line is imported by nobody", () => {
    expect(breaking(({ from, to }) => to.startsWith("cli/") && !from.startsWith("cli/"))).toEqual([]);
  });

  it("relative imports carry .ts and point at files that exist", () => {
    const relatives = imports.filter(({ to }) => to.endsWith(".ts"));
    expect(relatives.filter(({ to }) => !existsSync(join(SOURCE, to)))).toEqual([]);
    expect(breaking(({ to }) => /^[^@].*\//.test(to) && !to.endsWith(".ts") && !to.startsWith("node:"))).toEqual([]);
  });
});

describe("the files", () => {
  const all = [...files, ...filesUnder(join(ROOT, "packages/verify/src"))];
  const lengths = all.map((file) => ({
    file: relative(ROOT, file),
    lines: readFileSync(file, "utf8").split("\n").length,
  }));

  it("are short: none over 400 lines, half of them under 120", () => {
    expect(lengths.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(MEDIAN_LINES);
  });

  it("say in their first line what they are for", () => {
    expect(
      all.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(readFileSync(file, "utf8"))).map((file) => relative(ROOT, file)),
    ).toEqual([]);
  });

  it("stand in folders named after the flow, never utils, helpers, common or misc", () => {
    expect(all.filter((file) => /\/(utils?|helpers?|common|misc)(\/|\.ts$)/.test(file))).toEqual([]);
  });

  it("export by name, never everything", () => {
    expect(
      all.filter((file) => /^export \*/m.test(readFileSync(file, "utf8"))).map((file) => relative(ROOT, file)),
    ).toEqual([]);
  });
});

describe("the exports maps", () => {
  it.each(["verify", "deleatur"])("of packages/%s name files that the sources build", (name) => {
    const folder = join(ROOT, "packages", name);
    const { exports, bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly exports: Record<string, { readonly types: string; readonly default: string } | string>;
      readonly bin?: Record<string, string>;
    };
    const targets = [
      ...Object.values(exports).map((target) => (typeof target === "string" ? target : target.default)),
      ...Object.values(bin ?? {}),
    ];
    const missing = targets.filter((target) => {
      const source = target.endsWith(".js") ? target.replace("./dist/", "./src/").replace(/\.js$/, ".ts") : target;
      return !existsSync(join(folder, source));
    });
    expect(missing).toEqual([]);
  });

  it("keep @deleatur/verify free of Node and of Deleatur", () => {
    const foreign = filesUnder(join(ROOT, "packages/verify/src")).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(IMPORT)]
        .map(([, , named, dynamic]) => named ?? dynamic ?? "")
        .filter((target) => !target.startsWith(".") && !target.startsWith("@noble/")),
    );
    expect(foreign).toEqual([]);
  });
});
