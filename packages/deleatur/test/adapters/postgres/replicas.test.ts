// A real streaming standby: it is waited for, looked at by eyes of its own, purged with its primary; one that is down is out of reach, not clean.
import { describe, expect, it } from "vitest";
import { findPostgres } from "../../servers/find-postgres.ts";
import { all, declare, filesWith, keys, look, needleOf, openSurface, signal, text } from "./postgres-fixture.ts";
import { MARK, startCopied } from "./primary-with-standby.ts";

const installation = findPostgres();

describe.skipIf(installation === undefined)("a standby of PostgreSQL", () => {
  it("CLAIM-6: shows the same rows, holds none after an erase, and no byte after the purge; down, it is no success", async () => {
    if (installation === undefined) return;
    const { primary, standby, store } = await startCopied(installation);
    const { surface, probes } = await openSurface(declare({ content: [text("body")], replicas: ["copy1"] }), [
      { url: store.url, data: primary.data },
      { url: standby.url(store.database), data: standby.data },
    ]);
    const rows = await all(surface.scan(signal));
    const [target, control] = ["42", "7"].map((key) => rows.find((row) => row.key === key));
    if (target === undefined || control === undefined) throw new Error("no rows");
    const needles = [needleOf(target, 0), needleOf(control, 1, "control")];
    for (const name of ["key", "exact"] as const) {
      const containers = new Set(
        (
          await look(
            probes.filter(({ scope }) => scope.includes("copy1")),
            name,
            needles,
          )
        ).map(({ needle }) => needle),
      );
      expect(containers).toEqual(new Set([0, 1]));
    }
    // A standby that lags is waited for.
    await standby.query("postgres", "SELECT pg_wal_replay_pause()");
    const erasing = surface.erase(keys("42"), signal);
    await standby.query("postgres", "SELECT pg_wal_replay_resume()");
    expect(await erasing).toMatchObject([{ outcome: "erased" }]);
    expect(await standby.query(store.database, "SELECT 1 FROM episodes WHERE id = 42")).toEqual([]);
    expect(filesWith(standby.data, MARK).length).toBeGreaterThan(0);
    const copies = probes.filter(({ scope }) => scope === "bytes:copy1");
    expect(new Set((await look(copies, "bytes", needles)).map(({ needle }) => needle))).toEqual(new Set([0, 1]));
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    expect(filesWith(primary.data, MARK)).toEqual([]);
    expect(filesWith(standby.data, MARK)).toEqual([]);
    const left = await look(probes, "bytes", needles);
    expect(left.filter(({ needle }) => needle === 0)).toEqual([]);

    await standby.kill();
    expect(await surface.erase(keys("8"), signal)).toMatchObject([{ outcome: "failed" }]);
    await expect(all(surface.scan(signal))).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    await expect(surface.purge(signal)).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    await expect(look(probes, "key", needles)).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    await standby.start();
    expect(await surface.erase(keys("8"), signal)).toMatchObject([{ outcome: "absent" }]);
    // What it has not read yet is not given back, or it would never catch up.
    await standby.query("postgres", "SELECT pg_wal_replay_pause()");
    expect(await surface.purge(signal)).toMatchObject({
      outcome: "pending",
      why: expect.stringContaining("lags behind") as string,
    });
    await standby.query("postgres", "SELECT pg_wal_replay_resume()");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
  });
});
