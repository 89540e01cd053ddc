// Hostile boundary files: whatever the text or the value, the answer is a boundary or a BoundaryError, soon.
import { anything, assert as assertProperty, constantFrom, array, property, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { defineBoundary, parseBoundary } from "../../src/boundary/parse-boundary.ts";
import { BoundaryError } from "../../src/model/errors.ts";
import { EXAMPLE_INPUT, EXAMPLE_YAML } from "./example-boundary.ts";

const CONTEXT = { file: "deleatur.yaml", env: {} };

function parseOutcome(text: string): string {
  try {
    parseBoundary(text, CONTEXT);
    return "accepted";
  } catch (error) {
    if (error instanceof BoundaryError) return error.code;
    throw error;
  }
}

function defineOutcome(value: unknown): string {
  try {
    // As a caller without TypeScript would call it.
    Reflect.apply(defineBoundary, undefined, [value, { directory: "/", env: {} }]);
    return "accepted";
  } catch (error) {
    if (error instanceof BoundaryError) return error.code;
    throw error;
  }
}

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0
      ? "a0: &a0 [x, x, x, x, x, x, x, x, x]"
      : `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(", ")}]`,
  );
  return `${levels.join("\n")}\n`;
}

describe("hostile YAML", () => {
  it("refuses an alias bomb", () => {
    expect(parseOutcome(aliasBomb())).toMatch(/^BOUNDARY_/);
  });

  it("refuses a huge file before it parses it", () => {
    expect(parseOutcome("a".repeat(2_000_000))).toBe("BOUNDARY_TOO_LARGE");
  });

  it("answers soon for the largest file allowed", () => {
    expect(parseOutcome(Array.from({ length: 25_000 }, (_, n) => `k${n}: 1`).join("\n"))).toMatch(/_FIELD$/);
    expect(parseOutcome("- ".repeat(130_000))).toMatch(/^BOUNDARY_/);
  });

  it("refuses deep nesting, in brackets and in lines", () => {
    expect(parseOutcome("[".repeat(100_000))).toBe("BOUNDARY_TOO_DEEP");
    const lines = Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
    expect(parseOutcome(lines)).toMatch(/^BOUNDARY_/);
    expect(parseOutcome(`${"- ".repeat(50_000)}x`)).toMatch(/^BOUNDARY_/);
  });

  it.each(["__proto__", "constructor", "prototype"])("refuses the name %s and pollutes nothing", (name) => {
    expect(parseOutcome(EXAMPLE_YAML.replace("surfaces:", `surfaces:\n  ${name}: { polluted: yes }\n  #`))).toBe(
      "RESERVED_NAME",
    );
    expect(parseOutcome(`${name}: { polluted: yes }\n`)).toBe("RESERVED_NAME");
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("refuses a name given twice, with the line of the second", () => {
    expect(() => parseBoundary(EXAMPLE_YAML.replace("  search:", "  episodes:"), CONTEXT)).toThrow(/line 12: .*twice/);
  });

  it("refuses tags, further documents and names that are no text", () => {
    expect(parseOutcome(EXAMPLE_YAML.replace("deleatur: 1", "deleatur: !!js/function 1"))).toBe("BOUNDARY_SYNTAX");
    expect(parseOutcome(`${EXAMPLE_YAML}---\na: 1\n`)).toBe("BOUNDARY_SYNTAX");
    expect(parseOutcome(`${EXAMPLE_YAML}? [a, b]\n: c\n`)).toBe("BOUNDARY_SYNTAX");
  });

  it("PRIVACY-1: a syntax error does not repeat the text", () => {
    const text = EXAMPLE_YAML.replace("{ file: ./memory.db }", '{ file: "hunter2hunter2');
    expect(() => parseBoundary(text, CONTEXT)).toThrow(/^(?![\s\S]*hunter2)/);
    expect(parseOutcome(text)).toBe("BOUNDARY_SYNTAX");
  });

  it("refuses an empty file and a file that is a list or a text", () => {
    for (const text of ["", "[]", "text", "null", "1"]) expect(parseOutcome(text)).not.toBe("accepted");
  });
});

describe("nothing but BoundaryError", () => {
  it("for any text", () => {
    const piece = constantFrom(
      ..."{}[]:,-&*!|>'\"%@#? \n\t".split(""),
      "deleatur",
      "1",
      "surfaces",
      "connect",
      "kind",
      "\u0000",
      "\ud800",
    );
    assertProperty(
      property(array(piece, { maxLength: 80 }), (pieces) => {
        expect(parseOutcome(pieces.join(""))).not.toBe("accepted");
      }),
      { numRuns: 500 },
    );
  });

  it("for the example with a piece of it replaced", () => {
    const words = [...new Set(EXAMPLE_YAML.match(/\w+/g))];
    assertProperty(
      property(tuple(constantFrom(...words), string({ maxLength: 12 })), ([word, by]) => {
        expect(typeof parseOutcome(EXAMPLE_YAML.replace(word, () => by))).toBe("string");
      }),
      { numRuns: 150 },
    );
  });

  it("for any value given to defineBoundary, circular ones included", () => {
    assertProperty(
      property(
        anything({ maxDepth: 4, withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (value) => {
          expect(defineOutcome(value)).not.toBe("accepted");
          expect(defineOutcome({ ...EXAMPLE_INPUT, surfaces: value })).toEqual(expect.any(String));
          expect(defineOutcome({ ...EXAMPLE_INPUT, connect: value })).toEqual(expect.any(String));
        },
      ),
      { numRuns: 300 },
    );
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(defineOutcome(circular)).toBe("BOUNDARY_TOO_DEEP");
    expect(defineOutcome({ ...EXAMPLE_INPUT, connect: circular })).toBe("BOUNDARY_TOO_DEEP");
  });
});
