// A real failover while a person is being forgotten: the standby is promoted and answers at the same address, and the former primary keeps the bytes.
import { describe, expect, it } from "vitest";
import { startSwitch } from "../../servers/address-switch.ts";
import { findPostgres } from "../../servers/find-postgres.ts";
import { all, declare, filesWith, keys, openSurface, REQUEST, signal, text } from "./postgres-fixture.ts";
import { MARK, startCopied } from "./primary-with-standby.ts";

const installation = findPostgres();

describe.skipIf(installation === undefined)("a failover of PostgreSQL", () => {
  it("CLAIM-6: a purge after one says so once, whether or not the new server is clean; without one it says nothing", async () => {
    if (installation === undefined) return;
    const { primary, standby, store } = await startCopied(installation);
    const address = await startSwitch(primary.port);
    const url = store.url.replace(`:${primary.port}/`, `:${address.port}/`);
    expect(url).not.toBe(store.url);
    const { surface } = await openSurface(declare({ content: [text("body")], replicas: ["copy1"] }), [
      { url },
      { url: standby.url(store.database) },
    ]);
    const order = { request: REQUEST, identifiers: [], keys: keys("42"), sources: new Map() };
    expect(await surface.fence(order, signal)).toBe("strong");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(await surface.erase(keys("42"), signal)).toMatchObject([{ outcome: "erased" }]);

    await primary.kill();
    await standby.query("postgres", "SELECT pg_promote()");
    address.to(standby.port);
    expect((await all(surface.scan(signal))).map(({ key }) => key)).not.toContain("42");
    expect(await surface.purge(signal)).toMatchObject({
      outcome: "pending",
      why: expect.stringContaining("another server answers") as string,
    });
    expect(filesWith(primary.data, MARK)).not.toEqual([]);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(filesWith(standby.data, MARK)).toEqual([]);
  });
});
