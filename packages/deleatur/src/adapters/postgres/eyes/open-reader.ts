// Opens a PostgreSQL database for looking only: a connection of the probes' own in one read-only snapshot, closed after each look.
import { beginSession, createClient, createQuery, type PostgresClient } from "../load-client.ts";
import type { PostgresTarget } from "../options.ts";
import { storeError } from "../store-errors.ts";

export interface Reader {
  readonly client: PostgresClient;
  readonly target: PostgresTarget;
}

export type Cells = readonly (string | null)[];

/** Looks through one connection and closes it, also where the looking stops early. @throws StoreError: the probe is then blind */
export async function* throughReader<Item>(
  target: PostgresTarget,
  look: (reader: Reader) => AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  signal.throwIfAborted();
  const client = await createClient(target);
  // What is being answered is no longer waited for; the server notices by itself that nobody reads.
  const stop = (): void => void client.end().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
    await beginSession(client, target);
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    yield* look({ client, target });
  } catch (cause) {
    signal.throwIfAborted();
    throw storeError(cause, target.store);
  } finally {
    signal.removeEventListener("abort", stop);
    await client.end();
  }
}

export async function ask(reader: Reader, text: string, values: readonly unknown[] = []): Promise<readonly Cells[]> {
  const result = await reader.client.query<(string | null)[]>({ text, values: [...values], rowMode: "array" });
  return result.rows;
}

/** The same, each row as it comes and none of them kept. */
export async function askEach(
  reader: Reader,
  text: string,
  values: readonly unknown[],
  visit: (cells: Cells) => void,
): Promise<void> {
  const query = await createQuery(text, values);
  await new Promise<void>((resolve, reject) => {
    query.on("row", (row) => visit(Object.values(row)));
    query.on("end", () => resolve());
    query.on("error", reject);
    reader.client.query(query);
  });
}

/** Twice as much is held, with what is on its way. */
const CHARS_AT_ONCE = 2_000_000;
const FIRST_ROWS = 200;
const MOST_ROWS = 5_000;
let cursors = 0;

/** Every row of a query, few at a time, by the size of those before; the server reads the next while these are looked at. */
export async function* readAll(reader: Reader, query: string, signal: AbortSignal): AsyncGenerator<readonly Cells[]> {
  cursors += 1;
  const name = `deleatur_look_${cursors}`;
  await reader.client.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${query}`);
  const fetch = (count: number): Promise<readonly Cells[]> => {
    const rows = ask(reader, `FETCH FORWARD ${count} FROM ${name}`);
    rows.catch(() => undefined); // told where it is waited for
    return rows;
  };
  let count = FIRST_ROWS;
  for (let coming = fetch(count); ;) {
    signal.throwIfAborted();
    const rows = await coming;
    const isLast = rows.length < count;
    if (!isLast) {
      const chars = rows.reduce((sum, row) => sum + row.reduce((size, cell) => size + (cell?.length ?? 0), 0), 1);
      count = Math.max(1, Math.min(MOST_ROWS, 4 * count, Math.floor((CHARS_AT_ONCE * rows.length) / chars)));
      coming = fetch(count);
    }
    yield rows;
    if (isLast) break;
  }
  await reader.client.query(`CLOSE ${name}`);
}
