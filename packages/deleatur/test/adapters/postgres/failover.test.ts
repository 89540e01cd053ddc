// A real failover while a person is being forgotten: the standby is promoted and answers at the same address, and the former primary keeps the bytes.
import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { findPostgres } from "../../servers/find-postgres.ts";
import { all, declare, filesWith, keys, openSurface, REQUEST, signal, text } from "./postgres-fixture.ts";
import { MARK, startCopied } from "./primary-with-standby.ts";

const installation = findPostgres();

/** An address that leads to one server after another. */
async function startSwitch(first: number): Promise<{ readonly port: number; to(port: number): void }> {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const onwards = connect(target, "127.0.0.1");
    for (const socket of [client, onwards]) {
      open.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
    }
    client.pipe(onwards).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    end();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    to(port) {
      target = port;
      end();
    },
  };
}

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
