// Scratchpads and caches in process memory: leases, eviction orders and acknowledgements over several processes (LINEAGE-1, DESIGN §4).
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { makeExchangePair } from "../../src/ledger/exchange-seal.ts";
import { currentWriter } from "../../src/ledger/process-identity.ts";
import { surfaceId } from "../../src/model/ids.ts";
import { memoryOf } from "../../src/participate/process-memory.ts";
import { openPadScene, PATIENT_MS, startHolder } from "./participants.ts";
import { codes, expectErasure, S, S_SAYS, type Scene, T_SAYS } from "./scene.ts";

const OF_S = { key: "note-s", sources: ["episodes/s1"], text: `A note: ${S_SAYS[0]}` };
const OF_T = { key: "note-t", sources: ["episodes/t1"], text: `A note: ${T_SAYS[0]}` };

const forget = (scene: Scene): ReturnType<Scene["memory"]["forget"]> =>
  scene.memory.forget({ subject: [S], now: true });

it("LINEAGE-1: what a Map, a scratchpad and an LRU cache of three processes hold of a person is let go of, what is another's stays", async () => {
  const scene = await openPadScene();
  const holders = await Promise.all((["map", "pad", "lru"] as const).map((kind) => startHolder(scene, kind)));
  for (const holder of holders) {
    expect(await holder.ask("derive", OF_S)).toEqual({ has: true });
    await holder.ask("derive", { ...OF_T, key: `note-t-${holder.child.pid}` });
  }
  const outcome = await forget(scene);
  expectErasure(scene, outcome);
  expect(outcome.surfaces.find(({ surface }) => surface === "scratchpad")).toMatchObject({
    erased: 1,
    state: "covered",
  });
  for (const holder of holders) {
    expect(await holder.ask("has", { key: OF_S.key })).toEqual({ has: false });
    expect(await holder.ask("has", { key: `note-t-${holder.child.pid}` })).toEqual({ has: true });
    // The door of each process refuses what was erased.
    expect(await holder.ask("derive", { ...OF_S, key: "again", text: "a line" })).toEqual({ code: "ERASED_SOURCE" });
    expect(await holder.ask("derive", { ...OF_S, key: "again", sources: OF_T.sources })).toEqual({
      has: false,
      held: true,
    });
  }
});

it("LINEAGE-1: a forget that is killed while it asks, evicts or looks is simply run again, by whoever comes", async () => {
  const scene = await openPadScene();
  const holder = await startHolder(scene);
  await holder.ask("derive", OF_S);
  for (const place of [
    "survey/finished/scratchpad",
    "erase/progress/scratchpad",
    "epoch/started/scratchpad",
    // A canary stands here, in a participant of the process that dies.
    "probe key/progress/scratchpad",
  ]) {
    const forgetter = await startHolder(scene, "map", "killed", place);
    const gone = once(forgetter.child, "exit");
    forgetter.ask("forget", { key: S }).catch(() => undefined);
    expect((await gone)[1]).toBe("SIGKILL");
  }
  expectErasure(scene, await forget(scene));
  expect(await holder.ask("has", { key: OF_S.key })).toEqual({ has: false });
  expect(scene.memory.engine.ledger.participants()).toHaveLength(1);
  expect(scene.memory.engine.ledger.openIntents()).toEqual([]);
});

it("LINEAGE-1: a process that was killed in the midst of its lease has ended with its memory", async () => {
  const scene = await openPadScene();
  const [killed, alive] = [await startHolder(scene), await startHolder(scene)];
  for (const holder of [killed, alive]) await holder.ask("derive", OF_S);
  await killed.signal("SIGKILL");
  expectErasure(scene, await forget(scene));
  expect(await alive.ask("has", { key: OF_S.key })).toEqual({ has: false });
  expect(scene.memory.engine.ledger.participants("scratchpad")).toHaveLength(1);
});

it("LINEAGE-1: where every process has left or died, nothing is left in memory, and the eyes are still shown to see", async () => {
  const scene = await openPadScene();
  const [killed, left] = [await startHolder(scene), await startHolder(scene)];
  for (const holder of [killed, left]) await holder.ask("derive", OF_S);
  await killed.signal("SIGKILL");
  expect(await left.ask("leave")).toEqual({ has: false });
  expect(scene.memory.engine.ledger.participants("scratchpad")).toEqual([]);
  expectErasure(scene, await forget(scene));
  expect(scene.memory.engine.ledger.participants("scratchpad")).toEqual([]);
});

