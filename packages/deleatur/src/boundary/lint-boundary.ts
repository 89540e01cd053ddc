// Rules across the boundary: every name refers to something, nothing is declared twice, every exemption has its ground.
import type { ExemptionKind, StoreConnection } from "../model/declaration.ts";
import type { BoundaryInput, ExemptionInput } from "./boundary-input.ts";
import { containerKey } from "./container-names.ts";
import type { WrittenSurface } from "./expand-presets.ts";
import { horizonLimitSeconds, listOf, type FileDefaults } from "./fill-defaults.ts";
import { covers } from "./glob.ts";
import { KIND_RULES } from "./known-kinds.ts";
import { cut, type FieldPath, type Problem } from "./problem.ts";

export interface LintContext {
  readonly stores: ReadonlyMap<string, StoreConnection>;
  readonly defaults: FileDefaults;
}

const BOUNDARY_ID = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
const IDENTIFIER_TYPE = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

type Report = (code: string, path: FieldPath, what: string, cure: string, surface?: string) => void;

/** Every rule that needs more than one surface, or none. */
export function lintBoundary(
  input: BoundaryInput,
  surfaces: readonly WrittenSurface[],
  context: LintContext,
): readonly Problem[] {
  const problems: Problem[] = [];
  const report: Report = (code, path, what, cure, surface) => {
    problems.push({ code, path, what, cure, ...(surface === undefined ? {} : { surface }) });
  };
  if (!BOUNDARY_ID.test(input.boundary))
    report("BAD_FIELD", ["boundary"], "is no boundary id", "use letters, digits, '.', '_', '-' and '/', at most 128");
  if (surfaces.length === 0) report("MISSING_FIELD", ["surfaces"], "declares nothing", "declare at least one surface");
  lintIdentifiers(input, surfaces, report);
  lintDerivations(surfaces, report);
  lintStores(surfaces, context, report);
  lintExemptions(input.exempt ?? [], context, report);
  lintContainers(input, surfaces, context, report);
  lintCensus(input, context, report);
  lintHorizonLimits(surfaces, context, report);
  return problems;
}

function lintIdentifiers(input: BoundaryInput, surfaces: readonly WrittenSurface[], report: Report): void {
  const known = new Set<string>();
  for (const [index, type] of input.identifiers.entries()) {
    if (!IDENTIFIER_TYPE.test(type) || type === "none")
      report("RESERVED_NAME", ["identifiers", index], "is no identifier type", "use letters, digits, '.', '_' and '-'");
    if (known.has(type)) report("DUPLICATE_ID", ["identifiers", index], "stands twice", "remove one");
    known.add(type);
  }
  for (const { id, input: surface, path } of surfaces) {
    const used = [
      ...listOf(surface.subject).map((locator) => ["subject", locator.type] as const),
      ...listOf(surface.maps).flatMap(({ from, to }) => [["maps", from.type] as const, ["maps", to.type] as const]),
    ];
    for (const [member, type] of used)
      if (!known.has(type))
        report(
          "UNKNOWN_IDENTIFIER_TYPE",
          [...path, member],
          `uses type ${cut(type)}, which is not declared`,
          "add it to identifiers",
          id,
        );
  }
}

function lintDerivations(surfaces: readonly WrittenSurface[], report: Report): void {
  const ids = new Set<string>();
  for (const { id, path } of surfaces) {
    if (ids.has(id)) report("DUPLICATE_ID", path, "gives a surface id twice", "rename one", id);
    ids.add(id);
  }
  for (const { id, input, path } of surfaces) {
    for (const source of listOf(input.derivedFrom)) {
      if (source.surface === id)
        report(
          "SELF_DERIVATION",
          [...path, "derivedFrom"],
          "derives the surface from itself",
          "name the surface that it comes from",
          id,
        );
      else if (!ids.has(source.surface))
        report(
          "UNKNOWN_SURFACE",
          [...path, "derivedFrom"],
          `names ${cut(source.surface)}, which is not declared`,
          "declare that surface or mend the name",
          id,
        );
    }
  }
}

