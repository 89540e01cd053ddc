// The package's borders: nothing of Node, nothing of ours, only the two hash and curve libraries; small files, each with its purpose on top.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const SOURCE = new URL("../src/", import.meta.url);
const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

function textOf(file: string): string {
  return readFileSync(new URL(file, SOURCE), "utf8");
}

function importsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g), ([, target]) => target ?? "");
}

describe("the verifier's source", () => {
  it("imports nothing but its own files and @noble: no Node, no Deleatur (VERIFY-3)", () => {
    expect(FILES.length).toBeGreaterThan(20);
    const foreign = FILES.flatMap((file) =>
      importsOf(textOf(file))
        .filter((target) => !/^@noble\/(hashes|curves)\/[a-z0-9]+\.js$/.test(target))
        .filter(
          (target) =>
            !(/^\.\.?\/.+\.ts$/.test(target) && FILES.includes(new URL(target, `file:///${file}`).pathname.slice(1))),
        )
        .map((target) => `${file}: ${target}`),
    );
    expect(foreign).toEqual([]);
  });

  it("uses no global of Node's, no clock and no randomness", () => {
    const wrong = FILES.filter((file) =>
      /\b(Buffer|process|require|globalThis|Date\.now|Math\.random|new Date\(\))\b/.test(
        textOf(file).replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, ""),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("names its exports, opens each file with its purpose and keeps files small", () => {
    const sizes = FILES.map((file) => textOf(file).split("\n").length).toSorted((a, b) => a - b);
    expect(sizes.at(-1)).toBeLessThanOrEqual(400);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(120);
    const wrong = FILES.filter((file) => !textOf(file).startsWith("// ") || /export (\*|default)/.test(textOf(file)));
    expect(wrong).toEqual([]);
  });

  it("depends on the two libraries only", () => {
    const manifest: { readonly dependencies: object } = JSON.parse(
      readFileSync(new URL("../package.json", SOURCE), "utf8"),
    );
    expect(Object.keys(manifest.dependencies)).toEqual(["@noble/curves", "@noble/hashes"]);
  });
});
