// Writes schema/boundary.schema.json anew after a change of the schema: `npm run schema`. Not part of the published program.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { boundaryJsonSchema } from "./json-schema.ts";

const folder = new URL("../../schema/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(fileURLToPath(new URL("boundary.schema.json", folder)), boundaryJsonSchema());
