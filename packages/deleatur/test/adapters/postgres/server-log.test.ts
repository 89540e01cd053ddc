// What a PostgreSQL that logs statements writes down of ours: no key, no person and no text, or the text is not sent at all.
import { describe, expect, it, onTestFinished } from "vitest";
import type { Artifact } from "../../../src/model/artifact.ts";
import { artifactKey } from "../../../src/model/ids.ts";
import { findPostgres } from "../../servers/find-postgres.ts";
import { startPostgres } from "../../servers/postgres-server.ts";
import {
  all,
  declare,
  filesWith,
  keys,
  look,
  needleOf,
  newStore,
  openSurface,
  REQUEST,
  signal,
  text,
} from "./postgres-fixture.ts";

const installation = findPostgres();
const MARK = "The violet accordion in the cellar smells of cardamom";
const PERSON = "account-of-somebody-4471";

describe.skipIf(installation === undefined)("a PostgreSQL that logs statements", () => {
  it.each([
    "log_statement = 'all'",
    "log_min_duration_statement = 0",
    "log_min_duration_sample = 0; SET log_statement_sample_rate = 1",
  ])("PRIVACY-1: writes no key, person or text of ours into its log (%s)", async (setting) => {
    if (installation === undefined) return;
    const server = await startPostgres(installation, {
      logging_collector: "on",
      log_parameter_max_length_on_error: "-1",
    });
    onTestFinished(() => server.stop());
    const store = await newStore(
      server,
      `CREATE TABLE episodes (id text PRIMARY KEY, person text, body text); CREATE TABLE hanging (id text REFERENCES episodes);
         INSERT INTO episodes VALUES ('key-of-it', '${PERSON}', '${MARK}'), ('key-that-is-held', '${PERSON}', 'Other'); INSERT INTO hanging VALUES ('key-that-is-held')`,
    );
    await store.query(`ALTER ROLE deleatur SET ${setting.replaceAll("; SET", "; ALTER ROLE deleatur SET")}`);
    const { surface, probes } = await openSurface(
      declare({ content: [text("body")], subject: [{ column: "person", type: "account" }] }),
      store,
    );
    const rows = await all(surface.scan(signal));
    const [first] = rows;
    if (first === undefined) throw new Error("no row");
    const offered: Artifact = { ...first, key: artifactKey("another") };
    const identifiers = [{ type: "account", value: PERSON }];
    await surface.fence({ request: REQUEST, identifiers, keys: keys("key-of-it"), sources: new Map() }, signal);
    expect(await surface.erase(keys("key-of-it", "key-that-is-held"), signal)).toMatchObject([
      { outcome: "erased" },
      { outcome: "failed" },
    ]);
    expect(await surface.offer(offered, signal)).toMatchObject({ outcome: "refused" });
    for (const name of ["key", "exact", "excerpt", "bytes"] as const)
      await look(
        probes,
        name,
        rows.map((row, place) => needleOf(row, place)),
      );
    await surface.unfence([REQUEST], signal);
    const logged = (wanted: string): readonly string[] =>
      filesWith(server.data, wanted).filter((file) => file.startsWith("log/"));
    expect(logged("deleatur").length).toBeGreaterThan(0);
    expect([PERSON, MARK, "key-of-it", "key-that-is-held"].flatMap(logged)).toEqual([]);
  });

  it("offers no text that the role cannot keep out of the log", async () => {
    if (installation === undefined) return;
    const server = await startPostgres(installation, { log_statement: "mod" });
    onTestFinished(() => server.stop());
    const store = await newStore(
      server,
      "CREATE TABLE episodes (id text PRIMARY KEY, body text); CREATE ROLE owner_ LOGIN; ALTER TABLE episodes OWNER TO owner_",
    );
    const { surface } = await openSurface(declare({ content: [text("body")] }), {
      url: server.url(store.database, "owner_"),
    });
    const offered: Artifact = {
      surface: (await openSurface(declare({}), store)).options.surface,
      key: artifactKey("another"),
      subjects: [],
      sources: [],
      content: [{ type: "text", name: "body", text: MARK }],
    };
    expect(await surface.offer(offered, signal)).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("log"),
    });
    await store.query("GRANT SET ON PARAMETER log_parameter_max_length TO owner_");
    expect(await surface.offer(offered, signal)).toMatchObject({ outcome: "accepted" });
  });

  it.each([
    ["for all", { log_statement: "mod" }, "", "unsupported"],
    ["for all, in the data folder", { log_statement: "mod", logging_collector: "on" }, "", "purged"],
    [
      "for all, beside the data folder",
      { log_statement: "all", logging_collector: "on", log_directory: "/tmp" },
      "",
      "unsupported",
    ],
    [
      "for one role",
      {},
      "CREATE ROLE writer LOGIN; ALTER ROLE writer SET log_min_duration_statement = 0;",
      "unsupported",
    ],
    ["that take long", { log_min_duration_statement: "1000" }, "", "purged"],
  ])(
    "FORGET-2: what it writes down of the application's statements is said where nobody looks (%s)",
    async (_, settings, sql, end) => {
      if (installation === undefined) return;
      const server = await startPostgres(installation, settings);
      onTestFinished(() => server.stop());
      const store = await newStore(
        server,
        `CREATE TABLE episodes (id text PRIMARY KEY, body text); CREATE TABLE history (id text PRIMARY KEY); ${sql}`,
      );
      const { surface } = await openSurface(declare({ content: [text("body")] }), store);
      expect(await surface.purge(signal)).toMatchObject({ outcome: end });
      const history = declare({ table: "history", role: "log" });
      const beside = await openSurface(declare({ content: [text("body")] }), store, [history]);
      expect(await beside.surface.purge(signal)).toMatchObject({ outcome: end });
      // Only the role counts here.
      const log = { ...declare({ id: "server-log" }), role: "log", kind: "text", store: undefined };
      const declared = await openSurface(declare({ content: [text("body")] }), store, [log as never]);
      expect(await declared.surface.purge(signal)).toMatchObject({ outcome: "purged" });
    },
  );
});
