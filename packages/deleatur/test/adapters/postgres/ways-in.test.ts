// Ways to a PostgreSQL: through a pooler, which is refused before anything is set in a session that is not ours, and over TLS with a certificate that is held against its authority.
import { chmodSync, chownSync, copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { postgresTable } from "../../../src/adapters/postgres/index.ts";
import { findPostgres } from "../../servers/find-postgres.ts";
import { makeCertificates } from "../../servers/make-certificates.ts";
import { startPostgres } from "../../servers/postgres-server.ts";
import { isPgbouncerMissing, startPgbouncer } from "../../servers/start-pgbouncer.ts";
import {
  all,
  declare,
  keys,
  look,
  needleOf,
  newStore,
  openSurface,
  signal,
  text,
  useServer,
} from "./postgres-fixture.ts";

const installation = findPostgres();
const TABLE =
  "CREATE TABLE episodes (id int PRIMARY KEY, body text); INSERT INTO episodes SELECT n, 'row number ' || n || ' of the scene' FROM generate_series(1, 20) n;";
const episodes = declare({ content: [text("body")] });

describe.skipIf(installation === undefined || isPgbouncerMissing)("a pooler before a PostgreSQL", () => {
  const server = useServer(installation);

  it.each(["transaction", "statement", "session"])(
    "in its %s mode is refused plainly, and its sessions stay as they were",
    async (mode) => {
      const store = await newStore(server(), TABLE);
      const direct = await openSurface(episodes, store);
      const [row] = await all(direct.surface.scan(signal));
      const url = await startPgbouncer(server(), store.database, mode);
      await expect(openSurface(episodes, { url })).rejects.toMatchObject({ code: "STORE_POOLED" });
      // The same surface once it is open, and its probes: never an answer, never a success.
      const pooled = await openSurface(episodes, store).then(({ options }) => ({
        ...options,
        target: { ...options.target, url },
      }));
      const needles = row === undefined ? [] : [needleOf(row, 0)];
      for (const { name } of postgresTable.probes(pooled))
        await expect(look(postgresTable.probes(pooled), name, needles)).rejects.toMatchObject({ code: "STORE_POOLED" });
      const client = new Client({ connectionString: url });
      await client.connect();
      const shown = await client.query<{ row_security: string }>("SHOW row_security");
      await client.end();
      expect(shown.rows).toEqual([{ row_security: "on" }]);
      expect(await store.query("SELECT count(*)::int AS n FROM episodes")).toEqual([{ n: 20 }]);
    },
  );
});

describe.skipIf(installation === undefined)("a PostgreSQL over TLS", () => {
  it("is read, erased and looked at under verify-full, and refused under another authority or another name", async () => {
    if (installation === undefined) return;
    const { authority, otherAuthority, certificate, key } = makeCertificates();
    const server = await startPostgres(installation);
    try {
      const { uid, gid } = statSync(server.data);
      for (const [from, name] of [
        [certificate, "server.crt"],
        [key, "server.key"],
      ] as const) {
        const target = join(server.data, name);
        copyFileSync(from, target);
        chmodSync(target, 0o600);
        chownSync(target, uid, gid);
      }
      const store = await newStore(server, TABLE);
      await store.query("ALTER SYSTEM SET ssl = on");
      await store.query("SELECT pg_reload_conf()");
      const way = (host: string, root: string): string =>
        `postgres://deleatur@${host}:${server.port}/${store.database}?sslmode=verify-full&sslrootcert=${root}`;
      await expect.poll(() => store.query("SHOW ssl"), { timeout: 20_000 }).toEqual([{ ssl: "on" }]);
      const { surface, probes } = await openSurface(episodes, { url: way("localhost", authority) });
      const rows = await all(surface.scan(signal));
      expect(rows).toHaveLength(20);
      expect(await surface.erase(keys("1"), signal)).toMatchObject([{ outcome: "erased" }]);
      const needles = rows.slice(0, 2).map((row, place) => needleOf(row, place));
      expect((await look(probes, "key", needles)).map(({ needle }) => needle)).toEqual([1]);
      for (const url of [way("localhost", otherAuthority), way("127.0.0.1", authority)])
        await expect(openSurface(episodes, { url })).rejects.toMatchObject({ code: "STORE_UNTRUSTED" });
    } finally {
      await server.stop();
    }
  });
});
