// What a boundary may say of keys in Redis, each rule broken on purpose, and what its census makes of their names.
import { describe, expect, it } from "vitest";
import type { BoundaryInput, SurfaceInput } from "../../src/boundary/boundary-input.ts";
import { censusReport } from "../../src/boundary/census.ts";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import { boundaryProblems } from "../../src/boundary/problem.ts";
import { publicForm } from "../../src/boundary/public-form.ts";
import type { Boundary } from "../../src/model/declaration.ts";
import { BoundaryError } from "../../src/model/errors.ts";
import type { Container } from "../../src/surface.ts";

const ANSWERS = { kind: "redis", role: "cache", store: "cache", prefix: "answer:" } as const;

function define(
  surfaces: Readonly<Record<string, SurfaceInput>>,
  more: Partial<BoundaryInput> = {},
  url = "redis://127.0.0.1:6379/2",
): Boundary {
  return defineBoundary(
    {
      deleatur: 1,
      boundary: "tests/redis",
      identifiers: ["account"],
      surfaces,
      connect: { cache: { url: "${REDIS_URL}" }, memory: { file: "./memory.db" } },
      ...more,
    },
    { directory: "/tmp", env: { REDIS_URL: url } },
  );
}

function codesOf(...args: Parameters<typeof define>): readonly string[] {
  try {
    define(...args);
    return [];
  } catch (cause) {
    if (!(cause instanceof BoundaryError)) throw cause;
    return boundaryProblems(cause).map(({ code }) => code);
  }
}

function keys(name: string): Container {
  return { name, kind: "keys", holds: ["text"] };
}

describe("keys in Redis", () => {
  it("are declared by a prefix, whose characters stand for themselves, or by a pattern", () => {
    expect(define({ answers: { ...ANSWERS, prefix: "a[1]*" } }).surfaces[0]).toMatchObject({
      pattern: "a\\[1\\]\\**",
      each: "key",
      keys: "unique",
    });
    const { prefix: _, ...rest } = ANSWERS;
    expect(define({ answers: { ...rest, pattern: "user:*:facts", each: "field" } }).surfaces[0]).toMatchObject({
      pattern: "user:*:facts",
      each: "field",
    });
  });

  it.each<readonly [string, Readonly<Record<string, SurfaceInput>>, string]>([
    ["neither prefix nor pattern", { a: { kind: "redis", role: "cache", store: "cache" } }, "MISSING_FIELD"],
    ["both", { a: { ...ANSWERS, pattern: "x*" } }, "BAD_FIELD"],
    ["a table", { a: { ...ANSWERS, table: "answers" } }, "FIELD_KIND"],
    ["a key of its own", { a: { ...ANSWERS, key: "id" } }, "FIELD_KIND"],
    ["a column", { a: { ...ANSWERS, subject: { column: "user", type: "account" } } }, "LOCATOR_KIND"],
    ["triggers", { a: { ...ANSWERS, writers: "trigger" } }, "WRITERS_KIND"],
    ["a store that is a file", { a: { ...ANSWERS, store: "memory" } }, "STORE_KIND"],
    ["one prefix within another", { a: ANSWERS, b: { ...ANSWERS, prefix: "answer:en:" } }, "CONTAINER_TWICE"],
    [
      "a pattern that a prefix takes in",
      { a: ANSWERS, b: { kind: "redis", role: "cache", store: "cache", pattern: "answer:*:en" } },
      "CONTAINER_TWICE",
    ],
    [
      "a prefix of keys in a table",
      { a: { kind: "sqlite", role: "cache", store: "memory", table: "t", key: "id", prefix: "answer:" } },
      "FIELD_KIND",
    ],
    [
      "ATTEST-5: a time to live that no store of the kind sets",
      { a: { kind: "sqlite", role: "cache", store: "memory", table: "t", key: "id", horizon: { ttl: "PT1H" } } },
      "FIELD_KIND",
    ],
  ])("refuses %s", (_, surfaces, code) => {
    expect(codesOf(surfaces)).toContain(code);
  });

  it("refuses an address that is none, and exemptions of a whole database", () => {
    expect(codesOf({ a: ANSWERS }, {}, "127.0.0.1:6379")).toEqual(["BAD_CONNECTION", "UNKNOWN_STORE"]);
    expect(codesOf({ a: ANSWERS }, {}, "http://127.0.0.1")).toEqual(["STORE_KIND"]);
    expect(codesOf({ a: ANSWERS }, {}, "redis://127.0.0.1/two")).toEqual(["BAD_CONNECTION", "UNKNOWN_STORE"]);
    expect(
      codesOf({ a: ANSWERS }, { exempt: [{ name: "x", kind: "audit-log", store: "cache", ground: "g" }] }),
    ).toEqual(["EXEMPTION_GROUND"]);
  });

  it("PRIVACY-1: neither the address nor its password is published, the pattern is", () => {
    const boundary = define({ answers: ANSWERS }, {}, "redis://app:hunter2hunter2@10.0.0.7:6380/2");
    const form = publicForm(boundary);
    expect(form.surfaces[0]).toMatchObject({ container: "cache.answer:*", locators: { each: "key" } });
    expect(JSON.stringify(form)).not.toMatch(/hunter2|10\.0\.0\.7|6380/);
  });

  it("C14: two prefixes that differ in case are two containers", () => {
    const boundary = define({ answers: ANSWERS });
    const report = censusReport(
      boundary,
      new Map([["cache", [keys("cache.answer:*"), keys("cache.Answer:*"), keys("cache.[hash]")]]]),
    );
    expect(report.undeclared.map(({ name }) => name)).toEqual(["cache.Answer:*", "cache.[hash]"]);
    expect(report.missing).toEqual([]);
  });
});
