// A small memory in a real PostgreSQL under a declared boundary, for the end-to-end cases: the application's side and Deleatur's side.
import type { VerifyOptions, VerifyReport } from "@deleatur/verify";
import { onTestFinished } from "vitest";
import type { BoundaryInput } from "../../src/boundary/boundary-input.ts";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { type Deleatur, openDeleatur } from "../../src/open-deleatur.ts";
import type { PostgresServer } from "../servers/postgres-server.ts";
import { tempFolder, verifyOutcome } from "./scene.ts";

export interface PostgresSetup {
  readonly sql: string;
  readonly surfaces: BoundaryInput["surfaces"];
  readonly identifiers?: readonly string[];
  readonly writers?: BoundaryInput["writers"];
  readonly census?: BoundaryInput["census"];
  /** Further servers under `connect`. */
  readonly replicas?: Readonly<Record<string, PostgresServer>>;
  /** Another server in its place, which has the database of the same name. */
  readonly server?: PostgresServer;
  /** Another user than the superuser. */
  readonly user?: string;
  /** Whether the server's folder is out of our reach, as that of a managed one is. */
  readonly isFar?: boolean;
}

export interface PostgresScene {
  readonly memory: Deleatur;
  readonly database: string;
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  reopen(change?: Partial<PostgresSetup>): Promise<Deleatur>;
  verify(outcome: RequestOutcome, change?: Partial<VerifyOptions>): VerifyReport;
}

export async function openPostgresScene(server: PostgresServer, setup: PostgresSetup): Promise<PostgresScene> {
  const directory = tempFolder();
  const database = await server.createDatabase();
  await server.query(database, setup.sql);
  const opened: Deleatur[] = [];
  onTestFinished(async () => {
    for (const one of opened) await one.close();
  });
  const open = async (change: Partial<PostgresSetup>): Promise<Deleatur> => {
    const all = { ...setup, ...change };
    const memory = await openDeleatur(boundaryOf(all.server ?? server, database, directory, all), { environment: {} });
    opened.push(memory);
    return memory;
  };
  let memory = await open({});
  const clock = { now: () => new Date(), advance: () => undefined };
  return {
    database,
    get memory() {
      return memory;
    },
    query: (sql, values) => server.query(database, sql, values),
    async reopen(change = {}) {
      await memory.close();
      opened.splice(opened.indexOf(memory), 1);
      memory = await open(change);
      return memory;
    },
    verify: (outcome, change = {}) => verifyOutcome(memory, outcome, clock, change),
  };
}

function boundaryOf(
  server: PostgresServer,
  database: string,
  directory: string,
  { surfaces, identifiers, writers, census, replicas, user, isFar }: PostgresSetup,
): ReturnType<typeof defineBoundary> {
  const copies = Object.entries(replicas ?? {}).map(([name, copy]) => [
    name,
    { url: copy.url(database), data: copy.data },
  ]);
  return defineBoundary(
    {
      deleatur: 1,
      boundary: "cases/postgres",
      identifiers: identifiers ?? ["account"],
      writers: writers ?? "sdk",
      surfaces,
      ...(census === undefined ? {} : { census }),
      connect: {
        ledger: "sqlite:./deleatur.db",
        memory: { url: server.url(database, user), ...(isFar === true ? {} : { data: server.data }) },
        ...Object.fromEntries(copies),
      },
    },
    { directory, env: {} },
  );
}
