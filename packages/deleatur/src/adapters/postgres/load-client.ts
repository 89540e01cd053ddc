// Loads the PostgreSQL client when a store is opened, and says how it is to talk: every value as the text that the server wrote. It opens nothing.
import type { Client, ClientConfig, Query } from "pg";
import { BoundaryError, StoreError } from "../../model/errors.ts";
import type { PostgresTarget } from "./options.ts";

/** Its types leave out whether it keeps the process alive. */
export type PostgresClient = Client & { ref(): void; unref(): void };

const CONNECT_MS = 10_000;

/** A client that is not connected yet. @throws BoundaryError where the package is not installed */
export async function createClient(target: PostgresTarget): Promise<PostgresClient> {
  const ClientClass = await loadClient();
  const config: ClientConfig = {
    connectionString: target.url,
    application_name: "deleatur",
    connectionTimeoutMillis: CONNECT_MS,
    // Numbers, dates and vectors stay as they were written: nothing is rounded on the way.
    types: { getTypeParser: () => (value: unknown) => value },
  };
  const client = new ClientClass(config) as PostgresClient;
  // A server that goes away between two statements is told by the next one.
  client.on("error", () => undefined);
  return client;
}

/** The client's own query, whose rows can be taken one by one as they come. @throws BoundaryError where the package is not installed */
export async function createQuery(
  text: string,
  values: readonly unknown[],
): Promise<Query<Record<string, string | null>>> {
  const { Query: QueryClass } = await loadPackage();
  return new QueryClass<Record<string, string | null>>(text, [...values]);
}

async function loadClient(): Promise<typeof Client> {
  return (await loadPackage()).Client;
}

async function loadPackage(): Promise<{ readonly Client: typeof Client; readonly Query: typeof Query }> {
  try {
    const client = await import("pg");
    return { Client: client.Client, Query: client.Query };
  } catch (cause) {
    throw new BoundaryError(
      "CLIENT_MISSING",
      "the client of PostgreSQL is not installed, run npm install pg in the application",
      { cure: "npm install pg", cause },
    );
  }
}

/**
 * A pooler tells a process number of its own. Behind it a session's settings would be left to others and a cancel would meet somebody else, so nothing is set before this was asked.
 * @throws StoreError STORE_POOLED
 */
export async function beginSession(client: PostgresClient, { store }: PostgresTarget, more = ""): Promise<void> {
  const told: unknown = Reflect.get(client, "processID");
  const own = await client.query<[string]>({ text: "SELECT pg_catalog.pg_backend_pid()::text", rowMode: "array" });
  if (String(told) !== own.rows[0]?.[0])
    throw new StoreError("STORE_POOLED", `store ${store} is reached through a pooler, connect to the server itself`, {
      place: { store },
      cure: "name the server's own address under connect",
    });
  await client.query(`${SESSION}${more}`);
}

/** What of a session the server writes into its log: values of our statements, which name persons and hold content, and details of its refusals, which repeat them. */
const QUIET = `DO $quiet$
DECLARE
  setting text[];
BEGIN
  FOREACH setting SLICE 1 IN ARRAY ARRAY[['log_parameter_max_length', '0'], ['log_parameter_max_length_on_error', '0'], ['log_error_verbosity', 'terse'],
    ['auto_explain.log_min_duration', '-1'], ['pgaudit.log_parameter', 'off']] LOOP
    BEGIN
      PERFORM pg_catalog.set_config(setting[1], setting[2], false);
    EXCEPTION WHEN insufficient_privilege OR undefined_object THEN
      NULL; -- that is asked for again by who would have something written there
    END;
  END LOOP;
END
$quiet$`;

/** What every session of ours says first: row security answers with an error instead of fewer rows, values are spelled one way, and none is logged where the role may say so. */
const SESSION: string = `SET row_security = off; SET datestyle = 'ISO, YMD'; SET timezone = 'UTC'; SET intervalstyle = 'postgres';
SET extra_float_digits = 1; SET bytea_output = 'hex'; SET standard_conforming_strings = on; ${QUIET}`;
