// Looks whether a row still stands under an erased key: reads every key of the table through a fresh connection and compares the spelled keys.
import type { ContentField } from "../../../model/artifact.ts";
import { artifactKey } from "../../../model/ids.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import type { Probe } from "../../../surface.ts";
import { spellTable, type PostgresOptions, type PostgresTarget } from "../options.ts";
import { throughReader, type Cells, type Reader } from "./open-reader.ts";
import { fieldOfCell, keyOfCells, readCells, seeColumns, type ColumnSeen } from "./see-columns.ts";

export function keyProbe(options: PostgresOptions, target: PostgresTarget, scope: string): Probe {
  return {
    name: "key",
    depth: "api",
    scope: `key:${scope}`,
    look: (needles, signal) => throughReader(target, (reader) => lookForKeys(reader, options, needles, signal), signal),
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

async function* lookForKeys(
  reader: Reader,
  options: PostgresOptions,
  needles: readonly Needle[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const wanted = new Map<string, Needle[]>();
  for (const needle of needles) {
    // The key of a rewritten artifact may stay.
    if (needle.ref.surface !== options.surface || needle.fate === "rewritten") continue;
    const known = wanted.get(needle.ref.key);
    if (known === undefined) wanted.set(needle.ref.key, [needle]);
    else known.push(needle);
  }
  const { declaration } = options;
  const columns = await seeColumns(reader, options.table);
  const named = (name: string): readonly ColumnSeen[] => columns.filter((column) => column.name === name);
  const key = declaration.key.flatMap(named);
  // Content is read only where it tells one person's row from another's.
  const isReused = declaration.keys === "reusable";
  const names = isReused ? [...declaration.content.map(({ column }) => column), declaration.vector ?? ""] : [];
  const content = names.flatMap(named);
  const find = function* (cells: Cells): Generator<Finding> {
    const spelled = keyOfCells(key, cells);
    for (const needle of spelled === undefined ? [] : (wanted.get(spelled) ?? [])) {
      const fields = content.flatMap(
        (column, place) =>
          fieldOfCell(column, cells[key.length + place] ?? null, column.name === declaration.vector) ?? [],
      );
      if (isReused && isSomeoneElses(needle, fields)) continue;
      yield {
        probe: "key",
        depth: "api",
        needle: needle.index,
        place: {
          container: `${reader.target.store}.${spellTable(options.table)}`,
          surface: options.surface,
          key: artifactKey(needle.ref.key),
        },
        match: { how: "key" },
      };
    }
  };
  for await (const rows of readCells(reader, options.table, [...key, ...content], signal)) {
    if (wanted.size === 0) return;
    for (const cells of rows) yield* find(cells);
  }
}

/** C22: where the store gives keys again, another content under the same key is another person's lawful row. */
function isSomeoneElses(needle: Needle, fields: readonly ContentField[]): boolean {
  if (needle.fate === "control" || needle.content.length === 0) return false;
  return identity(fields) !== identity(needle.content);
}

function identity(fields: readonly ContentField[]): string {
  return JSON.stringify(
    fields
      .map((field) => {
        switch (field.type) {
          case "text":
            return `${field.name}:t:${field.text}`;
          case "bytes":
            return `${field.name}:b:${Buffer.from(field.bytes).toString("base64")}`;
          case "vector":
            return `${field.name}:v:${[...field.vector].join(",")}`;
          default:
            return field satisfies never;
        }
      })
      .toSorted(),
  );
}
