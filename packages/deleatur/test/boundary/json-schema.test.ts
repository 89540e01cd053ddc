// The committed JSON Schema for editors is the one that the zod schema gives.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { boundaryJsonSchema } from "../../src/boundary/json-schema.ts";

describe("schema/boundary.schema.json", () => {
  it("equals what the zod schema gives: run `npm run schema` after a change", () => {
    const committed = readFileSync(new URL("../../schema/boundary.schema.json", import.meta.url), "utf8");
    expect(JSON.parse(committed)).toEqual(JSON.parse(boundaryJsonSchema()));
  });

  it("refuses unknown members, so that an editor marks a typing error", () => {
    expect(JSON.parse(boundaryJsonSchema())).toMatchObject({ type: "object", additionalProperties: false });
  });
});
