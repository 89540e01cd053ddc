// The JSON Schema that editors use, made from the zod schema; the committed file must equal it.
import { z } from "zod";
import { boundarySchema } from "./schema.ts";

/** The text of schema/boundary.schema.json, two spaces deep, with a newline at its end. */
export function boundaryJsonSchema(): string {
  const schema = z.toJSONSchema(boundarySchema, { target: "draft-2020-12", io: "input" });
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
