// The eyes of the PostgreSQL kind: for each server that holds a surface, its probes. Nothing is opened here, and nothing of the erase side is imported.
import type { Container, Probe } from "../../surface.ts";
import { bytesProbe } from "./eyes/bytes-probe.ts";
import { tableProbes, type TableSeen } from "./eyes/content-probes.ts";
import { keyProbe } from "./eyes/key-probe.ts";
import { neighbourProbe } from "./eyes/neighbour-probe.ts";
import { tableName, type PostgresOptions } from "./options.ts";

/** CLAIM-6: every replica is looked at by probes of its own, whose controls must be found in it. */
export function surfaceProbes(options: PostgresOptions): readonly Probe[] {
  const first = options.boundary.surfaces.find(({ store }) => store === options.declaration.store);
  return [options.target, ...options.replicas].flatMap((target, place) => {
    const scope = place === 0 ? options.surface : `${options.surface}@${target.store}`;
    const seen: TableSeen = {
      target,
      table: options.table,
      surface: options.surface,
      key: options.declaration.key,
      vector: options.declaration.vector,
      scope,
      withServerTexts: first?.id === options.surface,
    };
    return [
      keyProbe(options, target, scope),
      ...tableProbes(seen),
      ...(options.declaration.vector === undefined ? [] : [neighbourProbe(options, target, scope)]),
      bytesProbe(target),
    ];
  });
}

/** A container that nobody declared: every cell of it is looked at, whatever it holds. */
export function containerProbes(options: PostgresOptions, container: Container): readonly Probe[] {
  const target = [options.target, ...options.replicas].find(({ store }) => container.name.startsWith(`${store}.`));
  if (target === undefined) return [];
  const part = container.name.slice(target.store.length + 1);
  // Another server: no connection of ours leads to it.
  if (/^\[(?:follower|publisher) \d+\]$/.test(part)) return [];
  const table = tableName(part);
  // Another session's own table: no other can read it.
  if (table.schema.startsWith("pg_temp_")) return [];
  const seen: TableSeen = { target, table, key: [], scope: container.name, withServerTexts: false };
  return tableProbes(seen);
}
