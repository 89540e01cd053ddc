// The census: what exists, held against what is declared.
import { describe, expect, it } from "vitest";
import { censusReport } from "../../src/boundary/census.ts";
import { covers, matchesPattern } from "../../src/boundary/glob.ts";
import { parseBoundary } from "../../src/boundary/parse-boundary.ts";
import type { Container } from "../../src/surface.ts";
import { EXAMPLE_YAML } from "./example-boundary.ts";

const boundary = parseBoundary(EXAMPLE_YAML, { file: "/srv/deleatur.yaml", env: {} });

function table(name: string, holds: Container["holds"] = ["text"]): Container {
  return { name: `memory.${name}`, kind: "table", holds };
}

const MEMORY: readonly Container[] = [
  table("Episodes"),
  table("summaries"),
  { name: "memory.episode_vec", kind: "vec", holds: ["vector"] },
  { name: "memory.episode_vec_chunks", kind: "shadow", owner: "memory.episode_vec", holds: ["blob"] },
  { name: "memory.episodes_fts", kind: "fts", holds: ["text"] },
  { name: "memory.episodes_fts_data", kind: "shadow", owner: "episodes_fts", holds: ["blob"] },
  table("payment_log"),
  table("billing_2026"),
  table("counters", []),
  { name: "memory.recent", kind: "view", holds: ["text"] },
  { ...table("deleatur_fence"), owner: "deleatur" },
  table("memory_observations_384", ["vector"]),
];
const TRANSCRIPTS: readonly Container[] = [{ name: "transcripts.*", kind: "file", holds: ["text"] }];

function stateOf(name: string, containers: readonly Container[] = MEMORY): string | undefined {
  return censusReport(boundary, new Map([["memory", containers]])).containers.find(
    (entry) => entry.container.name === `memory.${name}`,
  )?.state;
}

describe("census", () => {
  it("C08, VERDICT-4: names a container that nobody declared", () => {
    const report = censusReport(boundary, new Map([["memory", MEMORY]]));
    expect(report.undeclared.map((container) => container.name)).toEqual(["memory.memory_observations_384"]);
  });

  it("knows what is declared, by SQLite's own rule for the case of names", () => {
    expect(stateOf("Episodes")).toBe("declared");
    expect(stateOf("episode_vec")).toBe("declared");
  });

  it("counts shadow tables under their owner", () => {
    expect(stateOf("episode_vec_chunks")).toBe("shadow");
    expect(stateOf("episodes_fts_data")).toBe("shadow");
  });

  it("keeps exempt, quiet and silent containers apart", () => {
    expect(stateOf("payment_log")).toBe("exempt");
    expect(stateOf("billing_2026")).toBe("quiet");
    expect(stateOf("counters")).toBe("silent");
    expect(stateOf("recent")).toBe("silent");
  });

  it("never reports our own tables", () => {
    expect(stateOf("deleatur_fence")).toBeUndefined();
    expect(stateOf("deleaturish", [table("deleaturish")])).toBe("undeclared");
  });

  it("names what is declared and not there, and stores that were not listed", () => {
    const report = censusReport(boundary, new Map([["memory", [table("episodes")]]]));
    expect(report.missing).toEqual([
      { surface: "search", container: "memory.episodes_fts" },
      { surface: "summaries", container: "memory.summaries" },
      { surface: "vectors", container: "memory.episode_vec" },
    ]);
    expect(report.unlisted).toEqual(["transcripts"]);
    expect(
      censusReport(
        boundary,
        new Map([
          ["memory", MEMORY],
          ["transcripts", TRANSCRIPTS],
        ]),
      ),
    ).toMatchObject({
      missing: [],
      unlisted: [],
    });
  });

  it("CLAIM-6: counts a replica's container as declared, and misses it where it is gone", () => {
    const text = EXAMPLE_YAML.replace("table: summaries,", "table: summaries, replicas: [copy],").replace(
      "  memory: {",
      "  copy: { file: ./copy.db }\n  memory: {",
    );
    const replicated = parseBoundary(text, { file: "/srv/deleatur.yaml", env: {} });
    const copy: Container = { name: "copy.summaries", kind: "table", holds: ["text"] };
    expect(censusReport(replicated, new Map([["copy", [copy]]])).containers).toMatchObject([
      { state: "declared", surface: "summaries" },
    ]);
    expect(censusReport(replicated, new Map([["copy", []]])).missing).toEqual([
      { surface: "summaries", container: "copy.summaries" },
    ]);
  });

  it("knows a replica by the name of its container, in whichever listing it stands", () => {
    const text = EXAMPLE_YAML.replace("table: summaries,", "table: summaries, replicas: [copy],").replace(
      "  memory: {",
      "  copy: { file: ./copy.db }\n  memory: {",
    );
    const replicated = parseBoundary(text, { file: "/srv/deleatur.yaml", env: {} });
    const copy: Container = { name: "copy.summaries", kind: "table", holds: ["text"] };
    const report = censusReport(
      replicated,
      new Map([
        ["memory", [...MEMORY, copy]],
        ["copy", [copy]],
      ]),
    );
    expect(report.containers.filter(({ store }) => store === "copy")).toMatchObject([{ state: "declared" }]);
  });

  it("VERDICT-4: names a file beside the declared ones", () => {
    const beside: Container = { name: "transcripts.a.jsonl.bak", kind: "file", holds: ["text"] };
    const wide = parseBoundary(
      EXAMPLE_YAML.replace('include: ["memory.*"],', 'include: ["memory.*", "transcripts.*"],'),
      {
        file: "/srv/deleatur.yaml",
        env: {},
      },
    );
    const report = censusReport(wide, new Map([["transcripts", [...TRANSCRIPTS, beside]]]));
    expect(report.undeclared).toEqual([beside]);
  });

  it("marks what no include pattern reaches", () => {
    const narrow = parseBoundary(
      EXAMPLE_YAML.replace('include: ["memory.*"], quiet: ["memory.billing_*"]', 'include: ["memory.e*"]'),
      {
        file: "/srv/deleatur.yaml",
        env: {},
      },
    );
    const report = censusReport(narrow, new Map([["memory", [table("orphans"), table("extra")]]]));
    expect(report.containers.map((entry) => entry.state)).toEqual(["undeclared", "outside"]);
  });
});

describe("patterns", () => {
  it("match whole names, a star for any run", () => {
    expect(matchesPattern("memory.*", "memory.a.b")).toBe(true);
    expect(matchesPattern("memory.billing_*", "memory.billing")).toBe(false);
    expect(matchesPattern("*.a*b", "m.aXbYb")).toBe(true);
    expect(matchesPattern("memory.a", "memory.ab")).toBe(false);
    expect(matchesPattern(`${"*a".repeat(30)}!`, "a".repeat(10_000))).toBe(false);
  });

  it("cover what is narrower, never what is wider", () => {
    expect(covers("memory.*", "memory.billing_*")).toBe(true);
    expect(covers("memory.billing_*", "memory.*")).toBe(false);
    expect(covers("memory.b*", "memory.*b")).toBe(false);
  });
});
