// What our fence does to a logical subscriber of all tables, on two real servers: without our schema it stops at the first of our rows, and loses nothing.
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { findPostgres } from "../../servers/find-postgres.ts";
import { startPostgres } from "../../servers/postgres-server.ts";
import { declare, newStore, openSurface, REQUEST, signal, text } from "./postgres-fixture.ts";

const installation = findPostgres();
const here = (id: number): string => `SELECT count(*) AS n FROM episodes WHERE id = ${id}`;
const errors = "SELECT sum(apply_error_count) AS n FROM pg_stat_subscription_stats";

describe.skipIf(installation === undefined)("a subscriber of PostgreSQL's FOR ALL TABLES", () => {
  it.each([
    ["stops at the first row of ours, and goes on once it knows our tables", ""],
    [
      "goes on where the publication names its tables",
      "DROP PUBLICATION everything; CREATE PUBLICATION everything FOR TABLE episodes;",
    ],
  ])("%s", async (_, change) => {
    if (installation === undefined) return;
    const publisher = await startPostgres(installation, { wal_level: "logical" });
    onTestFinished(() => publisher.stop());
    const subscriber = await startPostgres(installation, { wal_level: "logical" });
    onTestFinished(() => subscriber.stop());
    const layout = "CREATE TABLE episodes (id int PRIMARY KEY, person text, body text);";
    const store = await newStore(publisher, `${layout} CREATE PUBLICATION everything FOR ALL TABLES; ${change}`);
    const copy = await newStore(subscriber, layout);
    const count = async (sql: string): Promise<number> => Number((await copy.query(sql))[0]?.["n"]);
    const until = async (sql: string): Promise<void> => {
      while ((await count(sql)) === 0) await wait(50);
    };
    await copy.query(`CREATE SUBSCRIPTION ours CONNECTION '${store.url}' PUBLICATION everything`);
    onTestFinished(() => void copy.query("DROP SUBSCRIPTION ours").catch(() => undefined));
    await store.query("INSERT INTO episodes VALUES (1, '7', 'of another')");
    await until(here(1));

    const subject = [{ column: "person", type: "account" }] as const;
    const { surface } = await openSurface(declare({ subject, content: [text("body")] }), store);
    const identifiers = [{ type: "account", value: "42" }];
    expect(await surface.fence({ request: REQUEST, identifiers, keys: [], sources: new Map() }, signal)).toBe("strong");
    await store.query("INSERT INTO episodes VALUES (2, '7', 'of another')");
    await until(change === "" ? errors : here(2));
    expect([await count(here(2)), (await count(errors)) > 0]).toEqual(change === "" ? [0, true] : [1, false]);
    const schema = publisher.runClient("pg_dump", ["-s", "-n", "deleatur", store.database]).toString("utf8");
    // Without the backslash commands of newer dumps, which only psql reads.
    if (change === "") await copy.query(schema.replaceAll(/^\\.*$/gm, ""));
    await until(here(2));
  });
});
