// What a purge has the server build vector indexes with, told by the server itself: a function in an index notes what it was granted while it was built anew.
import { describe, expect, it } from "vitest";
import { findVectorPostgres } from "../../servers/find-postgres.ts";
import { declare, newStore, openSurface, signal, text, useServer, type Store } from "./postgres-fixture.ts";

const installation = findVectorPostgres();

const TABLE = `
CREATE EXTENSION vector;
CREATE SEQUENCE granted_more;
CREATE SEQUENCE granted_as_set;
CREATE TABLE scarce (yes boolean);
INSERT INTO scarce VALUES (false);
CREATE TABLE episodes (id int PRIMARY KEY, person text, body text, v vector(96));
INSERT INTO episodes SELECT n, 'p' || n % 7, 'plain talk ' || n, (SELECT array_agg(sin(n * 12.9898 + k * k * 78.233))::vector FROM generate_series(1, 96) k) FROM generate_series(1, 2000) n;
CREATE INDEX ON episodes USING hnsw (v vector_l2_ops);
CREATE FUNCTION told(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF pg_size_bytes(current_setting('maintenance_work_mem')) > 1048576 THEN
    IF (SELECT yes FROM public.scarce) THEN
      RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full';
    END IF;
    PERFORM nextval('public.granted_more');
  ELSE
    PERFORM nextval('public.granted_as_set');
  END IF;
  RETURN id;
END $$;
CREATE INDEX ON episodes (told(id));
ALTER SEQUENCE granted_as_set RESTART;`;

const episodes = declare({ content: [text("body")], vector: "v", subject: [{ column: "person", type: "account" }] });

const isUsed = async (store: Store, sequence: string): Promise<unknown> =>
  (await store.query(`SELECT is_called FROM ${sequence}`))[0]?.["is_called"];

describe.skipIf(installation === undefined)("the room that a purge asks for", () => {
  const server = useServer(installation, { maintenance_work_mem: "1MB", max_parallel_maintenance_workers: "0" });

  it("ATTEST-4: holds a vector index that the server's own would not", async () => {
    const store = await newStore(server(), TABLE);
    const { surface } = await openSurface(episodes, store);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await isUsed(store, "granted_more")).toBe(true);
    expect(await isUsed(store, "granted_as_set")).toBe(false);
  });

  it("ATTEST-4: is done without where the server has none to give", async () => {
    const store = await newStore(server(), `${TABLE}; UPDATE scarce SET yes = true`);
    const { surface } = await openSurface(episodes, store);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await isUsed(store, "granted_as_set")).toBe(true);
  });
});
