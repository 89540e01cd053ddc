// Canaries: each can be planted where one is needed, and each is found by every eye that should see it; else eyes seem blind by chance (DESIGN §3.6).
import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { placeHolds } from "../../src/audit/hold-records.ts";
import { CANARY_PREFIX, canaryText } from "../../src/examine/canary.ts";
import { lookWithProbes } from "../../src/examine/look-with-probes.ts";
import { takeCensus } from "../../src/examine/take-census.ts";
import { toNeedles } from "../../src/examine/to-needles.ts";
import type { Artifact, ContentField } from "../../src/model/artifact.ts";
import { type ArtifactRef, artifactKey, surfaceId } from "../../src/model/ids.ts";
import {
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  recordEpisode,
  S,
  S_SAYS,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
} from "./scene.ts";

const U = "account:u-2290";
const NEVER = new AbortController().signal;

it("VERDICT-1: a derived location that is emptied is looked at by eyes that see, though what survives in its source is under another's fence", async () => {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordBoth(scene);
  await recordEpisode(scene, "u1", U, "Nobody but the third person ever spoke about walnut oil and lacquered skis");
  await deriveSummary(scene, "m1", ["s1"], S_SAYS[0]);
  const until = new Date(scene.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10);
  for (const records of [["episodes/t1"], ["episodes/t2"], ["episodes/t3"], ["episodes/u1"]])
    await placeHolds(scene.memory.engine, { records, ground: "a dispute in court", until }, NEVER);
  // Kept under a ground, and fenced: nothing more is derived from them.
  for (const subject of [T, U]) await scene.memory.forget({ subject: [subject], now: true });
  expect(scene.rows("SELECT count(*) AS n FROM episodes")).toEqual([{ n: 7 }]);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(scene.rows("SELECT id FROM episodes ORDER BY id").map(({ id }) => id)).toEqual(["t1", "t2", "t3", "u1"]);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([]);
});

/** So many vectors that the ends of pages cut some of them in two. */
const MANY = 400;
const STORES = `
  CREATE TABLE entries (id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT, text TEXT NOT NULL);
  CREATE VIRTUAL TABLE search USING fts5(text, content='entries', content_rowid='id');
  CREATE VIRTUAL TABLE vectors USING vec0(id INTEGER PRIMARY KEY, embedding float[16]);`;

it("VERDICT-1: every canary is found by every eye that should see it, wherever a page ends", async () => {
  const scene = await openScene({
    sql: STORES,
    surfaces: {
      entries: { ...EPISODES, table: "entries" },
      search: {
        kind: "sqlite-fts",
        role: "index",
        store: "memory",
        table: "search",
        content: ["text"],
        derivedFrom: { surface: "entries", column: "rowid" },
      },
      vectors: {
        kind: "sqlite-vec",
        role: "index",
        store: "memory",
        table: "vectors",
        key: "id",
        keys: "reusable",
        vector: "embedding",
        derivedFrom: { surface: "entries", column: "id" },
      },
      transcripts: {
        kind: "jsonl",
        role: "transcript",
        store: "transcripts",
        key: "id",
        content: ["text"],
        subject: { field: "user", type: "account" },
      },
    },
  });
  const { engine } = scene.memory;
  const planted: Artifact[] = [];
  const plant = async (id: string, content: readonly ContentField[], source?: ArtifactRef, key?: string) => {
    const mark = `${CANARY_PREFIX}${randomBytes(8).toString("hex")}`;
    const canary: Artifact = {
      surface: surfaceId(id),
      key: artifactKey(key ?? mark),
      subjects: source === undefined ? [{ type: "account", value: mark }] : [],
      sources: source === undefined ? [] : [source],
      content,
    };
    const answer = await (await engine.open(canary.surface)).plant(canary, NEVER);
    expect(answer.outcome).toBe("planted");
    const one = { ...canary, key: answer.key };
    planted.push(one);
    return one;
  };
  for (let count = 0; count < MANY; count += 1) {
    const content: readonly ContentField[] = [{ type: "text", name: "text", text: canaryText(randomBytes) }];
    const entry = await plant("entries", content);
    await plant("search", content, entry, entry.key);
    const vector = Float32Array.from(randomBytes(16), (byte) => byte / 255 - 0.5);
    await plant("vectors", [{ type: "vector", name: "embedding", vector }], entry);
    if (count % 4 === 0) await plant("transcripts", content);
  }
  const census = await takeCensus(engine, NEVER);
  const runs = await lookWithProbes(
    engine,
    toNeedles([], planted),
    () => 0,
    census,
    () => Promise.resolve(),
    NEVER,
  );
  const looks = runs.filter(({ evidence }) => evidence.status !== "not-applicable");
  expect(looks.map(({ surface, run }) => `${surface} ${run.name} ${run.status} ${run.why ?? ""}`.trim())).toEqual(
    looks.map(({ surface, run }) => `${surface} ${run.name} ran`),
  );
  expect(looks).toHaveLength(16);
});
