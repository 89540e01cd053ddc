// The byte probe of a real PostgreSQL server on a thread of its own, from the build, beside the same probe in its turn. Needs `npm run build`.
import { describe, expect, it } from "vitest";
import { bytesProbe } from "../../../src/adapters/postgres/eyes/bytes-probe.ts";
import type { BytesOrder } from "../../../src/adapters/postgres/eyes/look-at-bytes.ts";
import { lookOnThread } from "../../../src/probe/bytes-thread.ts";
import { runProbes } from "../../../src/probe/run-probes.ts";
import { findVectorPostgres } from "../../servers/find-postgres.ts";
import { all, declare, keys, needleOf, newStore, openSurface, signal, text, useServer } from "./postgres-fixture.ts";

const installation = findVectorPostgres();
const BUILT = new URL("../../../dist/adapters/postgres/eyes/look-on-thread.js", import.meta.url);
const GONE = 30;

describe.skipIf(installation === undefined)("a thread that looks at the bytes of PostgreSQL", () => {
  const server = useServer(installation);

  it("C02: finds what the probe finds in its turn, and leaves a server that does not let it in to that", async () => {
    const store = await newStore(
      server(),
      `CREATE TABLE episodes (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = false);
       INSERT INTO episodes SELECT n, (SELECT string_agg(md5((n * 100 + k)::text), ' ') FROM generate_series(1, 8) k) FROM generate_series(1, ${GONE + 1}) n`,
    );
    const { url } = store;
    const { surface } = await openSurface(declare({ content: [text("body")] }), { url, data: server().data });
    const before = await all(surface.scan(signal));
    const control = before.findIndex(({ key }) => key === `${GONE + 1}`);
    await surface.erase(keys(...before.flatMap(({ key }, at) => (at === control ? [] : [key]))), signal);
    await store.query("CHECKPOINT");
    const needles = before.map((artifact, at) => needleOf(artifact, at, at === control ? "control" : "erased"));
    const target = { store: "memory", url, data: server().data };
    let threads = 0;
    const seenBy = async (urlOfThread?: string): Promise<unknown> => {
      const probe = bytesProbe(target, (order) => {
        if (urlOfThread === undefined) return undefined;
        threads += 1;
        const elsewhere: BytesOrder = { ...order, target: { ...target, url: urlOfThread } };
        return lookOnThread(target.store, elsewhere, BUILT);
      });
      const [run] = await runProbes([probe], needles, {}, signal);
      return [run?.status, run?.controlsFound, new Set(run?.findings.map(({ needle }) => needle)).size];
    };
    expect(await seenBy()).toEqual(["ran", 1, GONE]);
    expect(await seenBy(url)).toEqual(["ran", 1, GONE]);
    expect(await seenBy(`${url}_not_there`)).toEqual(["ran", 1, GONE]);
    expect(threads).toBe(2);
  });
});
