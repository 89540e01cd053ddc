// The claim of a running request is renewed by the clock: a ledger that somebody has locked at that moment ends neither the process nor the claim.
import Database from "better-sqlite3";
import { afterEach, expect, it, vi } from "vitest";
import { CLAIM_MS, keepClaims } from "../../src/forget/keep-claims.ts";
import { currentWriter } from "../../src/ledger/process-identity.ts";
import type { ProgressEvent } from "../../src/progress.ts";
import { newRequestId, temporaryLedger } from "../ledger/temporary-ledger.ts";

afterEach(() => {
  vi.useRealTimers();
});

const ELSEWHERE = { host: "another-host", pid: 12, started: "x" };

it("a renewal that finds the ledger locked is told, and the next one keeps the claim", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { ledger, file, setClock } = temporaryLedger({ busyTimeoutMs: 1 });
  const id = newRequestId();
  ledger.openRequest({
    id,
    target: "person",
    identifiers: [],
    refs: [],
    options: {},
    boundaryDigest: "d1",
    due: "2026-12-02",
  });
  ledger.claimRequest(id, currentWriter(), CLAIM_MS);
  const events: ProgressEvent[] = [];
  const letGo = keepClaims({ ledger, report: (event) => events.push(event) }, [id], currentWriter());
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  vi.advanceTimersByTime(CLAIM_MS / 3);
  expect(events).toEqual([{ request: id, step: "claim", phase: "progress" }]);
  other.exec("COMMIT");
  other.close();
  setClock("2026-11-02T08:00:20.000Z");
  vi.advanceTimersByTime(CLAIM_MS / 3);
  expect(events).toHaveLength(1);
  // It would have ended at the half minute.
  setClock("2026-11-02T08:00:40.000Z");
  expect(ledger.claimRequest(id, ELSEWHERE, CLAIM_MS)).toBe(false);
  letGo();
  vi.advanceTimersByTime(CLAIM_MS);
  setClock("2026-11-02T08:00:50.000Z");
  expect(ledger.claimRequest(id, ELSEWHERE, CLAIM_MS)).toBe(true);
});
