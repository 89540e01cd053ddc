// The two failures that the field observed, replayed end to end: a summary that quotes the deleted record, and a vector row keyed by content hash.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import {
  codes,
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  SUMMARIES,
  SUMMARIES_SQL,
  T,
  T_SAYS,
  violations,
} from "./scene.ts";

const [TEXT] = S_SAYS;
const EXCERPT = TEXT.split(" ").slice(1, 12).join(" ");

async function quotedMemory(): Promise<Scene> {
  const scene = await openScene({
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: { episodes: EPISODES, summaries: { ...SUMMARIES, shared: "destroy" } },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], `In the spring they said: ${EXCERPT}, which was noted`);
  await deriveSummary(scene, "m2", ["t1"], `A neighbour reported that ${T_SAYS[0].toLowerCase()}`);
  return scene;
}

it("REPLAY-1 CLAIM-1 CLAIM-2 VERDICT-2: a summary that quotes the deleted record is found and named, PARTIAL", async () => {
  const scene = await quotedMemory();
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  expect(JSON.stringify(ticket)).not.toContain("cardamom");
  scene.app.prepare("DELETE FROM episodes WHERE account = 's-4471'").run();
  scene.app.exec("VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const claim = { subject: S, status: "success", surfacesReached: ["episodes"], tombstoneWritten: false } as const;
  const audit = await scene.memory.audit({ ticket, claim });
  expect(audit.verdict).toBe("PARTIAL");
  expect(audit.exitCode).toBe(20);
  expect(audit.survivors.map(({ surface, key, provenance }) => [surface, key, provenance])).toEqual([
    ["summaries", "m1", "reached"],
  ]);
  expect(codes(audit)).toEqual(["SURVIVOR_FOUND", "NO_DENYLIST_ENTRY", "PRIMARY_BLIND", "BLIND_PROBE", "UNREACHABLE"]);
  expect(audit.attestation.kind).toBe("none");
});

it("REPLAY-1 VERDICT-2 LINEAGE-3: a summary that no lineage knows is found by the person's own words, PARTIAL", async () => {
  const scene = await quotedMemory();
  scene.app.prepare("INSERT INTO summaries VALUES ('m9', '[]', ?)").run(`Somebody said that ${EXCERPT}, and left`);
  const ticket = await scene.memory.prepareAudit({ records: ["episodes/s1"] });
  scene.app.exec("DELETE FROM episodes WHERE id = 's1'; DELETE FROM summaries WHERE id = 'm1'; VACUUM");
  scene.app.pragma("wal_checkpoint(TRUNCATE)");
  const reached = ["episodes", "summaries"];
  const claim = { subject: S, records: ["episodes/s1"], surfacesReached: reached, tombstoneWritten: false };
  const audit = await scene.memory.audit({ ticket, claim });
  expect(audit.verdict).toBe("PARTIAL");
  expect(audit.survivors.map(({ key, probe, provenance }) => [key, probe, provenance])).toEqual([
    ["m9", "excerpt", "outside"],
  ]);
  expect(codes(audit)).toEqual([
    "SURVIVOR_FOUND",
    "LINEAGE_MISSING",
    "NO_DENYLIST_ENTRY",
    "PRIMARY_BLIND",
    "BLIND_PROBE",
  ]);
});

it("REPLAY-1 VERDICT-1: our forget takes the summary with the record, and the receipt verifies", async () => {
  const scene = await quotedMemory();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  expectErasure(scene, outcome);
  expect(scene.rows("SELECT id FROM summaries")).toEqual([{ id: "m2" }]);
  expect(scene.rows("SELECT id FROM episodes ORDER BY id")).toEqual([{ id: "t1" }, { id: "t2" }, { id: "t3" }]);
});

const hashOf = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
const vectorOf = (text: string): Float32Array =>
  Float32Array.from({ length: 32 }, (_, at) => Math.sin(at * 7.1 + hashOf(text).charCodeAt(at)));

/** Vectors keyed by the hash of their text, with no column that names a source: what the lineage knows, the SDK told it. */
async function hashedMemory(): Promise<Scene> {
  const scene = await openScene({
    sql: `${EPISODES_SQL} CREATE TABLE vectors (hash TEXT PRIMARY KEY, embedding BLOB NOT NULL);`,
    surfaces: {
      episodes: EPISODES,
      vectors: { kind: "sqlite", role: "index", store: "memory", table: "vectors", key: "hash", vector: "embedding" },
    },
  });
  await recordBoth(scene);
  for (const [index, text] of [...S_SAYS, ...T_SAYS].entries()) {
    const embedding = vectorOf(text);
    const source = `episodes/${index < 3 ? "s" : "t"}${(index % 3) + 1}`;
    const write = { key: hashOf(text), sources: [source], content: { embedding } };
    await scene.memory.derive("vectors", write, () => {
      scene.app.prepare("INSERT INTO vectors VALUES (?, ?)").run(hashOf(text), Buffer.from(embedding.buffer));
    });
  }
  return scene;
}

it("REPLAY-2 GUARD-1 GUARD-2: identical text under a new id is refused at the door and logged as a violation", async () => {
  const scene = await hashedMemory();
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  expect(scene.rows("SELECT count(*) AS n FROM vectors")).toEqual([{ n: 3 }]);
  const before = violations(scene.memory).length;
  const put = (): void => {
    scene.app.prepare("INSERT INTO episodes VALUES ('new-1', NULL, ?)").run(TEXT);
  };
  const again = (subjects: readonly string[]): Promise<unknown> =>
    scene.memory.record("episodes", { key: "new-1", subjects, content: { text: TEXT } }, put);
  await expect(again([S])).rejects.toMatchObject({ name: "WriteRefusedError", code: "DENYLISTED" });
  for (const subjects of [[T], []]) expect(await again(subjects)).toMatchObject({ outcome: "held" });
  expect(scene.rows("SELECT id FROM episodes WHERE id = 'new-1'")).toEqual([]);
  expect(violations(scene.memory).slice(before)).toEqual(["DENYLISTED", "HELD", "HELD"]);
});

it("REPLAY-2 VERDICT-3: a foreign delete that leaves the hash-keyed vector, and text that came back, are found by the next audit", async () => {
  const scene = await hashedMemory();
  const ticket = await scene.memory.prepareAudit({ subject: [S] });
  scene.app.prepare("DELETE FROM episodes WHERE account = 's-4471'").run();
  const claim = { subject: S, surfacesReached: ["episodes", "vectors"], tombstoneWritten: true } as const;
  const left = await scene.memory.audit({ ticket, claim });
  expect(left.verdict).toBe("PARTIAL");
  expect(left.survivors.filter(({ surface }) => surface === "vectors").map(({ key }) => key)).toEqual(
    expect.arrayContaining(S_SAYS.map(hashOf)),
  );
  // Nobody guards: the same text is ingested again, under a new id and for nobody.
  scene.app.prepare("INSERT INTO episodes VALUES ('new-1', NULL, ?)").run(TEXT);
  const back = await scene.memory.audit({ ticket, claim });
  expect(back.error).toMatchObject({ class: "ErasureAuditError", code: "RESURRECTED" });
  expect(back.back.map(({ surface, key }) => [surface, key])).toEqual([["episodes", "new-1"]]);
  expect(back.exitCode).toBe(21);
  expect(violations(scene.memory)).toContain("RESURRECTED");
});
