// A primary with a real streaming standby of it, and a table in which one row has been written anew.
import { onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../servers/postgres-server.ts";
import type { PostgresInstallation } from "../../servers/find-postgres.ts";
import { newStore, type Store } from "./postgres-fixture.ts";

/** What the row 42 holds. */
export const MARK = "The violet accordion in the cellar smells of cardamom";

export interface Copied {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** In the primary: `episodes` with 50 rows. */
  readonly store: Store;
}

/** Both are stopped when the test ends. */
export async function startCopied(installation: PostgresInstallation): Promise<Copied> {
  const primary = await startPostgres(installation);
  onTestFinished(() => primary.stop());
  const store = await newStore(
    primary,
    `CREATE TABLE episodes (id int PRIMARY KEY, body text);
     INSERT INTO episodes SELECT n, 'plain talk ' || md5(n::text) FROM generate_series(1, 50) n; UPDATE episodes SET body = '${MARK}' WHERE id = 42;`,
  );
  return { primary, standby: await primary.startStandby(), store };
}
