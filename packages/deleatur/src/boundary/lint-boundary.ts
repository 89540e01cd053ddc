// Rules across the boundary: every name refers to something, nothing is declared twice, every exemption has its ground.
import type { StoreConnection } from "../model/declaration.ts";
import type { BoundaryInput } from "./boundary-input.ts";
import type { WrittenSurface } from "./expand-presets.ts";
import { horizonLimitSeconds, listOf, type FileDefaults } from "./fill-defaults.ts";
import { CONNECTED_BY, rulesOf } from "./known-kinds.ts";
import { lintCensus, lintContainers, lintExemptions } from "./lint-coverage.ts";
import { durationSeconds } from "./duration.ts";
import { cut, type Problem, type Report } from "./problem.ts";

export interface LintContext {
  readonly stores: ReadonlyMap<string, StoreConnection>;
  readonly defaults: FileDefaults;
}

const BOUNDARY_ID = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
const IDENTIFIER_TYPE = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

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
  lintExemptions(input.exempt ?? [], context.stores, report);
  lintContainers(input, surfaces, context.stores, report);
  lintCensus(input, context.stores, report);
  lintHorizonLimits(surfaces, context, report);
  lintWatch(input, report);
  lintGuard(input, report);
  return problems;
}

/** Less than a second spins; more than a month is no watch. */
function lintWatch({ watch }: BoundaryInput, report: Report): void {
  if (watch === undefined) return;
  const seconds = durationSeconds(watch);
  if (seconds < 1 || seconds > 30 * 86_400)
    report("BAD_FIELD", ["watch"], "is no time between two looks", "use PT1S to P30D, for example PT1H");
}

/** Entries that go sooner than a held write is decided, or a backup is gone, guard nothing. */
function lintGuard({ guard }: BoundaryInput, report: Report): void {
  if (guard?.expire === undefined) return;
  const days = durationSeconds(guard.expire) / 86_400;
  if (days < 30 || days > 36_500)
    report("BAD_FIELD", ["guard", "expire"], "is no term of a guard", "use P30D to P36500D, for example P1095D");
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
    for (const name of listOf(input.of))
      if (!context.stores.has(name))
        report("UNKNOWN_STORE", [...path, "of"], `names ${cut(name)}, which is not under connect`, "mend the name", id);
    const wanted = rulesOf(input.kind).connection;
    if (wanted === "none" || wanted === "process") continue;
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
      else if (wanted !== "any" && connection.type !== wanted)
        report(
          "STORE_KIND",
          [...path, member],
          `names a store that does not fit kind ${input.kind}`,
          CONNECTED_BY[wanted],
          id,
        );
    }
  }
  // An address of another scheme is for the kind that opens it; nobody here does.
  const named = new Set(surfaces.flatMap(({ input }) => [input.store, ...listOf(input.replicas)]));
  for (const { type, name } of context.stores.values())
    if (type === "server" && !named.has(name))
      report(
        "BAD_CONNECTION",
        ["connect", name, "url"],
        "is no address of a server that is known, and no surface of a kind of your own names it",
        "write postgres://... or redis://host:port/database",
      );
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
