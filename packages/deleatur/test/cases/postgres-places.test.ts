// Places that a PostgreSQL keeps copies in beside its tables: a history by trigger, words of a full-text index, a tablespace, a table of another server. Each is cleared, found or refused.
import { mkdtempSync, rmSync, chownSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { filesWith, useServer } from "../adapters/postgres/postgres-fixture.ts";
import { findPostgres } from "../servers/find-postgres.ts";
import { openPostgresScene, type PostgresScene } from "./postgres-scene.ts";
import { EPISODES, EPISODES_SQL, expectErasure, S, S_SAYS, T_SAYS } from "./scene.ts";

const installation = findPostgres();
const episodes = { ...EPISODES, kind: "postgres", key: "id" } as const;

async function fill(scene: PostgresScene): Promise<void> {
  for (const [account, texts] of [
    ["s-4471", S_SAYS],
    ["t-0815", T_SAYS],
  ] as const)
    for (const [place, text] of texts.entries()) {
      const key = `${account.slice(0, 1)}${place + 1}`;
      await scene.memory.record("episodes", { key, subjects: [`account:${account}`], content: { text } }, async () => {
        await scene.query("INSERT INTO episodes (id, account, text) VALUES ($1, $2, $3)", [key, account, text]);
      });
    }
}

const HISTORY_SQL = `${EPISODES_SQL}
  CREATE TABLE history (id serial PRIMARY KEY, episode text, old_text text);
  CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO history (episode, old_text) VALUES (old.id, old.text); RETURN old; END $$;
  CREATE TRIGGER keep_history AFTER DELETE ON episodes FOR EACH ROW EXECUTE FUNCTION keep_history();`;
const HISTORY = {
  kind: "postgres",
  role: "log",
  store: "memory",
  table: "history",
  key: "id",
  content: ["old_text"],
  derivedFrom: { surface: "episodes", column: "episode" },
} as const;

describe.skipIf(installation === undefined)("a PostgreSQL that keeps copies elsewhere", () => {
  const server = useServer(installation);
  /** Files of the scene's own database and of the log that hold this; another test's database is its own. */
  const copies = async (scene: PostgresScene, word: string): Promise<readonly string[]> => {
    const [row] = await scene.query("SELECT oid::text FROM pg_database WHERE datname = current_database()");
    const places = [`base/${String(row?.["oid"])}/`, "pg_wal/"];
    return filesWith(server().data, word).filter((file) => places.some((place) => file.startsWith(place)));
  };

  it("C13 VERDICT-4: a history that a trigger fills on delete is found by census and probe where nobody declared it", async () => {
    const scene = await openPostgresScene(server(), { sql: HISTORY_SQL, surfaces: { episodes } });
    await fill(scene);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).not.toBe("COMPLIANT");
    const [stray] = outcome.reasons.filter(({ code }) => code === "UNDECLARED_CONTAINER");
    expect(stray?.surface).toBe("memory.history");
    expect(stray?.count).toBeGreaterThanOrEqual(3);
  });

  it("C13: ours scrubs a declared history, the delete makes no new copy, and others' history stays", async () => {
    const scene = await openPostgresScene(server(), {
      sql: HISTORY_SQL,
      surfaces: { episodes, history: HISTORY },
    });
    await fill(scene);
    await scene.query("DELETE FROM episodes WHERE id IN ('s3', 't3')");
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expectErasure(scene, outcome);
    expect(await scene.query("SELECT episode, old_text FROM history")).toEqual([
      { episode: "t3", old_text: T_SAYS[2] },
    ]);
    for (const text of S_SAYS) expect(await copies(scene, text)).toEqual([]);
  });

  it("FORGET-2: single words of an erased text leave a GIN index, its list of what is pending included", async () => {
    for (const fastupdate of ["on", "off"]) {
      const scene = await openPostgresScene(server(), {
        sql: `${EPISODES_SQL} CREATE INDEX words ON episodes USING gin (to_tsvector('simple', text)) WITH (fastupdate = ${fastupdate});
          INSERT INTO episodes SELECT 'f' || n, 'f-' || n, 'plain talk ' || md5(n::text) FROM generate_series(1, 300) n;`,
        surfaces: { episodes },
      });
      await fill(scene);
      await scene.query("CHECKPOINT");
      const [relation] = await scene.query("SELECT pg_relation_filepath('words') AS path");
      const path = String(relation?.["path"]);
      // A word of hers alone, as the index has it, cut in front so that its case does not matter.
      expect(await copies(scene, "ardamom")).toContain(path);
      expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
      expect(await copies(scene, "ardamom")).toEqual([]);
      const [found] = await scene.query(
        "SELECT count(*)::int AS n FROM episodes WHERE to_tsvector('simple', text) @@ 'trombone'",
      );
      expect(found).toEqual({ n: 1 });
      await server().query("postgres", `DROP DATABASE ${scene.database} WITH (FORCE)`);
    }
  });

  it("FORGET-2: what lies in a tablespace is seen by the byte probe and purged like the rest", async () => {
    const folder = mkdtempSync(join(tmpdir(), "deleatur-space-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { uid, gid } = statSync(server().data);
    chownSync(folder, uid, gid);
    await server().query("postgres", `CREATE TABLESPACE aside LOCATION '${folder}'`);
    const scene = await openPostgresScene(server(), {
      sql: `CREATE TABLE episodes (id text PRIMARY KEY USING INDEX TABLESPACE aside, account text, text text NOT NULL) TABLESPACE aside;
        CREATE INDEX ON episodes (text) TABLESPACE aside;`,
      surfaces: { episodes },
    });
    await fill(scene);
    await scene.query("CHECKPOINT");
    expect(filesWith(folder, S_SAYS[0]).length).toBeGreaterThanOrEqual(2);
    // Somebody else's delete and no purge: only who looks into that folder finds the bytes.
    const ticket = await scene.memory.prepareAudit({ subject: [S] });
    await scene.query("DELETE FROM episodes WHERE account = 's-4471'");
    await scene.query("VACUUM episodes");
    const claim = { subject: S, surfacesReached: ["episodes"], tombstoneWritten: true };
    const audit = await scene.memory.audit({ ticket, claim });
    const places = audit.survivors.filter(({ depth }) => depth === "bytes").map(({ container }) => container);
    expect(places.some((place) => place.startsWith("pg_tblspc/"))).toBe(true);
    await scene.query("INSERT INTO episodes VALUES ('s1', 's-4471', $1)", [S_SAYS[0]]);
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.survivors).toEqual([]);
    expect(filesWith(folder, S_SAYS[0])).toEqual([]);
    expect(filesWith(folder, T_SAYS[0]).length).toBeGreaterThan(0);
    await server().query("postgres", `DROP DATABASE ${scene.database} WITH (FORCE)`);
    await server().query("postgres", "DROP TABLESPACE aside");
  });

  it("VERDICT-4: a table of another server is refused where it is declared, and named where it is not", async () => {
    const far = await server().createDatabase();
    await server().query(far, `${EPISODES_SQL} INSERT INTO episodes VALUES ('s1', 's-4471', '${S_SAYS[0]}')`);
    const sql = `CREATE EXTENSION postgres_fdw;
      CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${server().port}', dbname '${far}');
      CREATE USER MAPPING FOR deleatur SERVER far OPTIONS (user 'deleatur', password_required 'false');
      CREATE FOREIGN TABLE elsewhere (id text, account text, text text) SERVER far OPTIONS (table_name 'episodes');`;
    const declared = await openPostgresScene(server(), {
      sql,
      surfaces: { elsewhere: { ...episodes, table: "elsewhere" } },
    });
    await expect(declared.memory.forget({ subject: [S], now: true })).rejects.toMatchObject({ code: "TABLE_UNFIT" });
    const scene = await openPostgresScene(server(), { sql: EPISODES_SQL + sql, surfaces: { episodes } });
    await fill(scene);
    expect((await scene.memory.check()).undeclared).toContain("memory.elsewhere");
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(outcome.verdict).not.toBe("COMPLIANT");
    // Its rows are read where they are: the text that lies on the other server is a hit.
    const strays = outcome.reasons.filter(({ code }) => code === "UNDECLARED_CONTAINER");
    expect(strays).toMatchObject([{ surface: "memory.elsewhere" }]);
    expect(strays[0]?.count).toBeGreaterThanOrEqual(1);
    await server().query("postgres", `DROP DATABASE ${far} WITH (FORCE)`);
  });
});
