// Erased words and persons in another form than they had: bytes in place of text, what is no content, a type that nobody declared (GUARD-1, GUARD-2, LINEAGE-7).
import { expect, it } from "vitest";
import type { GivenContent } from "../../src/record/given-write.ts";
import {
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  T,
  T_SAYS,
} from "./scene.ts";

const HELD = { outcome: "held" };
const REFUSED = { name: "WriteRefusedError", code: "DENYLISTED" };

async function forgotten(): Promise<Scene> {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  return scene;
}

let keys = 0;
function put(scene: Scene, subjects: readonly string[], content: unknown): Promise<unknown> {
  const key = `new-${keys++}`;
  // What a caller without types may give.
  return scene.memory.record("episodes", { key, subjects, content: content as GivenContent }, () =>
    scene.app.prepare("INSERT INTO episodes VALUES (?, NULL, 'as given')").run(key),
  );
}

const newRows = (scene: Scene): number => scene.rows("SELECT id FROM episodes WHERE id LIKE 'new-%'").length;

it("GUARD-2: erased text that is given as bytes is kept out like the text, whole and inside a longer page", async () => {
  const scene = await forgotten();
  scene.memory.engine.ledger.liftDenylist({ identifiers: [{ type: "account", value: "s-4471" }] });
  const page = `${T_SAYS[1]}. ${S_SAYS[0].toUpperCase()} ${T_SAYS[2]}.`;
  for (const text of [S_SAYS[0], `\ufeff${S_SAYS[0]}`, page]) {
    const larger = Buffer.concat([Buffer.from([0xff]), Buffer.from(text)]);
    for (const bytes of [Buffer.from(text), new TextEncoder().encode(text), larger.subarray(1)]) {
      for (const subjects of [[T], []]) expect(await put(scene, subjects, { text: bytes })).toMatchObject(HELD);
      await expect(put(scene, [S], { text: bytes })).rejects.toMatchObject(REFUSED);
    }
  }
  expect(newRows(scene)).toBe(0);
  // What is held stays as it was given, and other bytes pass.
  expect(scene.memory.held()[0]?.artifact.content).toMatchObject([{ type: "bytes", name: "text" }]);
  await put(scene, [T], { text: Buffer.from(T_SAYS[0]), image: Buffer.from([0xff, 0xd8, 0x00]), empty: Buffer.of() });
  expect(newRows(scene)).toBe(1);
});

it("GUARD-2: text that was erased out of bytes is kept out as text, whole and inside a longer page, and what others' bytes say too is theirs", async () => {
  const scene = await openScene({
    sql: "CREATE TABLE episodes (id TEXT PRIMARY KEY, account TEXT, text BLOB)",
    surfaces: { episodes: EPISODES },
  });
  const shared = "Every spring the choir sings in the market hall until the last tram leaves";
  const rows = [
    ["s1", S, S_SAYS[0]],
    ["s2", S, shared],
    ["t1", T, T_SAYS[0]],
    ["t2", T, shared],
  ] as const;
  for (const [key, subject, text] of rows)
    await scene.memory.record("episodes", { key, subjects: [subject], content: { text: Buffer.from(text) } }, () =>
      scene.app.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run(key, subject.slice(8), Buffer.from(text)),
    );
  expectErasure(scene, await scene.memory.forget({ subject: [S], now: true }));
  const page = `${T_SAYS[1]}. ${S_SAYS[0].toUpperCase()} ${T_SAYS[2]}.`;
  for (const text of [S_SAYS[0], S_SAYS[0].toUpperCase(), page])
    for (const subjects of [[T], []]) expect(await put(scene, subjects, { text })).toMatchObject(HELD);
  expect(newRows(scene)).toBe(0);
  await put(scene, [T], { text: shared });
  expect(newRows(scene)).toBe(1);
});

it("GUARD-2: what is neither text nor bytes nor a vector is no content, and nothing is written", async () => {
  const scene = await forgotten();
  const [text] = S_SAYS;
  const values = [[text], { said: text }, Object(text), new Map([["said", text]]), [0.5], new Float64Array(2), 7, null];
  for (const value of [...values, undefined, new DataView(new ArrayBuffer(8))]) {
    const error: unknown = await put(scene, [T], { text: value }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: "UsageError",
      code: "BAD_CONTENT",
      place: { surface: "episodes", field: "text" },
    });
    expect(JSON.stringify(error) + String(error)).not.toContain("accordion");
  }
  for (const content of [text, Object(text), [text], new Map([["text", text]]), Buffer.from(text), null, undefined])
    await expect(put(scene, [T], content)).rejects.toMatchObject({ name: "UsageError", code: "BAD_CONTENT" });
  expect([newRows(scene), scene.memory.held()]).toEqual([0, []]);
  await put(scene, [T], { text: T_SAYS[0], vector: new Float32Array(2), bytes: new Uint8Array(2) });
  expect(newRows(scene)).toBe(1);
});

it("GUARD-1 LINEAGE-7: a person of a type that the boundary does not declare is refused at the door, recorded or derived", async () => {
  const scene = await forgotten();
  const content = { text: "Something new that was never said before about anybody in this memory" };
  await expect(put(scene, [S], content)).rejects.toMatchObject(REFUSED);
  for (const subject of ["Account:s-4471", "banana:s-4471"]) {
    const given = { key: "d-1", subjects: [T, subject], sources: ["episodes/t1"], content };
    for (const write of [put(scene, [subject], content), scene.memory.derive("episodes", given, () => 0)]) {
      const error: unknown = await write.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        name: "UsageError",
        code: "IDENTIFIER_TYPE_UNKNOWN",
        cure: "use one of account, or add the type to identifiers",
      });
      expect(JSON.stringify(error) + String(error)).not.toContain("4471");
    }
  }
  expect([newRows(scene), scene.memory.engine.ledger.openIntents()]).toEqual([0, []]);
  await put(scene, [T], content);
  expect(newRows(scene)).toBe(1);
});
