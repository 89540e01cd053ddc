// Two processes write, one write or a batch at a time, while a third forbids it: nothing that is forbidden is committed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { newRequestId, refOf, temporaryLedger } from "./temporary-ledger.ts";

const person = { type: "account", value: "42" };
const source = refOf("episodes", "e1");
const script = fileURLToPath(new URL("./racing-writer.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/ledger/open-ledger.js", import.meta.url));

interface Report {
  readonly committed: number;
  /** `begin`, `commit` or `never`. */
  readonly refusedAt: string;
  readonly code: string;
  /** Writes of one group. */
  readonly size: number;
}

function race(
  file: string,
  order: { readonly name: string; readonly size: number; readonly about: "person" | "source" },
): { readonly ready: Promise<unknown>; readonly report: Promise<Report> } {
  const child = spawn(process.execPath, [script, file, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
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

const sum = (some: readonly Report[], count: (report: Report) => number): number =>
  some.reduce((all, report) => all + count(report), 0);

const forbids: Readonly<Record<"FENCED" | "ERASED_SOURCE", (ledger: Ledger) => void>> = {
  FENCED: (ledger) => ledger.raiseFence(newRequestId(), { identifiers: [person], refs: [source] }),
  ERASED_SOURCE: (ledger) => ledger.markErased([source], newRequestId()),
};

test.skipIf(!existsSync(built) && process.env["CI"] === undefined).each([
  { what: "about a person who is fenced", about: "person", code: "FENCED" },
  { what: "from a source that is fenced", about: "source", code: "FENCED" },
  { what: "from a source that was erased", about: "source", code: "ERASED_SOURCE" },
] as const)(
  "LINEAGE-6: two processes commit nothing $what, one at a time or in batches (needs the build)",
  async ({ about, code }) => {
    const { ledger, file } = temporaryLedger({ busyTimeoutMs: 20_000 });
    const writers = [race(file, { name: "a", size: 1, about }), race(file, { name: "b", size: 20, about })];
    await Promise.all(writers.map(({ ready }) => ready));
    await sleep(300);
    const before = ledger.transaction(() => {
      forbids[code](ledger);
      return { artifacts: ledger.counts().artifacts, open: ledger.openIntents().length };
    });
    const reports = await Promise.all(writers.map(({ report }) => report));
    const committed = sum(reports, (report) => report.committed);
    expect(committed).toBeGreaterThan(0);
    expect(reports.map((report) => report.code)).toEqual([code, code]);
    expect([before.artifacts, ledger.counts().artifacts]).toEqual([committed, committed]);
    // An intent that was open then was refused at its commit and waits to be resolved.
    expect(ledger.openIntents()).toHaveLength(before.open);
    const late = reports.filter(({ refusedAt }) => refusedAt === "commit");
    expect(sum(late, ({ size }) => size)).toBe(before.open);
  },
);
