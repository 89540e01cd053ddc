// Rules that one surface must keep by itself: what its kind takes, how it may be located, and the policies that no default may choose.
import type { SourceLocatorInput, SubjectLocatorInput, SurfaceInput } from "./boundary-input.ts";
import type { WrittenSurface } from "./expand-presets.ts";
import { listOf } from "./fill-defaults.ts";
import { rulesOf, type LocatorStyle, TAKES_TRIGGERS } from "./known-kinds.ts";
import type { FieldPath, Problem, Report } from "./problem.ts";

const SURFACE_ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const RESERVED_TABLE = /^(?:sqlite_|deleatur_)/i;

/** Every rule that needs no other surface. */
export function lintSurface(written: WrittenSurface): readonly Problem[] {
  const problems: Problem[] = [];
  const report: Report = (code, field, what, cure) => {
    problems.push({ code, path: [...written.path, ...field], what, cure, surface: written.id });
  };
  const { id, input } = written;
  if (!SURFACE_ID.test(id))
    report("RESERVED_NAME", [], "is no surface id", "use lower-case letters, digits, '.', '_' and '-', at most 128");
  if (input.table !== undefined && RESERVED_TABLE.test(input.table))
    report("RESERVED_NAME", ["table"], "belongs to SQLite or to Deleatur", "name a table of the application");
  lintMembers(input, report);
  if (input.kind === "redis") lintKeys(input, report);
  lintLocators(input, report);
  lintPolicies(input, report);
  lintHorizon(input, report);
  return problems;
}

function lintMembers(input: SurfaceInput, report: Report): void {
  const rules = rulesOf(input.kind);
  for (const member of rules.needs) {
    if (input[member] !== undefined) continue;
    const code = member === "vector" ? "VECTOR_MISSING" : "MISSING_FIELD";
    report(code, [member], `is missing for kind ${input.kind}`, "add it");
  }
  for (const member of rules.refuses) {
    if (input[member] === undefined) continue;
    const code = rules.connection === "none" ? "NOTHING_TO_SCAN" : member === "vector" ? "VECTOR_KIND" : "FIELD_KIND";
    report(code, [member], `has no meaning for kind ${input.kind}`, "remove it");
  }
  for (const member of ["key", "replicas", "of"] as const) {
    const list = listOf<string>(input[member]);
    if (new Set(list).size < list.length) report("DUPLICATE_ID", [member], "names one thing twice", "name each once");
  }
  if (input.of !== undefined && input.role !== "backup")
    report(
      "FIELD_KIND",
      ["of"],
      `has no meaning for role ${input.role}`,
      "remove it: only a backup is a copy of a store",
    );
  if (input.store !== undefined && input.replicas?.includes(input.store) === true)
    report("DUPLICATE_ID", ["replicas"], "names the surface's own store", "name the other stores only");
}

function lintKeys({ prefix, pattern }: SurfaceInput, report: Report): void {
  if (prefix === undefined && pattern === undefined)
    report("MISSING_FIELD", ["prefix"], "is missing for kind redis", "add prefix, or pattern");
  if (prefix !== undefined && pattern !== undefined)
    report("BAD_FIELD", ["pattern"], "stands beside a prefix", "give the one that holds");
}

function styleOf(locator: SubjectLocatorInput | SourceLocatorInput | object): LocatorStyle | "key" {
  if ("segment" in locator) return "key";
  return "field" in locator ? "field" : "column";
}

function lintLocators(input: SurfaceInput, report: Report): void {
  const wanted = rulesOf(input.kind).locators;
  const check = (locator: object, field: FieldPath): void => {
    const style = styleOf(locator);
    if (wanted === "any" || style === wanted || style === "key") return;
    const cure =
      wanted === "column"
        ? "use column, json or via"
        : wanted === "field"
          ? "use field"
          : "use { segment, of: key, sep }, the key is the file's path";
    report("LOCATOR_KIND", field, `does not fit kind ${input.kind}`, cure);
  };
  const each = <T>(member: "subject" | "derivedFrom" | "content", value: T | readonly T[] | undefined): void => {
    for (const [index, locator] of listOf(value).entries()) {
      if (typeof locator !== "object" || locator === null) continue;
      check(locator, Array.isArray(value) ? [member, index] : [member]);
    }
  };
  // What the kind refuses as a whole has been said already.
  const refused = new Set<string>(rulesOf(input.kind).refuses);
  if (!refused.has("subject")) each("subject", input.subject);
  if (!refused.has("derivedFrom")) each("derivedFrom", input.derivedFrom);
  if (!refused.has("content")) each("content", input.content);
  if (input.kind === "jsonl" && listOf(input.content).some((part) => typeof part === "object" && part.as === "msgpack"))
    report("LOCATOR_KIND", ["content"], "is msgpack in lines of JSON", "say as: text or as: json");
  for (const locator of listOf(input.subject)) {
    if ("json" in locator && !/^[^.]+\../.test(locator.json))
      report("LOCATOR_KIND", ["subject"], "gives json without a path", "write json: column.path.to.value");
    if ("segment" in locator && listOf(input.key).length > 1)
      report("LOCATOR_KIND", ["subject"], "cuts a key of several columns", "use the column itself");
  }
}

