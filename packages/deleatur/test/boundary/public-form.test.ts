// The public form: what is digested and published, and what never is.
import { assert as assertProperty, property, shuffledSubarray } from "fast-check";
import { canonicalJson } from "@deleatur/verify";
import { describe, expect, it } from "vitest";
import { defineBoundary, parseBoundary } from "../../src/boundary/parse-boundary.ts";
import type { Boundary } from "../../src/model/declaration.ts";
import { publicForm, publicFormOf } from "../../src/boundary/public-form.ts";
import { EXAMPLE_INPUT, EXAMPLE_YAML } from "./example-boundary.ts";

const publicFormDigest = (declared: Boundary): string => publicFormOf(declared).digest;
const boundary = parseBoundary(EXAMPLE_YAML, { file: "/srv/agent/deleatur.yaml", env: {} });

describe("the public form", () => {
  it("has every member, null where there is nothing, durations in whole seconds", () => {
    const form = publicForm(boundary);
    expect(Object.keys(form)).toEqual([
      "deleatur",
      "id",
      "identifiers",
      "surfaces",
      "exemptions",
      "census",
      "keep",
      "horizonLimit",
    ]);
    for (const surface of form.surfaces)
      expect(Object.keys(surface)).toEqual([
        "id",
        "kind",
        "role",
        "label",
        "container",
        "locators",
        "derivedFrom",
        "policies",
        "writers",
        "horizon",
        "replicas",
      ]);
    expect(canonicalJson(form)).not.toContain("undefined");
    expect(form.horizonLimit).toEqual({ cache: 2_592_000, backup: 7_776_000 });
    expect(form.surfaces.find((surface) => surface.id === "prompt-cache")).toMatchObject({
      container: null,
      horizon: { maxSeconds: 3600 },
    });
    expect(form.surfaces.find((surface) => surface.id === "transcripts")?.container).toBe("transcripts.*");
  });

  it("VERIFY-1: holds nothing from connect, so that moving a store changes no digest", () => {
    const moved = EXAMPLE_YAML.replace("./memory.db", "/elsewhere/x.db").replace(
      "sqlite:./deleatur.db",
      "sqlite:/a/l.db",
    );
    const other = parseBoundary(moved, { file: "/other/place.yaml", env: {} });
    expect(publicFormDigest(other)).toBe(publicFormDigest(boundary));
    expect(canonicalJson(publicForm(other))).not.toMatch(/elsewhere|memory\.db|\/other|\.jsonl/);
  });

  it("carries what is kept, replicas as a number, and one horizon limit a role", () => {
    const text = EXAMPLE_YAML.replace(
      "table: summaries,",
      'table: summaries, replicas: [copy], keep: { ground: "tax law", until: 2030-12-31 },',
    )
      .replace("  memory: {", "  copy: { file: ./copy.db }\n  memory: {")
      .replace("writers: sdk", "horizonLimit: { cache: P7DT1H, backup: P2W }\nwriters: sdk");
    const form = publicForm(parseBoundary(text, { file: "/d.yaml", env: {} }));
    expect(form.keep).toEqual([{ surface: "summaries", ground: "tax law", until: "2030-12-31" }]);
    expect(form.surfaces.find((surface) => surface.id === "summaries")?.replicas).toBe(1);
    // No backup is declared, so the file's limit for backups limits nothing and the default stands.
    expect(form.horizonLimit).toEqual({ cache: 7 * 86_400 + 3600, backup: 7_776_000 });
  });

  it("publishes that a command rederives, not the command", () => {
    const text = EXAMPLE_YAML.replace("rederive: summarise", "rederive: { command: [/opt/private/summarise, --fast] }");
    expect(canonicalJson(publicForm(parseBoundary(text, { file: "/d.yaml", env: {} })))).not.toContain("private");
  });

  it("does not depend on the order in which the file is written", () => {
    const names = Object.keys(EXAMPLE_INPUT.surfaces);
    assertProperty(
      property(shuffledSubarray(names, { minLength: names.length }), (order) => {
        const surfaces = Object.fromEntries(
          order.flatMap((id) => {
            const surface = EXAMPLE_INPUT.surfaces[id];
            return surface === undefined ? [] : [[id, surface] as const];
          }),
        );
        const shuffled = defineBoundary({ ...EXAMPLE_INPUT, surfaces }, { directory: "/", env: {} });
        expect(publicFormDigest(shuffled)).toBe(publicFormDigest(boundary));
      }),
    );
  });

  it("changes its digest with every declared fact that a verifier relies on", () => {
    const edits: readonly [string, string][] = [
      ["support-agent/prod", "support-agent/test"],
      ["table: episodes,", "table: episodes2,"],
      ["column: user_id", "column: owner"],
      ["max: PT1H", "max: PT2H"],
      ["shared: rederive, rederive: summarise", "shared: destroy"],
      ["writers: sdk", "writers: foreign"],
      ["append-only", "appended"],
      ["billing_*", "invoices_*"],
      ["keys: reusable", "keys: unique"],
    ];
    const digests = edits.map(([from, to]) => {
      expect(EXAMPLE_YAML).toContain(from);
      return publicFormDigest(parseBoundary(EXAMPLE_YAML.replace(from, to), { file: "/d.yaml", env: {} }));
    });
    expect(new Set([...digests, publicFormDigest(boundary)]).size).toBe(edits.length + 1);
  });
});
