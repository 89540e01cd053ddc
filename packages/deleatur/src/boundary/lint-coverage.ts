// Rules about what the boundary covers: exemptions have grounds, no container stands twice, quiet patterns lie inside the census.
import type { ExemptionKind, StoreConnection } from "../model/declaration.ts";
import type { BoundaryInput, ExemptionInput } from "./boundary-input.ts";
import { containerKey } from "./container-names.ts";
import type { WrittenSurface } from "./expand-presets.ts";
import { listOf } from "./fill-defaults.ts";
import { covers } from "./glob.ts";
import { keyPattern, overlaps } from "./key-pattern.ts";
import { cut, type FieldPath, type Report } from "./problem.ts";

type Stores = ReadonlyMap<string, StoreConnection>;

export function lintExemptions(exempt: readonly ExemptionInput[], stores: Stores, report: Report): void {
  const names = new Set<string>();
  for (const [index, exemption] of exempt.entries()) {
    const path: FieldPath = ["exempt", index];
    if (names.has(exemption.name)) report("DUPLICATE_ID", [...path, "name"], "stands twice", "rename one");
    names.add(exemption.name);
    if (exemption.store !== undefined && !stores.has(exemption.store))
      report(
        "UNKNOWN_STORE",
        [...path, "store"],
        `names ${cut(exemption.store)}, which is not under connect`,
        "add it under connect",
      );
    if (exemption.store !== undefined && isDatabase(stores.get(exemption.store)) && exemption.table === undefined)
      report(
        "EXEMPTION_GROUND",
        [...path, "table"],
        "is missing",
        "name the table, or the pattern of keys: a whole database is no exemption",
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

function isDatabase(connection: StoreConnection | undefined): boolean {
  return connection !== undefined && connection.type !== "files";
}

/** A probe must find no content in an audit log, so it must be somewhere; an embedding is kept for a formal argument only (ATTEST-6). */
const NEEDED_BY: Readonly<Record<ExemptionKind, readonly (keyof ExemptionInput)[]>> = {
  "audit-log": ["store"],
  "shredded-medium": [],
  "non-recoverable": ["mechanism", "epsilon", "reference"],
};

export function lintContainers(
  input: BoundaryInput,
  surfaces: readonly WrittenSurface[],
  stores: Stores,
  report: Report,
): void {
  const taken = new Set<string>();
  const keys: { readonly url: string; readonly pattern: string }[] = [];
  const take = (store: string | undefined, table: string | undefined, path: FieldPath, surface?: string): void => {
    const connection = store === undefined ? undefined : stores.get(store);
    if (connection === undefined) return;
    const key = containerKey(connection, table);
    const isTaken =
      taken.has(key) ||
      (connection.type === "redis" &&
        table !== undefined &&
        meetsOthers(keys, { url: containerKey(connection, undefined), pattern: table }));
    if (isTaken)
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
    for (const store of [surface.store, ...listOf(surface.replicas)])
      take(store, surface.table ?? keyPattern(surface), path, id);
  for (const [index, exemption] of (input.exempt ?? []).entries())
    take(exemption.store, exemption.table, ["exempt", index]);
}

/** Two patterns of one database of which one means keys of the other too: each key is declared once. */
function meetsOthers(
  keys: { readonly url: string; readonly pattern: string }[],
  own: { readonly url: string; readonly pattern: string },
): boolean {
  const meets = keys.some(({ url, pattern }) => url === own.url && overlaps(pattern, own.pattern));
  keys.push(own);
  return meets;
}

export function lintCensus(input: BoundaryInput, stores: Stores, report: Report): void {
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
      else if (!store.includes("*") && !stores.has(store))
        report("UNKNOWN_STORE", path, `names ${cut(store)}, which is not under connect`, "add it under connect");
      else if (member === "quiet" && include !== undefined && !include.some((wide) => covers(wide, pattern)))
        report("QUIET_OUTSIDE_INCLUDE", path, "lies outside every include pattern", "include it first or remove it");
    }
  }
}