/** True where one artifact can have several sources, so that another person's data may be in it. */
function canHaveSeveralSources(input: SurfaceInput): boolean {
  const sources = listOf(input.derivedFrom);
  return (
    input.role === "derived" ||
    sources.length > 1 ||
    sources.some((source) => "via" in source || ("as" in source && source.as === "json"))
  );
}

function lintPolicies(input: SurfaceInput, report: Report): void {
  const { connection } = rulesOf(input.kind);
  if (connection === "none") return;
  if (connection === "process") lintProcess(input, report);
  else if (input.shared === undefined && canHaveSeveralSources(input))
    report(
      "SHARED_NOT_SET",
      ["shared"],
      "is missing where one artifact can have several sources",
      "say destroy, redact or rederive: no default destroys a bystander's data",
    );
  if (input.shared === "rederive" && input.rederive === undefined)
    report(
      "REDERIVE_NOT_SET",
      ["rederive"],
      "is missing for shared: rederive",
      "name a registered function, { command } or { http }",
    );
  if (input.shared !== "rederive" && input.rederive !== undefined)
    report("REDERIVE_NOT_SET", ["rederive"], "would never be called", "set shared: rederive or remove it");
  if (input.writers === "trigger" && !TAKES_TRIGGERS.has(rulesOf(input.kind).connection))
    report("WRITERS_KIND", ["writers"], "says trigger where there are no triggers", "say sdk or foreign");
  if (input.keep !== undefined && Number.isNaN(Date.parse(input.keep.until)))
    report("BAD_FIELD", ["keep", "until"], "is no date of the calendar", "write a date such as 2027-12-31");
  if (
    input.purge?.window !== undefined &&
    !/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\dZ$/.test(input.purge.window)
  )
    report("BAD_FIELD", ["purge", "window"], "is no weekly window", "write one such as Sun 02:00-05:00Z");
}

/** What is in a process's memory ends with it anyway, so that destroying a shared entry is no loss that anybody could count on. */
function lintProcess({ role, shared }: SurfaceInput, report: Report): void {
  if (role === "backup" || role === "log")
    report("ROLE_UNFIT", ["role"], "does not fit process memory", "say cache, derived, transcript, index or primary");
  if (shared !== undefined && shared !== "destroy")
    report("FIELD_KIND", ["shared"], "cannot be done in process memory", "say destroy or remove it");
}

function lintHorizon(input: SurfaceInput, report: Report): void {
  const mayExpire = input.role === "cache" || input.role === "backup";
  const roles = rulesOf(input.kind).roles;
  if (roles?.includes(input.role) === false)
    report("HORIZON_ROLE", ["role"], `does not fit kind ${input.kind}`, `say ${roles.join(" or ")}`);
  if (!mayExpire) {
    for (const member of ["horizon", "horizonLimit"] as const)
      if (input[member] !== undefined)
        report(
          "HORIZON_ROLE",
          [member],
          `has no meaning for role ${input.role}`,
          "remove it: only a cache or a backup expires",
        );
    return;
  }
  const { horizon } = input;
  if (horizon === undefined) return;
  if (horizon.max !== undefined && horizon.ttl !== undefined)
    report("BAD_FIELD", ["horizon"], "gives both max and ttl", "give the one that holds");
  if (horizon.ttl === undefined && horizon.basis === undefined)
    report(
      "MISSING_FIELD",
      ["horizon", "basis"],
      "is missing",
      "say why the bound holds, for example: provider contract, read 2026-11",
    );
  if (horizon.ttl !== undefined && rulesOf(input.kind).readsBackTtl !== true)
    report("FIELD_KIND", ["horizon", "ttl"], `cannot be read back by kind ${input.kind}`, "give max and its basis");
}
