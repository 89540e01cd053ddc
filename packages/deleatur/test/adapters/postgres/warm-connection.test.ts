// An erase keeps its connection for the next one for a moment: what that may not be in the way of, and what may happen to it meanwhile.
import { describe, expect, it, onTestFinished } from "vitest";
import { findPostgres } from "../../servers/find-postgres.ts";
import {
  declare,
  keys,
  newStore,
  openSurface,
  signal,
  text,
  useServer,
  type Opened,
  type Store,
} from "./postgres-fixture.ts";

const installation = findPostgres();
const TABLE = `CREATE TABLE episodes (id int PRIMARY KEY, person text, body text);
INSERT INTO episodes SELECT n, 'p' || n, 'plain talk ' || n FROM generate_series(1, 9) AS n;`;

const OURS = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'deleatur'";

const backends = async (store: Store): Promise<readonly unknown[]> =>
  (await store.query(`SELECT pid, state ${OURS}`)).map(({ pid, state }) => [pid, state]);

describe.skipIf(installation === undefined)("the connection of an erase", () => {
  const server = useServer(installation);

  const open = async (): Promise<Opened & { readonly store: Store }> => {
    const store = await newStore(server(), TABLE);
    const opened = await openSurface(
      declare({ content: [text("body")], subject: [{ column: "person", type: "account" }] }),
      store,
    );
    onTestFinished(() => opened.surface.close());
    return { ...opened, store };
  };
  it("serves the next erase as well, holds nothing in between, and ends with the surface", async () => {
    const { surface, store } = await open();
    expect(await surface.erase(keys("1"), signal)).toMatchObject([{ outcome: "erased" }]);
    const first = await backends(store);
    expect(first).toEqual([[expect.anything(), "idle"]]);
    expect(await surface.erase(keys("2", "1"), signal)).toMatchObject([{ outcome: "erased" }, { outcome: "absent" }]);
    expect(await backends(store)).toEqual(first);
    await store.query("VACUUM FULL episodes");
    await surface.close();
    await expect.poll(() => backends(store)).toEqual([]);
  });

  it("ends by itself after a moment", async () => {
    const { surface, store } = await open();
    await surface.erase(keys("1"), signal);
    await expect.poll(() => backends(store), { timeout: 10_000 }).toEqual([]);
    expect(await surface.erase(keys("2"), signal)).toMatchObject([{ outcome: "erased" }]);
  });

  it("CLAIM-5: was ended by the server: the erase that finds it so opens another", async () => {
    const { surface, store } = await open();
    await surface.erase(keys("1"), signal);
    await store.query(`SELECT pg_terminate_backend(pid) ${OURS}`);
    expect(await surface.erase(keys("2"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await store.query("SELECT id FROM episodes WHERE id < 4")).toEqual([{ id: 3 }]);
  });

  it("CLAIM-5: reads the table anew each time: renamed, or another in its place, is noticed", async () => {
    const { surface, store } = await open();
    await surface.erase(keys("1"), signal);
    await store.query("ALTER TABLE episodes RENAME TO other");
    await expect(surface.erase(keys("2"), signal)).rejects.toMatchObject({ code: "TABLE_MISSING" });
    await store.query(
      "CREATE TABLE episodes (id text PRIMARY KEY, person text, body text); INSERT INTO episodes VALUES ('2', 'p2', 'x'), ('02', 'p3', 'y')",
    );
    expect(await surface.erase(keys("2"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(await store.query("SELECT id FROM episodes")).toEqual([{ id: "02" }]);
  });

  it("CLAIM-5: is not used again where the database was set to be read only, which an open session does not hear of", async () => {
    const { surface, store } = await open();
    await surface.erase(keys("1"), signal);
    await store.query(`ALTER DATABASE ${store.database} SET default_transaction_read_only = on`);
    await expect(surface.erase(keys("2"), signal)).rejects.toMatchObject({ code: "STORE_READONLY" });
    await server().query("postgres", `ALTER DATABASE ${store.database} RESET default_transaction_read_only`);
    expect(await surface.erase(keys("2"), signal)).toMatchObject([{ outcome: "erased" }]);
  });
});
