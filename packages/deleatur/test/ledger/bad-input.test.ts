// What can be wrong with the file itself: each a LedgerError of its own code, and nothing half done.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { createOutbox } from "../../src/ledger/anchor-outbox.ts";
import { connect } from "../../src/ledger/connection.ts";
import { createDigests } from "../../src/ledger/digests.ts";
import { createLineage } from "../../src/ledger/lineage.ts";
import { openKeys } from "../../src/ledger/open-keys.ts";
import { openLedger } from "../../src/ledger/open-ledger.ts";
import {
  close,
  codeOf,
  newRequestId,
  random,
  refOf,
  tamper,
  temporaryDirectory,
  temporaryLedger,
} from "./temporary-ledger.ts";

const clock = (): Date => new Date("2026-11-02T08:00:00Z");

function keysFor(directory: string): ReturnType<typeof openKeys> {
  return openKeys({ file: join(directory, "spare.db"), environment: {}, random });
}

function openFile(file: string, directory: string, readonly = false): () => unknown {
  const keys = keysFor(directory);
  return () => openLedger({ file, keys, clock, random, readonly });
}

describe("a ledger's file", () => {
  test("that is missing is not made by a reader", () => {
    const directory = temporaryDirectory();
    expect(codeOf(openFile(join(directory, "none.db"), directory, true))).toBe("LEDGER_MISSING");
  });

  test("in a folder that does not exist, or that is a folder, cannot be opened", () => {
    const directory = temporaryDirectory();
    expect(codeOf(openFile(join(directory, "no", "l.db"), directory))).toBe("LEDGER_UNREADABLE");
    mkdirSync(join(directory, "folder"));
    expect(codeOf(openFile(join(directory, "folder"), directory))).toBe("LEDGER_UNREADABLE");
  });

  test("that is no database, or another program's, is refused and left as it is", () => {
    const directory = temporaryDirectory();
    const text = join(directory, "text.db");
    writeFileSync(text, "this is not a database ".repeat(400));
    expect(codeOf(openFile(text, directory))).toBe("NOT_A_LEDGER");
    const foreign = join(directory, "foreign.db");
    tamper(foreign, (database) => database.exec("CREATE TABLE episodes (id TEXT)"));
    const before = readFileSync(foreign);
    expect(codeOf(openFile(foreign, directory))).toBe("NOT_A_LEDGER");
    expect(readFileSync(foreign).equals(before)).toBe(true);
  });

  test("with damaged pages is a LedgerError, whatever is read", () => {
    const { ledger, file, keys } = temporaryLedger();
    ledger.recordArtifacts(
      Array.from({ length: 300 }, (_, at) => ({
        ref: refOf("a", `k${at}`),
        subjects: [],
        sources: [refOf("a", "s")],
        origin: "recorded" as const,
      })),
    );
    close(ledger);
    const bytes = readFileSync(file);
    randomBytes(bytes.length - 4096).copy(bytes, 4096);
    writeFileSync(file, bytes);
    expect(codeOf(() => openLedger({ file, keys, clock, random }))).toMatch(/^(LEDGER_DAMAGED|LOG_DAMAGED|KEY_WRONG)$/);
  });

  test("that was truncated is a LedgerError", () => {
    const { ledger, file, keys } = temporaryLedger();
    close(ledger);
    writeFileSync(file, readFileSync(file).subarray(0, 8192));
    expect(codeOf(() => openLedger({ file, keys, clock, random }))).toMatch(/^(LEDGER_DAMAGED|LOG_DAMAGED|KEY_WRONG)$/);
  });

  test("with a newer schema than this program knows is refused", () => {
    const { ledger, file, reopen } = temporaryLedger();
    close(ledger);
    tamper(file, (database) => database.pragma("user_version = 99"));
    expect(codeOf(() => reopen())).toBe("LEDGER_NEWER");
  });

  test("locked by another process is LEDGER_LOCKED with a cure, and works when it is free", () => {
    const { ledger, file } = temporaryLedger({ busyTimeoutMs: 30 });
    const other = new Database(file);
    other.exec("BEGIN IMMEDIATE");
    expect(codeOf(() => ledger.append({ type: "keys-exported", at: "now" }))).toBe("LEDGER_LOCKED");
    other.exec("ROLLBACK");
    other.close();
    expect(ledger.append({ type: "keys-exported", at: "now" })).toBe(0);
  });

  test("is read but not written by a reader", () => {
    const { ledger, reopen } = temporaryLedger();
    ledger.recordArtifacts([{ ref: refOf("a", "1"), subjects: [], sources: [], origin: "recorded" }]);
    const reader = reopen({ readonly: true });
    expect(reader.counts().artifacts).toBe(1);
    expect(reader.closure([refOf("a", "1")])).toHaveLength(1);
    expect(codeOf(() => reader.append({ type: "keys-exported", at: "now" }))).toBe("LEDGER_READONLY");
  });

  test("on a full disk is LEDGER_FULL, the transaction leaves nothing, and it goes on when there is space", () => {
    const { ledger, file, keys } = temporaryLedger();
    close(ledger);
    const connection = connect(file, { readonly: false, busyTimeoutMs: 100 });
    const lineage = createLineage({
      connection,
      keys,
      digests: createDigests(keys),
      outbox: createOutbox(connection),
      clock,
      random,
    });
    const list = Array.from({ length: 2000 }, (_, at) => ({
      ref: refOf("a", `k${at}`),
      subjects: [],
      sources: [],
      origin: "recorded" as const,
    }));
    connection.pragma("max_page_count = 60");
    expect(codeOf(() => lineage.recordArtifacts(list))).toBe("LEDGER_FULL");
    expect(lineage.counts().artifacts).toBe(0);
    connection.pragma("max_page_count = 100000");
    lineage.recordArtifacts(list);
    expect(lineage.counts().artifacts).toBe(2000);
    connection.close();
  });

  test("that was closed says so", () => {
    const { ledger } = temporaryLedger();
    close(ledger);
    expect(codeOf(() => ledger.counts())).toBe("LEDGER_CLOSED");
  });

  test("whose making was cut off before its first commit is made again with the same keys", () => {
    const { ledger, file, reopen, keys } = temporaryLedger();
    close(ledger);
    rmSync(file);
    tamper(file, (database) => database.pragma("journal_mode = WAL"));
    expect(reopen().keys.publicKeyPem()).toBe(keys.publicKeyPem());
  });
});

describe("a transaction", () => {
  test("joins the outer one, and a refused part leaves nothing behind", () => {
    const { ledger } = temporaryLedger();
    const request = newRequestId();
    ledger.transaction(() => {
      ledger.recordArtifacts([{ ref: refOf("a", "1"), subjects: [], sources: [], origin: "recorded" }]);
      expect(() =>
        ledger.transaction(() => {
          ledger.markErased([refOf("a", "1")], request);
          throw new Error("part");
        }),
      ).toThrow("part");
    });
    expect(ledger.artifact(refOf("a", "1"))?.state).toBe("live");
  });

  test("does not take a promise, whose work would fall outside of it", () => {
    const { ledger } = temporaryLedger();
    expect(codeOf(() => void ledger.transaction(() => Promise.resolve(1)))).toBe("ASYNC_TRANSACTION");
  });
});
