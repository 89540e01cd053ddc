// The eyes of the SQLite kinds: for each file that holds a surface, its probes. Nothing is opened here, and nothing of the erase side is imported.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Container, Probe } from "../../surface.ts";
import { besideProbe } from "./eyes/beside-probe.ts";
import { bytesProbe } from "./eyes/bytes-probe.ts";
import { tableProbes, type TableSeen } from "./eyes/content-probes.ts";
import { keyProbe } from "./eyes/key-probe.ts";
import { neighbourProbe } from "./eyes/neighbour-probe.ts";
import type { SqliteOptions } from "./options.ts";
import { realFile } from "./real-file.ts";

/** CLAIM-6: every replica is looked at by probes of its own, whose controls must be found in it. */
export function surfaceProbes(options: SqliteOptions): readonly Probe[] {
  return options.files.flatMap((target, place) => {
    const scope = place === 0 ? options.surface : `${options.surface}@${target.store}`;
    const seen: TableSeen = {
      target,
      table: options.table,
      surface: options.surface,
      key: options.declaration.key,
      vector: options.declaration.vector,
      scope,
    };
    const hasVectors = options.kind === "sqlite-vec" || options.declaration.vector !== undefined;
    return [
      keyProbe(options, target, scope),
      ...tableProbes(seen),
      ...(hasVectors ? [neighbourProbe(options, target, scope)] : []),
      bytesProbe(options, target),
    ];
  });
}

/** A container that nobody declared: every cell of it, or every byte of a file beside the database, is looked at, whatever it holds. */
export function containerProbes(options: SqliteOptions, container: Container): readonly Probe[] {
  const target = options.files.find(({ store }) => container.name.startsWith(`${store}.`));
  if (target === undefined) return [];
  const table = container.name.slice(target.store.length + 1);
  if (container.kind === "file")
    return besideFolders(target.file, table).map((folder) => besideProbe(container.name, folder, table));
  const seen: TableSeen = { target, table, key: [], scope: container.name };
  return tableProbes(seen);
}

/** The folder of a link, that of the file it leads to, or both: wherever the name stands. */
function besideFolders(file: string, name: string): readonly string[] {
  const folders = [...new Set([dirname(file), dirname(realFile(file))])];
  const holding = folders.filter((folder) => existsSync(join(folder, name)));
  return holding.length === 0 ? folders : holding;
}
