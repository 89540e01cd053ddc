// Shows that the servers which other tests stand on are real: they answer, survive being killed, and are copied by a standby.
import { describe, expect, it, onTestFinished } from "vitest";
import { findPostgres, findVectorPostgres } from "./find-postgres.ts";
import { startPostgres } from "./postgres-server.ts";

const plain = findPostgres();
const withVectors = findVectorPostgres();

describe.skipIf(plain === undefined)("a PostgreSQL server of a test", () => {
  it("keeps what was committed when it is killed, and its standby has it too", async () => {
    if (plain === undefined) return;
    const server = await startPostgres(plain);
    onTestFinished(() => server.stop());
    const database = await server.createDatabase();
    await server.query(database, "CREATE TABLE t (id int); INSERT INTO t VALUES (1)");
    await server.kill();
    await server.start();
    expect(await server.query(database, "SELECT id FROM t")).toEqual([{ id: 1 }]);
    const standby = await server.startStandby();
    expect(await standby.query(database, "SELECT id, pg_is_in_recovery() AS copy FROM t")).toEqual([
      { id: 1, copy: true },
    ]);
  });
});

describe.skipIf(withVectors === undefined)("a PostgreSQL server of Debian 13", () => {
  it("has the real pgvector and pageinspect", async () => {
    if (withVectors === undefined) return;
    const server = await startPostgres(withVectors);
    onTestFinished(() => server.stop());
    const database = await server.createDatabase();
    await server.query(database, "CREATE EXTENSION vector; CREATE EXTENSION pageinspect");
    const [row] = await server.query(database, "SELECT '[1,2,3]'::vector <-> '[1,2,4]'::vector AS distance");
    expect(row).toEqual({ distance: 1 });
  });
});
