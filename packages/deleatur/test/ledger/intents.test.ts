// Intents and the fence: announced, committed, refused; also by two processes at once.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { currentWriter, isKnownDead } from "../../src/ledger/process-identity.ts";
import { codeOf, newRequestId, refOf, temporaryLedger, writer } from "./temporary-ledger.ts";

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

const script = fileURLToPath(new URL("./racing-writer.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/ledger/open-ledger.js", import.meta.url));

interface Report {
  readonly committed: number;
  readonly refusedAt: string;
}

function race(file: string, name: string): { readonly ready: Promise<unknown>; readonly report: Promise<Report> } {
  const child = spawn(process.execPath, [script, file, name], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const report = once(child, "close").then((): Report => {
    const parsed: Report = JSON.parse(output.split("\n")[1] ?? "{}");
    return parsed;
  });
  return { ready: once(child.stdout, "data"), report };
}

test.skipIf(!existsSync(built) && process.env["CI"] === undefined)(
  "LINEAGE-6: nothing is committed after the fence while two processes write (needs the build)",
  async () => {
    const { ledger, file } = temporaryLedger({ busyTimeoutMs: 20_000 });
    const first = race(file, "a");
    const second = race(file, "b");
    await Promise.all([first.ready, second.ready]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const request = newRequestId();
    const atFence = ledger.transaction(() => {
      ledger.raiseFence(request, { identifiers: [person], refs: [] });
      return { artifacts: ledger.counts().artifacts, open: ledger.openIntents().length };
    });
    const reports = await Promise.all([first.report, second.report]);
    const committed = reports.reduce((sum, report) => sum + report.committed, 0);
    expect(committed).toBeGreaterThan(0);
    expect(reports.every(({ refusedAt }) => refusedAt !== "never")).toBe(true);
    expect(atFence.artifacts).toBe(committed);
    expect(ledger.counts().artifacts).toBe(committed);
    // An intent that the fence met open was refused at its commit and waits to be resolved.
    expect(ledger.openIntents()).toHaveLength(atFence.open);
    expect(reports.filter(({ refusedAt }) => refusedAt === "commit")).toHaveLength(atFence.open);
  },
);
