// Reads everything in a database that lives, of whatever table: what the bytes of its files may lawfully hold. Content of any person: it stays in memory.
import { indexedForms } from "../../../probe/vector-bytes.ts";
import { ask, type Cells, type Reader } from "./open-reader.ts";
import { fieldOfCell, readCells, seeColumns, type ColumnSeen } from "./see-columns.ts";

/**
 * Every text, byte string and (where asked for) vector that the tables answer. A materialized view, an index and the planner's samples are rows of nobody: what outlived its
 * row in one of them must not explain itself. Nor does a table explain anything that this role may not read: what is found in its bytes counts.
 */
export async function* liveContent(
  reader: Reader,
  { vectors }: { readonly vectors: boolean },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array | string> {
  const tables = await ask(
    reader,
    `SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_temp'
       AND pg_catalog.has_table_privilege(c.oid, 'SELECT') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND NOT pg_catalog.row_security_active(c.oid)`,
  );
  for (const [schema, table] of tables) {
    const name = { schema: schema ?? "", table: table ?? "" };
    const columns = (await seeColumns(reader, name)).filter(({ send }) => vectors || send === "");
    for await (const rows of readCells(reader, name, columns, signal))
      for (const cells of rows) yield* contentOf(columns, cells);
  }
}

function* contentOf(columns: readonly ColumnSeen[], cells: Cells): Generator<Uint8Array | string> {
  for (const [place, column] of columns.entries()) {
    const field = fieldOfCell(column, cells[place] ?? null, /^_float[48]$/.test(column.base));
    if (field === undefined) continue;
    if (field.type === "text") yield field.text;
    else if (field.type === "bytes") yield field.bytes;
    else yield* indexedForms(field.vector);
  }
}