it("LINEAGE-1: a process that is stopped beyond its lease is waited for, and lets go when it runs on", async () => {
  const scene = await openPadScene(600);
  const [stopped, other] = [await startHolder(scene), await startHolder(scene)];
  for (const holder of [stopped, other]) await holder.ask("derive", OF_S);
  await stopped.signal("SIGSTOP");
  const waiting = await forget(scene);
  expect([waiting.state, waiting.why, waiting.verdict, waiting.exitCode]).toEqual(["waiting", "lease", undefined, 22]);
  expect(waiting.receipt).toBeUndefined();
  await sleep(700);
  // Its lease has run out by now; it is not gone for that.
  const still = await scene.memory.resume(waiting.request, { now: true });
  expect([still.state, still.why, still.until, still.verdict]).toEqual(["waiting", "lease", undefined, undefined]);
  await stopped.signal("SIGCONT");
  // Woken, it finds out by itself what is being forgotten, before anybody asks it again.
  for (let tries = 0; (await stopped.ask("has", { key: OF_S.key })).has === true; tries += 1) {
    expect(tries).toBeLessThan(100);
    await sleep(20);
  }
  await scene.reopen({ answerMs: PATIENT_MS });
  expectErasure(scene, await scene.memory.resume(waiting.request, { now: true }));
  expect(await other.ask("has", { key: OF_S.key })).toEqual({ has: false });
});

it.each(["throws", "lies"] as const)(
  "LINEAGE-1 CLAIM-1: a process whose evict %s keeps a survivor: its word is no evidence, its fresh listing is",
  async (behaviour) => {
    const scene = await openPadScene();
    const holder = await startHolder(scene, "map", behaviour);
    await holder.ask("derive", OF_S);
    const outcome = await forget(scene);
    expect([outcome.verdict, outcome.attestation.kind, outcome.exitCode]).toEqual(["PARTIAL", "withheld", 20]);
    expect(codes(outcome)).toContain("SURVIVOR_FOUND");
    expect(outcome.survivors.map(({ surface, key }) => [surface, key])).toEqual([["scratchpad", OF_S.key]]);
    expect(outcome.surfaces.find(({ surface }) => surface === "scratchpad")).toMatchObject({ failed: 1 });
    // It dies, and the request goes on where it stood.
    await holder.signal("SIGKILL");
    expectErasure(scene, await scene.memory.resume(outcome.request, { now: true }));
  },
);

it.each(["hides", "bare"] as const)(
  "LINEAGE-1 VERDICT-4: a process that shows nothing (%s) and no canary either is not seen: UNCONFIRMED",
  async (behaviour) => {
    const scene = await openPadScene();
    const holder = await startHolder(scene, "map", behaviour);
    if (behaviour === "hides") await holder.ask("derive", OF_S);
    const outcome = await forget(scene);
    expect([outcome.verdict, outcome.exitCode]).toEqual(["UNCONFIRMED", 21]);
    expect(outcome.reasons.map(({ code, surface }) => [code, surface])).toContainEqual(["BLIND_PROBE", "scratchpad"]);
  },
);

it("LINEAGE-1 VERDICT-4: a surface in which no process ever took part is out of reach, not clean", async () => {
  const scene = await openPadScene();
  const check = await scene.memory.check();
  expect(check.best.attestation).not.toBe("erasure");
  const outcome = await forget(scene);
  expect([outcome.verdict, outcome.exitCode]).toEqual(["PARTIAL", 20]);
  expect(outcome.reasons.map(({ code, surface }) => [code, surface])).toContainEqual(["UNREACHABLE", "scratchpad"]);
  expect(outcome.attestation).toMatchObject({ kind: "withheld", code: "DOMAIN_NOT_COVERED" });
});

