// The log: an RFC 6962 tree over canonical entries; every proof verifies, every cut or edit is noticed.
import { logRoot, parseCheckpoint, utf8, verifyConsistency, verifyInclusion, verifyNote } from "@deleatur/verify";
import { assert, integer, nat, property } from "fast-check";
import { describe, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { close, codeOf, tamper, temporaryLedger } from "./temporary-ledger.ts";

const boundaryId = "support-agent/test";

function appendMany(ledger: Ledger, count: number): void {
  ledger.transaction(() => {
    for (let at = 0; at < count; at += 1)
      ledger.append({ type: "run-started", at: `t${ledger.logSize()}`, run: "00", verb: "forget" });
  });
}

const UNLOCK = ["entries_stay", "entries_remain", "nodes_stay", "nodes_remain"]
  .map((name) => `DROP TRIGGER log_${name};`)
  .join("");

describe("LOG-1: the log", () => {
  test("has the root of the verifier's own tree and proofs that it accepts, at every size", () => {
    const { ledger } = temporaryLedger();
    appendMany(ledger, 70);
    const entries = ledger.logEntries().map(({ entry }) => utf8(entry));
    const leaf = (index: number): Uint8Array => logRoot(entries.slice(index, index + 1));
    for (let size = 0; size <= 70; size += 1) expect(ledger.logRoot(size)).toEqual(logRoot(entries.slice(0, size)));
    assert(
      property(integer({ min: 1, max: 70 }), nat(), nat(), (size, a, b) => {
        const index = a % size;
        const first = 1 + (b % size);
        const root = ledger.logRoot(size);
        const path = ledger.inclusionProof(index, size);
        expect(verifyInclusion(leaf(index), index, size, path, root)).toBe(true);
        const consistency = ledger.consistencyProof(first, size);
        expect(verifyConsistency(first, size, consistency, ledger.logRoot(first), root)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(codeOf(() => ledger.inclusionProof(70, 70))).toBe("NO_SUCH_LOG_SIZE");
    expect(codeOf(() => ledger.logRoot(71))).toBe("NO_SUCH_LOG_SIZE");
    expect(codeOf(() => ledger.logEntry(70))).toBe("NO_SUCH_LOG_ENTRY");
  });

  test("keeps canonical entries by index, and signs checkpoints that a verifier reads", () => {
    const { ledger, keys } = temporaryLedger({ boundaryId });
    expect(ledger.append({ type: "keys-exported", at: "2026-11-02T08:00:00Z" })).toBe(0);
    expect(ledger.logEntry(0).entry).toBe('{"at":"2026-11-02T08:00:00Z","type":"keys-exported"}');
    const verified = verifyNote(ledger.checkpoint(), [{ name: ledger.logOrigin(), publicKey: keys.publicKey }]);
    expect(verified.ok && parseCheckpoint(verified.text)).toEqual({
      origin: `deleatur/${boundaryId}`,
      size: 1,
      root: ledger.logRoot(),
    });
  });

  test("signs nothing before a boundary names it, and is named once", () => {
    const { ledger, reopen } = temporaryLedger();
    expect(codeOf(() => ledger.checkpoint())).toBe("NO_BOUNDARY");
    expect(ledger.recordBoundary("d1", JSON.stringify({ id: boundaryId }))).toBe(true);
    expect(ledger.recordBoundary("d1", JSON.stringify({ id: boundaryId }))).toBe(false);
    expect(ledger.recordBoundary("d2", JSON.stringify({ id: boundaryId }))).toBe(true);
    expect(ledger.boundaryVersions().map(({ version, digest }) => [version, digest])).toEqual([
      [1, "d1"],
      [2, "d2"],
    ]);
    expect(codeOf(() => ledger.recordBoundary("d3", JSON.stringify({ id: "another" })))).toBe("OTHER_BOUNDARY");
    expect(codeOf(() => reopen({ boundaryId: "another" }))).toBe("OTHER_BOUNDARY");
  });

  test("drops an entry with the transaction that it was appended in", () => {
    const { ledger } = temporaryLedger();
    appendMany(ledger, 3);
    expect(() =>
      ledger.transaction(() => {
        appendMany(ledger, 5);
        throw new Error("stop");
      }),
    ).toThrow("stop");
    expect(ledger.logSize()).toBe(3);
    expect(ledger.verifyLog()).toEqual({ ok: true });
  });

  test("refuses an update or a delete of its rows", () => {
    const { ledger, file } = temporaryLedger();
    appendMany(ledger, 3);
    tamper(file, (database) => {
      expect(() => database.exec("DELETE FROM log_entries")).toThrow("append-only");
      expect(() => database.exec("UPDATE log_entries SET entry = '{}'")).toThrow("append-only");
      expect(() => database.exec("DELETE FROM log_nodes")).toThrow("append-only");
    });
  });

  test.each([
    ["cut at its end", "DELETE FROM log_entries WHERE position >= 9"],
    [
      "cut and its inner hashes too",
      "DELETE FROM log_entries WHERE position >= 8; DELETE FROM log_nodes WHERE level > 3",
    ],
    ["emptied", "DELETE FROM log_entries; DELETE FROM log_nodes; DELETE FROM log_checkpoints"],
    ["emptied and its head removed", "DELETE FROM log_entries; DELETE FROM meta WHERE name = 'log-head'"],
    ["given another head", "UPDATE meta SET value = zeroblob(72) WHERE name = 'log-head'"],
    ["edited in its last entry", "UPDATE log_entries SET entry = '{}' WHERE position = 9"],
    ["edited in an inner hash", "UPDATE log_nodes SET hash = zeroblob(32) WHERE level = 3 AND position = 0"],
    ["given another checkpoint", "UPDATE log_checkpoints SET root = zeroblob(32)"],
  ])("is refused at the opening when it was %s", (_, sql) => {
    const { ledger, file, reopen } = temporaryLedger({ boundaryId });
    appendMany(ledger, 10);
    ledger.checkpoint();
    close(ledger);
    tamper(file, (database) => database.exec(UNLOCK + sql));
    expect(codeOf(() => reopen())).toBe("LOG_DAMAGED");
  });

  test.each([
    ["an early entry", "UPDATE log_entries SET entry = '{}' WHERE position = 2"],
    ["an early leaf and its entry", "UPDATE log_entries SET entry = '{}', leaf = zeroblob(32) WHERE position = 2"],
    ["an inner hash that no root needs", "UPDATE log_nodes SET hash = zeroblob(32) WHERE level = 1 AND position = 0"],
  ])("is found damaged by the full check when %s was edited", (_, sql) => {
    const { ledger, file, reopen } = temporaryLedger({ boundaryId });
    appendMany(ledger, 10);
    ledger.checkpoint();
    close(ledger);
    tamper(file, (database) => database.exec(UNLOCK + sql));
    expect(reopen().verifyLog().ok).toBe(false);
  });
});
