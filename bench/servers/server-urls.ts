// Reads where the servers of a bench are. It opens nothing.
import { env } from "node:process";

export interface ServerUrls {
  readonly postgres: string;
  readonly redis: string;
  /** Of a database on the PostgreSQL server. */
  readonly urlOf: (database: string) => string;
}

export function serverUrls(): ServerUrls {
  const [postgres, redis] = [env["PG_URL"], env["REDIS_URL"]];
  if (postgres === undefined || redis === undefined)
    throw new Error("set PG_URL to a PostgreSQL with pgvector, as its superuser, and REDIS_URL to an empty Redis");
  return { postgres, redis, urlOf: (database) => Object.assign(new URL(postgres), { pathname: `/${database}` }).href };
}
