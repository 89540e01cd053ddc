// A memory on PGlite, PostgreSQL 18 with pgvector where no server can be had: a whole forget, its fence, and the files behind it.
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { startPglite } from "../servers/start-pglite.ts";
import { expectErasure, S, S_SAYS, T_SAYS, tempFolder, verifyOutcome } from "./scene.ts";

/** Several queries that wait for each other: one backend serves them all. */
const PATIENCE_MS = 300_000;

const SQL = `CREATE EXTENSION vector;
CREATE TABLE episodes (id text PRIMARY KEY, account text, said text);
CREATE INDEX said_index ON episodes USING gin (to_tsvector('english', said));
CREATE TABLE vectors (id text PRIMARY KEY, embedding vector(8));
CREATE INDEX near ON vectors USING hnsw (embedding vector_l2_ops);`;

const EPISODES = {
  kind: "postgres",
  role: "primary",
  store: "memory",
  table: "episodes",
  key: "id",
  subject: { column: "account", type: "account" },
  content: ["said"],
} as const;
const VECTORS = {
  kind: "postgres",
  role: "index",
  store: "memory",
  table: "vectors",
  key: "id",
  vector: "embedding",
  derivedFrom: { surface: "episodes", column: "id" },
} as const;

function embedding(place: number): string {
  return `[${Array.from({ length: 8 }, (_, at) => Math.sin(7 * place + at)).join()}]`;
}

it(
  "ATTEST-4 GUARD-1: a forget on PostgreSQL 18 in WebAssembly refuses a late writer, leaves no byte in its files, and its receipt verifies",
  async () => {
    const server = await startPglite();
    const app = new Client({ connectionString: server.url });
    await app.connect();
    onTestFinished(() => app.end());
    await app.query(SQL);
    const rows = [...S_SAYS.map((said) => ["s-4471", said]), ...T_SAYS.map((said) => ["t-0815", said])];
    for (const [place, row] of rows.entries()) {
      await app.query("INSERT INTO episodes VALUES ($1, $2, $3)", [`e${place}`, ...row]);
      await app.query("INSERT INTO vectors VALUES ($1, $2)", [`e${place}`, embedding(place)]);
    }
    await app.query("CHECKPOINT");
    const [mine] = S_SAYS;
    const [theirs] = T_SAYS;
    expect([server.filesWith(mine) > 0, server.filesWith(theirs) > 0]).toEqual([true, true]);

    let late: Promise<unknown> | undefined;
    const memory = await openDeleatur(
      defineBoundary(
        {
          deleatur: 1,
          boundary: "cases/pglite",
          identifiers: ["account"],
          writers: "sdk",
          surfaces: { episodes: EPISODES, vectors: VECTORS },
          connect: { ledger: "sqlite:./deleatur.db", memory: { url: server.url } },
        },
        { directory: tempFolder(), env: {} },
      ),
      {
        environment: {},
        report({ step, phase }) {
          // A writer that never heard of us, under the fence.
          if (step !== "needles" || phase !== "started") return;
          late ??= app.query("INSERT INTO episodes VALUES ('late', 's-4471', 'it comes late')").then(
            () => "written",
            (error: unknown) => (error instanceof Error ? error.message : error),
          );
        },
      },
    );
    onTestFinished(() => memory.close());
    await memory.scan();
    const outcome = await memory.forget({ subject: [S], now: true });
    const clock = { now: () => new Date(), advance: () => undefined };
    expectErasure({ verify: (one, change) => verifyOutcome(memory, one, clock, change ?? {}) }, outcome);
    expect(await late).toMatch(/deleatur/iu);
    const left = await app.query(
      "SELECT account, count(*)::int AS n FROM episodes JOIN vectors USING (id) GROUP BY account",
    );
    expect(left.rows).toEqual([{ account: "t-0815", n: 3 }]);
    expect([server.filesWith(mine), server.filesWith(theirs) > 0]).toEqual([0, true]);
  },
  PATIENCE_MS,
);
