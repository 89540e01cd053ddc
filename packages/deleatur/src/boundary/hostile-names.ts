// Refuses, before anything reads the value, names that JavaScript treats specially and values nested or grown beyond any boundary.
import type { FieldPath, Problem } from "./problem.ts";

const SPECIAL = new Set(["__proto__", "constructor", "prototype"]);
const MAX_DEPTH = 16;
const MAX_VALUES = 100_000;

/** The first such flaw, or none. Bounded in depth and in work, so that a circular or shared value ends it. */
export function findHostileNames(root: unknown): readonly Problem[] {
  const open: { readonly value: unknown; readonly path: FieldPath }[] = [{ value: root, path: [] }];
  let seen = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value !== "object" || value === null) continue;
    if (path.length > MAX_DEPTH)
      return [
        { code: "BOUNDARY_TOO_DEEP", path: [], what: "is nested more than 16 levels deep", cure: "write it flat" },
      ];
    for (const name of Object.keys(value)) {
      seen += 1;
      if (seen > MAX_VALUES)
        return [
          { code: "BOUNDARY_TOO_LARGE", path: [], what: "holds more than 100,000 values", cure: "write it shorter" },
        ];
      const step = Array.isArray(value) ? Number(name) : name;
      if (SPECIAL.has(name))
        return [
          { code: "RESERVED_NAME", path: [...path, step], what: "is a reserved name", cure: "choose another name" },
        ];
      open.push({ value: Reflect.get(value, name), path: [...path, step] });
    }
  }
  return [];
}