it("LINEAGE-1: of a process on another host nothing is known when it is silent: waited for, whatever its lease says", async () => {
  const scene = await openPadScene(600);
  const holder = await startHolder(scene);
  await holder.ask("derive", OF_S);
  const { ledger } = scene.memory.engine;
  ledger.joinParticipant({
    surface: "scratchpad",
    purpose: "memory",
    exchange: makeExchangePair().publicKey,
    process: { ...currentWriter(), host: "elsewhere/pid:[1]" },
    leaseMs: 300,
  });
  const early = await forget(scene);
  expect([early.state, early.why, early.verdict]).toEqual(["waiting", "lease", undefined]);
  await sleep(400);
  const late = await scene.memory.resume(early.request, { now: true });
  expect([late.state, late.until, late.verdict]).toEqual(["waiting", undefined, undefined]);
  expect(ledger.participants("scratchpad")).toHaveLength(2);
});

it("LINEAGE-1 LINEAGE-6: a process that joins with erased content in its memory lets go of it before it serves", async () => {
  const scene = await openPadScene();
  await startHolder(scene);
  expectErasure(scene, await forget(scene));
  const preloaded = await startHolder(scene, "map", "preloaded", S_SAYS[1]);
  expect(preloaded.first).toEqual({ ready: true });
  expect(await preloaded.ask("has", { key: "old" })).toEqual({ has: false });
  const others = await startHolder(scene, "map", "preloaded", T_SAYS[1]);
  expect(await others.ask("has", { key: "old" })).toEqual({ has: true });
});

it("LINEAGE-1: a process that joins while a request waits is asked as well", async () => {
  const scene = await openPadScene(600);
  const stopped = await startHolder(scene);
  await stopped.ask("derive", OF_S);
  await stopped.signal("SIGSTOP");
  const waiting = await forget(scene);
  expect(waiting.state).toBe("waiting");
  const newcomer = await startHolder(scene, "pad");
  expect(await newcomer.ask("derive", OF_S)).toEqual({ code: "FENCED" });
  await newcomer.ask("sneak", { key: OF_S.key, text: OF_S.text });
  await stopped.signal("SIGKILL");
  await scene.reopen({ answerMs: PATIENT_MS });
  expectErasure(scene, await scene.memory.resume(waiting.request, { now: true }));
  expect(await newcomer.ask("has", { key: OF_S.key })).toEqual({ has: false });
});

it("LINEAGE-1 LINEAGE-3: what went into a memory past the SDK is found by the probes", async () => {
  const scene = await openPadScene();
  const holder = await startHolder(scene);
  await holder.ask("sneak", { key: "stray", text: OF_S.text });
  const outcome = await forget(scene);
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(outcome.survivors.map(({ key, provenance }) => [key, provenance])).toEqual([["stray", "outside"]]);
});

it("LINEAGE-1: the process that forgets may hold memory itself; who holds it without taking part may not write", async () => {
  const scene = await openPadScene();
  const cache = new Map<string, string>();
  const write = { ...OF_S, content: { text: OF_S.text } };
  const derive = (): Promise<unknown> =>
    scene.memory.derive("scratchpad", write, () => cache.set(write.key, write.text));
  await expect(derive()).rejects.toMatchObject({ code: "NOT_TAKING_PART" });
  const memory = memoryOf(
    cache,
    (text) => ({ content: { text } }),
    (text) => text,
  );
  const participant = await scene.memory.participate("scratchpad", memory, { pollMs: 10 });
  await expect(scene.memory.participate("scratchpad", memory)).rejects.toMatchObject({ code: "ALREADY_TAKING_PART" });
  await expect(scene.memory.participate("episodes", memory)).rejects.toMatchObject({ code: "NOT_IN_PROCESS" });
  await derive();
  expectErasure(scene, await forget(scene));
  expect(cache.size).toBe(0);
  cache.set("later", T_SAYS[0]);
  await participant.close();
  expect(cache.size).toBe(0);
  expect(scene.memory.engine.ledger.participants()).toEqual([]);
});

it("LINEAGE-1: a participation that is closed outlives the writes that are open, so no text stands in memory under no lease", async () => {
  const scene = await openPadScene();
  const { ledger } = scene.memory.engine;
  const cache = new Map<string, string>();
  const memory = memoryOf(cache, (text) => ({ content: { text } }));
  const participant = await scene.memory.participate("scratchpad", memory, { pollMs: 10 });
  const gate = new AbortController();
  const derive = (key: string): Promise<unknown> =>
    scene.memory.derive("scratchpad", { ...OF_S, key, content: { text: OF_S.text } }, async () => {
      await once(gate.signal, "abort");
      cache.set(key, OF_S.text);
    });
  const writing = derive("pending");
  const closing = participant.close();
  await sleep(100);
  expect(ledger.participants("scratchpad")).toHaveLength(1);
  await expect(derive("late")).rejects.toMatchObject({ code: "NOT_TAKING_PART" });
  gate.abort();
  await Promise.all([writing, closing]);
  expect([...cache.keys()]).toEqual([]);
  expect(ledger.participants("scratchpad")).toEqual([]);
  expectErasure(scene, await forget(scene));
});

