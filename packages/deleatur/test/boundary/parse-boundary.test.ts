// Reading a boundary: the example of the design, its defaults, and errors that name file, line, field and cure.
import { SURFACE_KINDS } from "../../src/model/declaration.ts";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineBoundary, loadBoundary, parseBoundary } from "../../src/boundary/parse-boundary.ts";
import { boundaryProblems } from "../../src/boundary/problem.ts";
import { publicForm } from "../../src/boundary/public-form.ts";
import { BoundaryError } from "../../src/model/errors.ts";
import { EXAMPLE_INPUT, EXAMPLE_YAML } from "./example-boundary.ts";

const CONTEXT = { file: "/srv/agent/deleatur.yaml", env: {} };

function errorOf(text: string): BoundaryError {
  try {
    parseBoundary(text, CONTEXT);
  } catch (error) {
    if (error instanceof BoundaryError) return error;
    throw error;
  }
  throw new Error("the boundary was accepted");
}

describe("the example of the design", () => {
  const boundary = parseBoundary(EXAMPLE_YAML, CONTEXT);

  it("comes out with every surface, sorted by the bytes of its id", () => {
    expect(boundary.surfaces.map((surface) => surface.id)).toEqual([
      "episodes",
      "prompt-cache",
      "search",
      "summaries",
      "transcripts",
      "vectors",
    ]);
    expect(boundary.identifiers).toEqual(["account", "email", "thread"]);
  });

  it("fills in defaults: labels, keys, writers, locators, limits", () => {
    const byId = new Map(boundary.surfaces.map((surface) => [String(surface.id), surface]));
    expect(byId.get("search")).toMatchObject({ key: ["rowid"], keys: "reusable", label: "search", writers: "sdk" });
    expect(byId.get("prompt-cache")).toMatchObject({
      key: [],
      writers: "foreign",
      horizon: { maxSeconds: 3600, basis: "provider contract, read 2026-11" },
      horizonLimitSeconds: 2_592_000,
    });
    expect(byId.get("summaries")).toMatchObject({
      derivedFrom: [{ surface: "episodes", column: "source_ids", as: "json" }],
      content: [{ column: "text", as: "text" }],
      purge: { method: "auto" },
      replicas: [],
    });
    expect(byId.get("episodes")?.horizonLimitSeconds).toBeUndefined();
  });

  it("resolves stores and ledger beside the file", () => {
    expect(boundary.connect.ledger).toBe("/srv/agent/deleatur.db");
    expect(boundary.connect.stores.get("memory")).toEqual({
      type: "sqlite",
      name: "memory",
      file: "/srv/agent/memory.db",
    });
    expect(boundary.connect.stores.get("transcripts")).toEqual({
      type: "files",
      name: "transcripts",
      glob: "/srv/agent/transcripts/*.jsonl",
    });
  });

  it("reads the same when it is written in TypeScript", () => {
    const typed = defineBoundary(EXAMPLE_INPUT, { directory: "/srv/agent", env: {} });
    expect({ ...typed, source: undefined }).toEqual({ ...boundary, source: undefined });
    expect(publicForm(typed)).toEqual(publicForm(boundary));
  });

  it("is loaded from a file, relative to that file", () => {
    const directory = mkdtempSync(join(tmpdir(), "deleatur-boundary-"));
    writeFileSync(join(directory, "deleatur.yaml"), EXAMPLE_YAML);
    const loaded = loadBoundary(join(directory, "deleatur.yaml"), {});
    expect(loaded.connect.ledger).toBe(join(directory, "deleatur.db"));
    expect(() => loadBoundary(join(directory, "none.yaml"), {})).toThrow(BoundaryError);
  });
});

describe("errors", () => {
  it("refuses by name the kinds that no issue has built, and names those that exist", () => {
    for (const kind of ["milvus", "qdrant"]) {
      const error = errorOf(
        EXAMPLE_YAML.replace("surfaces:  ", `surfaces:\n  later: { kind: ${kind}, role: cache, store: memory }\n  #`),
      );
      expect(error.code).toBe("UNKNOWN_KIND");
      expect(error.message).toContain(`names ${kind}`);
      expect(error.message).toContain(SURFACE_KINDS.join(", "));
      expect(error.place).toMatchObject({ file: CONTEXT.file, line: 5, field: "surfaces.later.kind" });
    }
  });

  it("name file, line, field and cure, and carry every problem in the order of the file", () => {
    const error = errorOf(
      EXAMPLE_YAML.replace("role: derived", "role: derivative")
        .replace("deleatur: 1", "deleatur: 2")
        .replace("column: user_id", "colum: user_id"),
    );
    const problems = boundaryProblems(error);
    expect(problems.map(({ place }) => [place.line, place.field])).toEqual([
      [1, "deleatur"],
      [6, "surfaces.episodes.subject.column"],
      [6, "surfaces.episodes.subject.colum"],
      [9, "surfaces.summaries.role"],
    ]);
    expect(error.message).toBe(problems[0]?.message);
    expect(error.message).toBe(
      "/srv/agent/deleatur.yaml, line 1: deleatur is missing or not one of the allowed values, write 1",
    );
    for (const problem of problems) expect(problem.cure).toBeTruthy();
  });

  it("judge an entry of surfaces as what it means to be: a preset or a surface", () => {
    const wrongType = errorOf(EXAMPLE_YAML.replace("  search:", "  tool: { preset: 4 }\n  search:"));
    expect(boundaryProblems(wrongType).map(({ place }) => place.field)).toEqual(["surfaces.tool.preset"]);
    const noKind = errorOf(EXAMPLE_YAML.replace("kind: jsonl, role: transcript, ", ""));
    expect(boundaryProblems(noKind).map(({ place }) => place.field)).toEqual([
      "surfaces.transcripts.kind",
      "surfaces.transcripts.role",
    ]);
  });

  it("say what is missing, and where it should stand", () => {
    const error = errorOf("deleatur: 1\nboundary: a\nidentifiers: [account]\n");
    expect(error).toMatchObject({ code: "MISSING_FIELD", place: { field: "surfaces" } });
    const key = errorOf(EXAMPLE_YAML.replace("table: summaries, key: id,", "table: summaries,"));
    expect(key).toMatchObject({
      code: "MISSING_FIELD",
      place: { field: "surfaces.summaries.key", line: 9, surface: "summaries" },
    });
  });
});

describe("environment", () => {
  const text = EXAMPLE_YAML.replace("file: ./memory.db", 'file: "${DATA}/memory.db"');

  it("fills variables in from what is passed, never from the process", () => {
    const boundary = parseBoundary(text, { file: "/srv/deleatur.yaml", env: { DATA: "/data" } });
    expect(boundary.connect.stores.get("memory")).toMatchObject({ file: "/data/memory.db" });
    process.env["DATA"] = "/elsewhere";
    expect(errorOf(text)).toMatchObject({ code: "ENV_MISSING", place: { store: "memory" } });
    delete process.env["DATA"];
  });
});
