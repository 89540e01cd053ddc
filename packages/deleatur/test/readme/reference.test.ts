// The reference pages: every member of the boundary file is explained in docs/boundary.md, its example is a boundary, and the claim of docs/auditing.md is a claim.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readClaim } from "../../src/audit/read-claim.ts";
import { parseBoundary } from "../../src/boundary/parse-boundary.ts";
import { KIND_RULES } from "../../src/boundary/known-kinds.ts";
import { PRESETS } from "../../src/boundary/presets/known-presets.ts";

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const page = read("docs/boundary.md");
const fenced = (text: string, language: string): string =>
  new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, "m").exec(text)?.[1] ?? "";

/** Names of all members, at any depth of the JSON Schema. */
function members(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const named = "properties" in schema && typeof schema.properties === "object" ? (schema.properties ?? {}) : {};
  return [...Object.keys(named), ...Object.values(schema).flatMap(members)];
}

it("explains every member, kind and preset", () => {
  const schema: unknown = JSON.parse(read("packages/deleatur/schema/boundary.schema.json"));
  const names = new Set([...members(schema), ...Object.keys(KIND_RULES), ...PRESETS.map(({ name }) => name)]);
  expect(names.size).toBeGreaterThan(40);
  expect([...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

it("shows a boundary that is one", () => {
  const boundary = parseBoundary(fenced(page, "yaml"), { file: "deleatur.yaml", env: {} });
  expect(boundary.surfaces).toHaveLength(6);
});

it("shows a claim that is one", () => {
  expect(readClaim(JSON.parse(fenced(read("docs/auditing.md"), "json"))).surfacesReached).toEqual(["episodes"]);
});
