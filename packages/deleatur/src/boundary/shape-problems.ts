// Turns what zod found into problems that name the field and the cure. It looks at shapes only and never repeats a value.
import type { z } from "zod";
import { SURFACE_KINDS } from "../model/declaration.ts";
import type { FieldPath, Problem } from "./problem.ts";
import { boundarySchema } from "./schema.ts";

type Issue = z.core.$ZodIssue;

/** All that exist are named, so that nobody looks for a typing error. */
function kindCure(outside: readonly string[]): string {
  const all = [...SURFACE_KINDS, ...outside].join(", ");
  return `use one of the kinds that exist: ${all}; one of your own is given by openDeleatur(file, { kinds }) or --adapter`;
}

function steps(path: readonly PropertyKey[]): FieldPath {
  return path.map((step) => (typeof step === "number" ? step : String(step)));
}

/** How far a branch of a union is from the value: a branch that fails at its root is the wrong branch, one that fails inside is nearly right. */
function distance(issues: readonly Issue[]): number {
  let sum = 0;
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") sum += issue.keys.length;
    else if (issue.code === "invalid_type" && issue.path.length === 0) sum += 1000;
    else if (issue.code === "invalid_union") sum += Math.min(1000, ...issue.errors.map(distance));
    else sum += 1;
  }
  return sum;
}

function isMissing(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.message.endsWith("received undefined");
}

function nearestBranch(branches: readonly (readonly Issue[])[], path: FieldPath): readonly Issue[] {
  // An entry of `surfaces` is a surface unless it says `preset`.
  const isEntry = path.length === 2 && path[0] === "surfaces";
  if (isEntry && branches[1]?.some((issue) => issue.path[0] === "preset" && isMissing(issue))) return branches[0] ?? [];
  return branches.toSorted((a, b) => distance(a) - distance(b))[0] ?? [];
}

function expected(word: string): string {
  switch (word) {
    case "record":
    case "object":
      return "a map";
    case "array":
      return "a list";
    case "string":
      return "text";
    case "int":
      return "a whole number";
    default:
      return `a ${word}`;
  }
}

function isKind(path: FieldPath): boolean {
  return path.length === 3 && path[0] === "surfaces" && path[2] === "kind";
}

function kindAt(value: unknown, path: FieldPath): string {
  let at = value;
  for (const step of path) at = typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined;
  return typeof at === "string" && /^[a-z][a-z0-9-]{0,40}$/.test(at) ? `names ${at}, which` : "";
}

function problemsOf(issue: Issue, above: FieldPath, value: unknown, outside: readonly string[]): readonly Problem[] {
  const path = [...above, ...steps(issue.path)];
  const problem = (code: string, what: string, cure: string): readonly Problem[] => [{ code, path, what, cure }];
  if (isKind(path))
    return problem("UNKNOWN_KIND", `${kindAt(value, path)} is not a kind that exists`.trim(), kindCure(outside));
  switch (issue.code) {
    case "invalid_union":
      if (path[0] === "connect")
        return problem(
          "BAD_CONNECTION",
          "is no connection",
          "write { file: ./memory.db } or { path: ./notes/*.jsonl }",
        );
      return nearestBranch(issue.errors, path).flatMap((inner) => problemsOf(inner, path, value, outside));
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        code: "UNKNOWN_FIELD",
        path: [...path, key],
        what: "is not known here",
        cure: "remove it or mend its name",
      }));
    case "invalid_type":
      return isMissing(issue)
        ? problem("MISSING_FIELD", "is missing", `add it as ${expected(issue.expected)}`)
        : problem("BAD_FIELD", "has the wrong type", `give ${expected(issue.expected)}`);
    case "invalid_value":
      return problem(
        "BAD_FIELD",
        "is missing or not one of the allowed values",
        `write ${issue.values.map(String).join(" or ")}`,
      );
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "not_multiple_of":
    case "too_big":
    case "too_small":
      break;
  }
  return problem("BAD_FIELD", issue.message.charAt(0).toLowerCase() + issue.message.slice(1), "mend it");
}

export type Shaped =
  | { readonly outcome: "shaped"; readonly input: z.output<typeof boundarySchema> }
  | { readonly outcome: "refused"; readonly problems: readonly Problem[] };

/** Checks an unknown value against the schema; `outside` are the names of kinds that do not ship and were given. */
export function checkShape(value: unknown, outside: readonly string[]): Shaped {
  const parsed = boundarySchema.safeParse(value);
  if (!parsed.success)
    return {
      outcome: "refused",
      problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, [], value, outside)),
    };
  const known = new Set<string>([...SURFACE_KINDS, ...outside]);
  const unknown = Object.entries(parsed.data.surfaces).flatMap(([id, surface]): readonly Problem[] => {
    if (!("kind" in surface) || known.has(surface.kind)) return [];
    const path = ["surfaces", id, "kind"];
    const what = `${kindAt(value, path)} is not a kind that exists`.trim();
    return [{ code: "UNKNOWN_KIND", path, what, cure: kindCure(outside) }];
  });
  return unknown.length === 0 ? { outcome: "shaped", input: parsed.data } : { outcome: "refused", problems: unknown };
}
