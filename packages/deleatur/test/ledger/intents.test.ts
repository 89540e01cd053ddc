// Intents and the fence: announced, committed, refused; one and in groups.
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { currentWriter, hostOf, isKnownDead, type Surroundings } from "../../src/ledger/process-identity.ts";
import { codeOf, newRequestId, refOf, tamper, temporaryLedger, writer } from "./temporary-ledger.ts";

const person = { type: "account", value: "42" };
const bystander = { type: "account", value: "421" };
const source = refOf("episodes", "e1");
const ref = refOf("summaries", "s1");
const order = { ref, subjects: [person], sources: [source], leaseMs: 1000 };

describe("an intent", () => {
  test("becomes an artifact with its edges at the commit, and not before", () => {
    const { ledger } = temporaryLedger();
    const ids = ledger.beginIntents([order], writer);
    expect(ledger.artifact(ref)).toBeUndefined();
    expect(ledger.openIntents()).toMatchObject([{ id: ids[0], ref, sources: [source], subjects: [person], writer }]);
    ledger.commitIntents(ids);
    expect(ledger.openIntents()).toEqual([]);
    expect(ledger.sourcesOf(ref)).toMatchObject([{ ref: source, origin: "recorded" }]);
  });

  test("LINEAGE-6: is refused about a fenced person, on a fenced key and from a fenced source", () => {
    const { ledger } = temporaryLedger();
    const request = newRequestId();
    ledger.raiseFence(request, { identifiers: [person], refs: [source] });
    const refusals = [
      { ref: refOf("notes", "n1"), subjects: [person], sources: [], leaseMs: 1 },
      { ref: source, subjects: [], sources: [], leaseMs: 1 },
      { ref, subjects: [bystander], sources: [source], leaseMs: 1 },
    ];
    for (const refused of refusals) expect(codeOf(() => ledger.beginIntents([refused], writer))).toBe("FENCED");
    expect(ledger.openIntents()).toEqual([]);
    expect(ledger.beginIntents([{ ...order, subjects: [bystander], sources: [] }], writer)).toHaveLength(1);
    ledger.lowerFence(request);
    expect(ledger.beginIntents([order], writer)).toHaveLength(1);
  });

  test("LINEAGE-6: that began before the erasure is refused at its commit, and stays open to be resolved", () => {
    const { ledger } = temporaryLedger();
    const ids = ledger.beginIntents([order], writer);
    const request = newRequestId();
    ledger.raiseFence(request, { identifiers: [], refs: [] });
    ledger.extendFence(request, [source]);
    expect(codeOf(() => ledger.commitIntents(ids))).toBe("FENCED");
    expect(ledger.openIntents()).toHaveLength(1);
    expect(ledger.artifact(ref)).toBeUndefined();
  });

  test("LINEAGE-6: is refused from an erased source, also when the fence is down again", () => {
    const { ledger } = temporaryLedger();
    const ids = ledger.beginIntents([order], writer);
    ledger.markErased([source], newRequestId());
    expect(codeOf(() => ledger.commitIntents(ids))).toBe("ERASED_SOURCE");
    expect(codeOf(() => ledger.beginIntents([order], writer))).toBe("ERASED_SOURCE");
  });

  test("is refused at its commit once it was resolved, for the writer may be late by any time", () => {
    const { ledger } = temporaryLedger();
    const [first = "", second = "", third = ""] = ledger.beginIntents(
      ["a", "b", "c"].map((key) => ({ ...order, ref: refOf("summaries", key) })),
      writer,
    );
    ledger.resolveIntents([
      { id: first, how: "aborted" },
      { id: second, how: "joined" },
      { id: third, how: "unresolved" },
    ]);
    for (const id of [first, second, third]) expect(codeOf(() => ledger.commitIntents([id]))).toBe("FENCED");
    expect(ledger.artifact(refOf("summaries", "a"))).toBeUndefined();
    expect(ledger.artifact(refOf("summaries", "b"))?.state).toBe("live");
    expect(ledger.openIntents().map(({ id, state }) => [id, state])).toEqual([[third, "unresolved"]]);
  });

  test("does not end by time", () => {
    const { ledger, setClock } = temporaryLedger();
    const ids = ledger.beginIntents([order], writer);
    setClock("2027-01-01T00:00:00Z");
    expect(ledger.openIntents()).toHaveLength(1);
    ledger.commitIntents(ids);
    expect(ledger.artifact(ref)?.state).toBe("live");
  });

  test("of a batch leaves nothing when one of the batch is refused", () => {
    const { ledger } = temporaryLedger();
    ledger.raiseFence(newRequestId(), { identifiers: [person], refs: [] });
    const batch = [{ ...order, subjects: [bystander], sources: [] }, order];
    expect(codeOf(() => ledger.beginIntents(batch, writer))).toBe("FENCED");
    expect(ledger.openIntents()).toEqual([]);
  });

  test("names neither key nor identifier in a refusal", () => {
    const { ledger } = temporaryLedger();
    const secret = { ref: refOf("notes", "sensitive-key"), subjects: [{ type: "email", value: "x@example.org" }] };
    ledger.raiseFence(newRequestId(), { identifiers: secret.subjects, refs: [] });
    let message = "";
    try {
      ledger.beginIntents([{ ...secret, sources: [], leaseMs: 1 }], writer);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain("notes");
    expect(message).not.toMatch(/sensitive-key|example/);
  });
});

describe("a group of intents", () => {
  const batch = ["a", "b", "c"].map((key) => ({ ...order, subjects: [bystander], ref: refOf("summaries", key) }));

  test("is committed together, in parts, and ends with its last", () => {
    const { ledger } = temporaryLedger();
    const [first = "", second = "", third = ""] = ledger.beginIntents(batch, writer);
    ledger.commitIntents([second]);
    expect(ledger.openIntents().map(({ id }) => id)).toEqual([first, third]);
    expect(codeOf(() => ledger.commitIntents([first, second]))).toBe("FENCED");
    expect(ledger.artifact(refOf("summaries", "a"))).toBeUndefined();
    ledger.commitIntents([third, first]);
    expect(ledger.openIntents()).toEqual([]);
    expect(ledger.counts()).toMatchObject({ artifacts: 3, derivations: 3 });
  });

  test("is committed by another process's ledger as by its own, from what is sealed", () => {
    const { ledger, reopen } = temporaryLedger();
    const contentDigest = new Uint8Array(32).fill(9);
    const ids = ledger.beginIntents(
      batch.map((one) => ({ ...one, contentDigest })),
      writer,
    );
    const again = reopen();
    expect(again.openIntents()).toMatchObject(batch.map(({ ref: at }) => ({ ref: at, contentDigest })));
    again.commitIntents(ids);
    again.markErased([refOf("summaries", "c")], newRequestId());
    expect(again.wasErasedWith(refOf("summaries", "c"), contentDigest)).toBe(true);
  });

  test("LINEAGE-6: is refused as a whole for one erased source or one fenced person, at its begin and at its commit", () => {
    const { ledger } = temporaryLedger();
    const other = refOf("episodes", "e2");
    const mixed = [...batch, { ...order, subjects: [], ref: refOf("summaries", "d"), sources: [other] }];
    const ids = ledger.beginIntents(mixed, writer);
    // Never recorded, only named: its erasure counts all the same.
    ledger.markErased([other], newRequestId());
    expect(codeOf(() => ledger.commitIntents(ids))).toBe("ERASED_SOURCE");
    expect(ledger.counts().artifacts).toBe(0);
    expect(ledger.openIntents()).toHaveLength(4);
    expect(codeOf(() => ledger.beginIntents(mixed, writer))).toBe("ERASED_SOURCE");
    const request = newRequestId();
    const more = ledger.beginIntents(batch, writer);
    ledger.raiseFence(request, { identifiers: [bystander], refs: [] });
    expect(codeOf(() => ledger.commitIntents(more))).toBe("FENCED");
    ledger.lowerFence(request);
    ledger.commitIntents(more);
    expect(ledger.counts().artifacts).toBe(3);
  });

  test("keeps nothing sealed of a write that has ended before the others", () => {
    const { ledger, file } = temporaryLedger();
    const [first = ""] = ledger.beginIntents(batch, writer);
    const sealed = (): number => {
      let length = 0;
      tamper(file, (database) => {
        length = Number(database.prepare("SELECT length(sealed) FROM intents").pluck().get());
      });
      return length;
    };
    const before = sealed();
    ledger.abortIntents([first]);
    expect(sealed()).toBeLessThan(before);
    expect(ledger.openIntents().map(({ ref: at }) => at.key)).toEqual(["b", "c"]);
  });

  test("meets an artifact that another process entered between its begin and its commit", () => {
    const { ledger } = temporaryLedger();
    const ids = ledger.beginIntents(batch, writer);
    const tag = new Uint8Array(32).fill(1);
    ledger.recordArtifacts([
      { ref: source, subjects: [person], sources: [], origin: "inferred" },
      { ref: refOf("summaries", "b"), subjects: [person], sources: [], contentDigest: tag, origin: "declared" },
    ]);
    ledger.commitIntents(ids);
    expect(ledger.counts()).toMatchObject({ artifacts: 4, derivations: 3 });
    expect(ledger.artifact(refOf("summaries", "b"))?.knownBy).toBe("recorded");
    expect(ledger.subjectsOf(refOf("summaries", "b"))).toHaveLength(2);
    expect(ledger.artifact(source)?.knownBy).toBe("inferred");
  });

  test("is committed again after a commit that failed, with nothing of the first", () => {
    const { ledger } = temporaryLedger();
    const ids = ledger.beginIntents(batch, writer);
    expect(() =>
      ledger.transaction(() => {
        ledger.commitIntents(ids);
        throw new Error("after it");
      }),
    ).toThrow("after it");
    expect(ledger.counts().artifacts).toBe(0);
    expect(ledger.openIntents()).toHaveLength(3);
    ledger.commitIntents(ids);
    expect(ledger.counts()).toMatchObject({ artifacts: 3, derivations: 3 });
  });
});

test("a writer is known dead only where it is known", () => {
  const here = currentWriter();
  expect(isKnownDead(here)).toBe(false);
  expect(isKnownDead({ ...here, host: "elsewhere", pid: 1 })).toBe(false);
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  expect(isKnownDead({ ...here, pid })).toBe(true);
});

test.skipIf(process.platform !== "linux")("a process id that was used again is not its former writer", () => {
  expect(isKnownDead({ ...currentWriter(), started: "another-boot/1" })).toBe(true);
});

test("two that cannot see each other's processes have no host in common, whatever an image gave both; one machine keeps its own over a restart", () => {
  const machine: Surroundings = { name: "agent", machine: "a1", boot: "b1", namespace: "pid:[4026531836]" };
  const container: Surroundings = { ...machine, namespace: "pid:[4026532001]" };
  expect(hostOf({ ...machine, boot: "b2" })).toBe(hostOf(machine));
  expect(hostOf({ ...container, machine: "a2" })).toBe(hostOf(container));
  for (const other of [
    { ...machine, machine: "a2" },
    { ...machine, machine: "", boot: "b2" },
    { ...machine, name: "agent-2" },
    container,
    { ...container, boot: "b2" },
    { ...container, namespace: "pid:[4026532002]" },
  ])
    for (const here of [machine, { ...machine, machine: "" }, container])
      expect(hostOf(other) === hostOf(here)).toBe(other === here);
  // A process of an equal container elsewhere has a number that is nobody's here.
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const here = { ...currentWriter(), host: hostOf(container) };
  expect(isKnownDead({ ...here, pid }, here)).toBe(true);
  expect(isKnownDead({ ...here, host: hostOf({ ...container, boot: "b2" }), pid }, here)).toBe(false);
});