it("PRIVACY-1: a listing larger than may wait in the ledger comes through whole, and the ledger never has a word of it in clear", async () => {
  const scene = await openPadScene();
  const { ledger } = scene.memory.engine;
  const cache = new Map<string, string>();
  for (let index = 0; index < 1_700; index += 1) cache.set(`entry-${index}`, `${index} ${"accordion ".repeat(300)}`);
  const memory = memoryOf(cache, (text) => ({ content: { text } }));
  const participant = await scene.memory.participate("scratchpad", memory, { pollMs: 10 });
  const surface = await scene.memory.engine.open(surfaceId("scratchpad"));
  let seen = 0;
  for await (const { key, content } of surface.scan(new AbortController().signal)) {
    const [field] = content;
    if (field?.type === "text" && field.text === cache.get(key)) seen += 1;
  }
  expect(seen).toBe(cache.size);
  const bytes = [ledger.file, `${ledger.file}-wal`].map((file) =>
    existsSync(file) ? readFileSync(file) : Buffer.alloc(0),
  );
  expect(Buffer.concat(bytes).includes("accordion")).toBe(false);
  await participant.close();
});

it("VERDICT-4: a cache says when its entries end, and one that says what is no date is not seen", async () => {
  const scene = await openPadScene();
  const { clock } = scene.memory.engine;
  const soon = new Date(clock().getTime() + 60_000);
  const cache = new Map<string, { readonly text: string; readonly expires: Date | undefined }>([
    ["soon", { text: T_SAYS[0], expires: soon }],
    ["never", { text: T_SAYS[1], expires: undefined }],
  ]);
  const memory = memoryOf(
    cache,
    ({ text, expires }) => ({
      sources: OF_T.sources,
      content: { text },
      ...(expires === undefined ? {} : { expires }),
    }),
    (text) => ({ text, expires: undefined }),
  );
  const participant = await scene.memory.participate("scratchpad", memory, { pollMs: 10 });
  const surface = await scene.memory.engine.open(surfaceId("scratchpad"));
  const { signal } = new AbortController();
  const read: [string, Date | undefined][] = [];
  for await (const { key, expires } of surface.scan(signal)) read.push([key, expires]);
  expect(read).toEqual([
    ["never", undefined],
    ["soon", soon],
  ]);
  cache.delete("never");
  expectErasure(scene, await forget(scene));
  cache.set("broken", { text: T_SAYS[1], expires: new Date(Number.NaN) });
  const scanning = async (): Promise<void> => {
    for await (const { key } of surface.scan(signal)) read.push([key, undefined]);
  };
  await expect(scanning()).rejects.toMatchObject({ code: "PARTICIPANT_BLIND" });
  cache.delete("broken");
  await participant.close();
});

it("LINEAGE-7 VERDICT-4: an entry about a person of a type that the boundary does not declare is not seen, at the join and at a listing", async () => {
  const scene = await openPadScene();
  const [subject] = S.split(":").slice(1);
  const cache = new Map([["note", { text: "Nothing that was ever said in this memory before", type: "nickname" }]]);
  const memory = memoryOf(
    cache,
    ({ text, type }) => ({ subjects: [`${type}:${subject}`], content: { text } }),
    (text) => ({ text, type: "account" }),
  );
  const join = (): ReturnType<Scene["memory"]["participate"]> =>
    scene.memory.participate("scratchpad", memory, { pollMs: 10 });
  await expect(join()).rejects.toMatchObject({ code: "PARTICIPANT_BLIND" });
  const outcome = await forget(scene);
  expect(outcome.verdict).not.toBe("COMPLIANT");
  expect(outcome.attestation.kind).not.toBe("erasure");
  // Without it the memory is seen again, and may be left.
  cache.clear();
});
