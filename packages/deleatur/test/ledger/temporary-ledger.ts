// Real ledgers in temporary directories for tests, with a clock that stands where a test puts it.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach } from "vitest";
import type { LedgerKeys } from "../../src/ledger/keys.ts";
import type { Ledger, LedgerOptions, Writer } from "../../src/ledger/ledger.ts";
import { openKeys } from "../../src/ledger/open-keys.ts";
import { openLedger } from "../../src/ledger/open-ledger.ts";
import { artifactKey, requestId, surfaceId, type ArtifactRef, type RequestId } from "../../src/model/ids.ts";

export const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));
export const newRequestId = (): RequestId => requestId(randomBytes(16).toString("hex"));
export const refOf = (surface: string, key: string): ArtifactRef => ({
  surface: surfaceId(surface),
  key: artifactKey(key),
});
export const writer: Writer = { host: "here", pid: 1, started: "at the start" };

const open = new Set<Ledger>();
const directories: string[] = [];

afterEach(() => {
  for (const ledger of open) ledger.close();
  open.clear();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "deleatur-ledger-"));
  directories.push(directory);
  return directory;
}

export interface TestLedger {
  readonly ledger: Ledger;
  readonly file: string;
  readonly directory: string;
  readonly keys: LedgerKeys;
  readonly setClock: (at: string) => void;
  /** Closes it and opens the same file again. */
  readonly reopen: (options?: Partial<LedgerOptions>) => Ledger;
}

export function temporaryLedger(options: Partial<LedgerOptions> = {}): TestLedger {
  const directory = temporaryDirectory();
  const file = options.file ?? join(directory, "ledger.db");
  let at = new Date("2026-11-02T08:00:00.000Z");
  const openAgain = (more: Partial<LedgerOptions> = {}): Ledger => {
    const keys = more.keys ?? openKeys({ file, environment: {}, random });
    const ledger = openLedger({ file, keys, clock: () => at, random, ...options, ...more });
    open.add(ledger);
    return ledger;
  };
  const ledger = openAgain();
  return {
    ledger,
    file,
    directory,
    keys: ledger.keys,
    setClock(text) {
      at = new Date(text);
    },
    reopen(more) {
      for (const old of open) if (old.file === file) close(old);
      return openAgain(more);
    },
  };
}

export function close(ledger: Ledger): void {
  ledger.close();
  open.delete(ledger);
}

/** Acts on the file behind the ledger's back. */
export function tamper(file: string, act: (database: Database.Database) => void): void {
  const database = new Database(file);
  try {
    act(database);
  } finally {
    database.close();
  }
}

/** Every byte that stands beside the ledger but in its key store: database, write-ahead log, shared memory, drafts. */
export function bytesOnDisk(directory: string): Buffer {
  return Buffer.concat(
    readdirSync(directory)
      .map((name) => join(directory, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path)),
  );
}

/** The code of the error that an act throws. */
export function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
  return "nothing was thrown";
}
