// Ways out of the fence, and ways past exact comparison, each of which once left a person's words behind under a COMPLIANT or cost a bystander a row.
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { codes, EPISODES, EPISODES_SQL, expectErasure, openScene, S, S_SAYS, T_SAYS } from "../cases/scene.ts";

const FILL = `INSERT INTO episodes VALUES ('s1', 's-4471', '${S_SAYS[0]}'), ('s2', 's-4471', '${S_SAYS[1]}'), ('t1', 't-0815', '${T_SAYS[0]}');`;

it("LINEAGE-6 C05: a fenced row cannot be renamed and given to another person past the SDK while the request runs", async () => {
  const answers: string[] = [];
  const scene = await openScene({
    sql: EPISODES_SQL + FILL,
    surfaces: { episodes: EPISODES },
    report({ step, phase }) {
      if (step !== "fence" || phase !== "finished") return;
      const foreign = new Database(scene.file);
      try {
        foreign.exec("UPDATE episodes SET id = 'elsewhere', account = 't-0815' WHERE id = 's2'");
        answers.push("renamed");
      } catch (cause) {
        answers.push(cause instanceof Error && cause.message.includes("FENCED") ? "refused" : "failed");
      } finally {
        foreign.close();
      }
    },
  });
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(answers).toEqual(["refused"]);
  expectErasure(scene, outcome);
  expect(scene.rows("SELECT id FROM episodes")).toEqual([{ id: "t1" }]);
});

it("LINEAGE-6: two places of one join table are fenced together", async () => {
  const answers: string[] = [];
  const scene = await openScene({
    sql: `CREATE TABLE members (thread TEXT, account TEXT, email TEXT);
      CREATE TABLE messages (id TEXT PRIMARY KEY, thread TEXT, text TEXT);
      INSERT INTO members VALUES ('a', 's-4471', 's@example.org'), ('b', 't-0815', 't@example.org');
      INSERT INTO messages VALUES ('s1', 'a', '${S_SAYS[0]}'), ('t1', 'b', '${T_SAYS[0]}');`,
    identifiers: ["account", "email"],
    surfaces: {
      messages: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "messages",
        key: "id",
        content: ["text"],
        subject: [
          { via: "members", on: "thread", column: "account", type: "account" },
          { via: "members", on: "thread", column: "email", type: "email" },
        ],
      },
    },
    census: { quiet: ["memory.members"] },
    report({ step, phase }) {
      if (step !== "fence" || phase !== "finished") return;
      const foreign = new Database(scene.file);
      for (const member of ["'b', 's-4471', 'x@example.org'", "'b', 'x', 'S@example.org'"]) {
        try {
          foreign.exec(`INSERT INTO members VALUES (${member})`);
          answers.push("accepted");
        } catch (cause) {
          answers.push(cause instanceof Error && cause.message.includes("FENCED") ? "refused" : "failed");
        }
      }
      foreign.close();
    },
  });
  await scene.memory.scan();
  await scene.memory.forget({ subject: [S, "email:s@example.org"], now: true });
  expect(answers).toEqual(["refused", "refused"]);
});

it("C16: a key column without case costs nobody else a row", async () => {
  const scene = await openScene({
    sql: `CREATE TABLE episodes (id TEXT COLLATE NOCASE, account TEXT, text TEXT);
      INSERT INTO episodes VALUES ('A', 's-4471', '${S_SAYS[0]}'), ('a', 't-0815', '${T_SAYS[0]}');`,
    surfaces: { episodes: EPISODES },
  });
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expect(outcome.bystanders).toMatchObject({ lost: 0 });
  expect(scene.rows("SELECT id, account FROM episodes")).toEqual([{ id: "a", account: "t-0815" }]);
});

it.each(["", "  \n"])(
  "GUARD-2: a record without a word in it (%j) does not keep its person from being forgotten",
  async (text) => {
    const scene = await openScene({ sql: EPISODES_SQL + FILL, surfaces: { episodes: EPISODES } });
    scene.app.prepare("INSERT INTO episodes VALUES ('s3', 's-4471', ?)").run(text);
    await scene.memory.scan();
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    expect(codes(outcome)).toEqual([]);
    expectErasure(scene, outcome);
  },
);