function lintStores(surfaces: readonly WrittenSurface[], context: LintContext, report: Report): void {
  for (const { id, input, path } of surfaces) {
    const wanted = KIND_RULES[input.kind].connection;
    if (wanted === "none") continue;
    const named = [
      ...(input.store === undefined ? [] : [["store", input.store] as const]),
      ...listOf(input.replicas).map((name) => ["replicas", name] as const),
    ];
    for (const [member, name] of named) {
      const connection = context.stores.get(name);
      if (connection === undefined)
        report(
          "UNKNOWN_STORE",
          [...path, member],
          `names ${cut(name)}, which is not under connect`,
          "add it under connect",
          id,
        );
      else if (connection.type !== wanted)
        report(
          "STORE_KIND",
          [...path, member],
          `names a store that does not fit kind ${input.kind}`,
          wanted === "sqlite" ? "connect it by { file }" : "connect it by { path }",
          id,
        );
    }
  }
}

function lintExemptions(exempt: readonly ExemptionInput[], context: LintContext, report: Report): void {
  const names = new Set<string>();
  for (const [index, exemption] of exempt.entries()) {
    const path: FieldPath = ["exempt", index];
    if (names.has(exemption.name)) report("DUPLICATE_ID", [...path, "name"], "stands twice", "rename one");
    names.add(exemption.name);
    if (exemption.store !== undefined && !context.stores.has(exemption.store))
      report(
        "UNKNOWN_STORE",
        [...path, "store"],
        `names ${cut(exemption.store)}, which is not under connect`,
        "add it under connect",
      );
    if (exemption.ground.trim() === "")
      report("EXEMPTION_GROUND", [...path, "ground"], "is empty", "say why it need not be erased");
    for (const member of NEEDED_BY[exemption.kind])
      if (exemption[member] === undefined)
        report(
          "EXEMPTION_GROUND",
          [...path, member],
          `is missing for ${exemption.kind}`,
          "add it: no argument, no exemption",
        );
  }
}

/** A probe must find no content in an audit log, so it must be somewhere; an embedding is kept for a formal argument only (ATTEST-6). */
const NEEDED_BY: Readonly<Record<ExemptionKind, readonly (keyof ExemptionInput)[]>> = {
  "audit-log": ["store"],
  "shredded-medium": [],
  "non-recoverable": ["mechanism", "epsilon", "reference"],
};

function lintContainers(
  input: BoundaryInput,
  surfaces: readonly WrittenSurface[],
  context: LintContext,
  report: Report,
): void {
  const taken = new Set<string>();
  const take = (store: string | undefined, table: string | undefined, path: FieldPath, surface?: string): void => {
    const connection = store === undefined ? undefined : context.stores.get(store);
    if (connection === undefined) return;
    const key = containerKey(connection, table);
    if (taken.has(key))
      report(
        "CONTAINER_TWICE",
        path,
        "names a container that is declared already",
        "declare each container once",
        surface,
      );
    taken.add(key);
  };
  for (const { id, input: surface, path } of surfaces)
    for (const store of [surface.store, ...listOf(surface.replicas)]) take(store, surface.table, path, id);
  for (const [index, exemption] of (input.exempt ?? []).entries())
    take(exemption.store, exemption.table, ["exempt", index]);
}

function lintCensus(input: BoundaryInput, context: LintContext, report: Report): void {
  const { include, quiet } = { include: input.census?.include, quiet: input.census?.quiet ?? [] };
  for (const [member, patterns] of [
    ["include", include ?? []],
    ["quiet", quiet],
  ] as const) {
    for (const [index, pattern] of patterns.entries()) {
      const dot = pattern.indexOf(".");
      const store = pattern.slice(0, Math.max(dot, 0));
      const path: FieldPath = ["census", member, index];
      if (dot <= 0) report("BAD_FIELD", path, "is no pattern", "write store.container, for example memory.*");
      else if (!store.includes("*") && !context.stores.has(store))
        report("UNKNOWN_STORE", path, `names ${cut(store)}, which is not under connect`, "add it under connect");
      else if (member === "quiet" && include !== undefined && !include.some((wide) => covers(wide, pattern)))
        report("QUIET_OUTSIDE_INCLUDE", path, "lies outside every include pattern", "include it first or remove it");
    }
  }
}

/** The public form has one limit for each of the two roles, so that a verifier can judge by it. */
function lintHorizonLimits(surfaces: readonly WrittenSurface[], context: LintContext, report: Report): void {
  const limits = new Map<string, number>();
  for (const { id, input, path } of surfaces) {
    const limit = horizonLimitSeconds(input, context.defaults);
    if (limit === undefined) continue;
    const other = limits.get(input.role);
    if (other !== undefined && other !== limit)
      report(
        "HORIZON_LIMIT_DIFFERS",
        [...path, "horizonLimit"],
        `differs from that of another ${input.role}`,
        "give the file one horizonLimit for each role",
        id,
      );
    limits.set(input.role, limit);
  }
}
