// Looks for orphan and near-identical vectors with the erased ones as anchors: every stored vector is compared, and the store's own index is asked as a search would ask it.
import { artifactKey } from "../../../model/ids.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import { createNearVectors } from "../../../probe/near-vectors.ts";
import type { Probe } from "../../../surface.ts";
import { quoteName, quoteTable, spellTable, type PostgresOptions, type PostgresTarget } from "../options.ts";
import { ask, throughReader, type Cells, type Reader } from "./open-reader.ts";
import { fieldOfCell, keyOfCells, readCells, seeColumns, selectOf, type ColumnSeen } from "./see-columns.ts";

/** Anchors that the index is asked with, and neighbours of each: the comparing of all vectors leaves nothing for it to find but what the table itself does not answer. */
const MOST_ASKED = 200;
const NEIGHBOURS = 20;

/** By what an index orders, the operator that it answers. */
const OPERATORS: readonly (readonly [operatorClass: RegExp, operator: string])[] = [
  [/_l2_ops$/, "<->"],
  [/_ip_ops$/, "<#>"],
  [/_cosine_ops$/, "<=>"],
  [/_l1_ops$/, "<+>"],
];

interface Anchor {
  readonly needle: number;
  readonly vector: Float32Array;
}

export function neighbourProbe(options: PostgresOptions, target: PostgresTarget, scope: string): Probe {
  return {
    name: "neighbour",
    depth: "index",
    scope: `neighbour:${scope}`,
    look(needles, signal) {
      const anchors = anchorsOf(needles);
      return throughReader(target, (reader) => lookForNeighbours(reader, options, anchors, signal), signal);
    },
    close: () => Promise.resolve(), // each look closes its own connection
  };
}

function anchorsOf(needles: readonly Needle[]): readonly Anchor[] {
  return needles.flatMap((needle) =>
    needle.content.flatMap((field) =>
      field.type !== "vector" || needle.explained?.explainsVector(field.vector) === true
        ? []
        : [{ needle: needle.index, vector: field.vector }],
    ),
  );
}

async function* lookForNeighbours(
  reader: Reader,
  options: PostgresOptions,
  anchors: readonly Anchor[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const columns = await seeColumns(reader, options.table);
  const vector = columns.find(({ name }) => name === options.declaration.vector);
  if (vector === undefined) return;
  const key = options.declaration.key.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  const near = createNearVectors(anchors.map((anchor) => anchor.vector));
  const compare = (cells: Cells): readonly Finding[] => {
    const field = fieldOfCell(vector, cells[key.length] ?? null, true);
    if (field?.type !== "vector") return [];
    const findings: Finding[] = [];
    const spelled = keyOfCells(key, cells);
    near.find(field.vector, (place, distance, identical) => {
      findings.push({
        probe: "neighbour",
        depth: "index",
        needle: anchors[place]?.needle ?? -1,
        place: {
          container: `${reader.target.store}.${spellTable(options.table)}`,
          surface: options.surface,
          ...(spelled === undefined || spelled === "" ? {} : { key: artifactKey(spelled) }),
        },
        match: { how: "vector", distance, identical },
      });
    });
    return findings;
  };
  for await (const rows of readCells(reader, options.table, [...key, vector], signal)) {
    if (anchors.length === 0) return;
    for (const cells of rows) yield* compare(cells);
  }
  for await (const cells of askIndex(reader, options, [...key, vector], vector, anchors, signal)) yield* compare(cells);
}

/** Through the store's own search, an anchor at a time; nothing where no index of pgvector stands over the column. */
async function* askIndex(
  reader: Reader,
  { table }: PostgresOptions,
  columns: readonly ColumnSeen[],
  vector: ColumnSeen,
  anchors: readonly Anchor[],
  signal: AbortSignal,
): AsyncGenerator<Cells> {
  const [index] = await ask(
    reader,
    `SELECT o.opcname, n.nspname FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid JOIN pg_catalog.pg_am m ON m.oid = x.relam
     JOIN pg_catalog.pg_opclass o ON o.oid = i.indclass[0] JOIN pg_catalog.pg_namespace n ON n.oid = o.opcnamespace
     JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE m.amname IN ('hnsw', 'ivfflat') AND i.indisvalid AND i.indrelid = $1::pg_catalog.regclass AND a.attname = $2 LIMIT 1`,
    [quoteTable(table), vector.name],
  );
  const operator = OPERATORS.find(([operatorClass]) => operatorClass.test(index?.[0] ?? ""))?.[1];
  if (operator === undefined) return;
  const schema = quoteName(index?.[1] ?? "");
  await ask(reader, "SET LOCAL enable_seqscan = off");
  const dimensions = await sizeOf(reader, table, vector, schema);
  for (const { vector: anchor } of anchors.filter((one) => one.vector.length === dimensions).slice(0, MOST_ASKED)) {
    signal.throwIfAborted();
    yield* await ask(
      reader,
      `SELECT ${selectOf(columns)} FROM ${quoteTable(table)} ORDER BY ${quoteName(vector.name)} OPERATOR(${schema}.${operator}) $1::${schema}.${vector.base} LIMIT ${NEIGHBOURS}`,
      [`[${anchor.join(",")}]`],
    );
  }
}

async function sizeOf(
  reader: Reader,
  table: PostgresOptions["table"],
  { name }: ColumnSeen,
  schema: string,
): Promise<number> {
  const [row] = await ask(
    reader,
    `SELECT ${schema}.vector_dims(${quoteName(name)})::text FROM ${quoteTable(table)} WHERE ${quoteName(name)} IS NOT NULL LIMIT 1`,
  );
  return Number(row?.[0] ?? 0);
}
