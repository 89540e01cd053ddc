// How a table is written in a boundary: every table has one name there, and no two have the same.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { spellTable, tableName } from "../../../src/adapters/postgres/options.ts";

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(".", '"', "a", "b", " ") }),
  fc.constant("public"),
);

it("C14: a table comes back from its own name, whatever dots and quotes it has", () => {
  fc.assert(
    fc.property(name, name, (schema, table) => {
      expect(tableName(spellTable({ schema, table }))).toEqual({ schema, table });
    }),
    { numRuns: 2_000 },
  );
});
