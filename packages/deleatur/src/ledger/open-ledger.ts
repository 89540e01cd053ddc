// Opens the ledger's file: schema, keys and log are checked before anything is read or written. It must not create a ledger over a missing key.
import { chmodSync, existsSync, statSync } from "node:fs";
import { LedgerError } from "../model/errors.ts";
import { equalBytes, utf8 } from "@deleatur/verify";
import { createAnchor, type OpenedAnchor } from "./anchor.ts";
import { createOutbox } from "./anchor-outbox.ts";
import { claimBoundaryId, createBoundaryVersions } from "./boundary-versions.ts";
import { createClosure } from "./closure.ts";
import { createCompaction } from "./compaction.ts";
import { connect, type Connection } from "./connection.ts";
import { createDenylist } from "./denylist.ts";
import { createDigests } from "./digests.ts";
import { createEpochs } from "./epochs.ts";
import { createErasedContents } from "./erased-contents.ts";
import { createFence } from "./fence.ts";
import { createFingerprints } from "./fingerprints.ts";
import { createGuardFilter } from "./guard-filter.ts";
import { createGuardTerms } from "./guard-terms.ts";
import { createHeldWrites } from "./held-writes.ts";
import { createHolds } from "./holds.ts";
import { createIdentity } from "./identity.ts";
import { createIntents } from "./intents.ts";
import { readKeyFile, writeKeyFile } from "./key-files.ts";
import type { LedgerKeys } from "./keys.ts";
import type { LedgerCore } from "./ledger-core.ts";
import type { Ledger, LedgerOptions } from "./ledger.ts";
import { createLooks } from "./looks.ts";
import { fillTypes } from "./types-in-use.ts";
import { createStandIns } from "./stand-ins.ts";
import { createLineage } from "./lineage.ts";
import { createLog, type OpenedLog } from "./log.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "./migrate.ts";
import { createParticipants } from "./participants.ts";
import { createRequestJournal } from "./request-journal.ts";
import { createRequests } from "./requests.ts";
import { createRisks } from "./risks.ts";
import { createWordRuns } from "./word-runs.ts";
import { createWritingMark } from "./writing-mark.ts";

const BUSY_TIMEOUT_MS = 5_000;

function keyChecks(keys: LedgerKeys): readonly (readonly [string, string, Uint8Array])[] {
  return [
    ["guard", "key-check/guard", keys.checkValue("guard")],
    ["request", "key-check/request", keys.checkValue("request")],
    ["signing", "public-key", keys.publicKey],
  ];
}

function writeKeyChecks(connection: Connection, keys: LedgerKeys): void {
  for (const [, name, value] of keyChecks(keys))
    connection.run("INSERT INTO meta (name, value) VALUES (?, ?)", name, value);
}

function compareKeys(connection: Connection, keys: LedgerKeys): void {
  for (const [key, name, value] of keyChecks(keys)) {
    const stored = connection.get<{ value: Uint8Array }>("SELECT value FROM meta WHERE name = ?", name)?.value;
    if (stored !== undefined && equalBytes(new Uint8Array(stored), value)) continue;
    throw new LedgerError("KEY_WRONG", `the ${key} key is not the one that this ledger was made with`, {
      place: { file: connection.file },
      cure: "restore the ledger's own keys, or run `deleatur keys import` with an export of them",
    });
  }
}

/** Keyed digests fall anywhere: with SQLite's two megabytes, a page that several rows of one transaction are on is written to the log more than once. */
const CACHE_KIB = 32_768;

function prepare(connection: Connection, isReadonly: boolean): void {
  // Reads the header first: a foreign or damaged file is refused before a pragma could write to it.
  const version = schemaVersion(connection);
  connection.pragma("foreign_keys = ON");
  connection.pragma("temp_store = MEMORY");
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  if (isReadonly) {
    if (version === SCHEMA_VERSION) return;
    throw new LedgerError("LEDGER_OLDER", "the ledger's schema is older than this program, it cannot only be read", {
      place: { file: connection.file },
      cure: "open it once for writing, for example with `deleatur requests`",
    });
  }
  connection.pragma("secure_delete = ON");
  connection.pragma("journal_mode = WAL");
  connection.pragma("synchronous = FULL");
}

interface Built {
  readonly ledger: Ledger;
  readonly log: OpenedLog;
  readonly anchor: OpenedAnchor;
}

function build(core: LedgerCore, anchorFile: string | undefined): Built {
  const { connection, keys, digests } = core;
  const lineage = createLineage(core);
  const fence = createFence(core);
  const log = createLog(core);
  const filter = createGuardFilter(core);
  const compaction = createCompaction(core, filter);
  const denylist = createDenylist(core);
  const fingerprints = createFingerprints(core);
  const anchor = createAnchor(core, anchorFile, { denylist, fingerprints, log });
  const { writing, close: markWritten } = createWritingMark(core, anchor);
  const ledger: Ledger = {
    file: connection.file,
    keys,
    ...digests,
    ...lineage,
    ...createClosure(core),
    ...createHolds(core),
    ...fence,
    ...createIntents(core),
    ...denylist,
    ...createWordRuns(digests),
    ...fingerprints,
    ...createErasedContents(core),
    ...createLooks(core),
    ...createStandIns(core),
    ...anchor,
    ...writing,
    ...filter,
    ...createGuardTerms(core),
    ...createHeldWrites(core),
    ...createRequests(core),
    ...createRequestJournal(core),
    ...createEpochs(core),
    ...createBoundaryVersions(core),
    ...createRisks(core),
    ...createParticipants(core),
    ...createIdentity(core),
    ...log,
    transaction: (act) => connection.transaction(act),
    flush: () => connection.flush(),
    ...compaction,
    close() {
      try {
        // What the anchor does not get here it gets at the next open: nothing is deleted in between.
        if (!connection.readonly) closeAnchor(anchor, markWritten);
        if (!connection.readonly) compaction.compact();
      } finally {
        connection.close();
      }
    },
  };
  return { ledger, log, anchor };
}

function closeAnchor(anchor: OpenedAnchor, markWritten: () => void): void {
  try {
    markWritten();
    anchor.flushAnchor();
  } catch (error) {
    if (!(error instanceof LedgerError && error.code === "LEDGER_LOCKED")) throw error;
  }
}

/** Stands in the key store once its ledger was made: a ledger that is gone then is lost, not new, and its denylist with it. */
const MADE = "ledger-made";

function refuseLost(file: string, keys: LedgerKeys): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 || readKeyFile(keys.directory, MADE) === undefined) return;
  throw new LedgerError("LEDGER_LOST", `the ledger ${file} is gone or empty, and its key store says that it was made`, {
    place: { file },
    cure: `restore the ledger; to begin anew on purpose, which forgets every do-not-store entry, move ${keys.directory} away`,
  });
}

function markMade(keys: LedgerKeys): void {
  // Keys that come from the environment leave no file: then only their ledger knows of itself.
  if (!existsSync(keys.directory)) return;
  if (readKeyFile(keys.directory, MADE) !== undefined) return;
  try {
    writeKeyFile(keys.directory, MADE, utf8("1\n"));
  } catch (error) {
    // Another process marked it first.
    if (!(error instanceof LedgerError && error.code === "KEY_EXISTS")) throw error;
  }
}

/**
 * Opens a ledger, and makes it where the file is new. @throws LedgerError: LEDGER_MISSING, LEDGER_LOST, NOT_A_LEDGER, LEDGER_DAMAGED,
 * LEDGER_LOCKED, LEDGER_FULL, LEDGER_NEWER, KEY_WRONG, LOG_DAMAGED
 */
export function openLedger(options: LedgerOptions): Ledger {
  const { file, keys, clock, random, readonly: isReadonly = false, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  if (isReadonly && !existsSync(file)) {
    throw new LedgerError("LEDGER_MISSING", `there is no ledger at ${file} to read`, {
      place: { file },
      cure: "name the ledger's file under connect.ledger",
    });
  }
  refuseLost(file, keys);
  const connection = connect(file, { readonly: isReadonly, busyTimeoutMs });
  try {
    prepare(connection, isReadonly);
    const outbox = createOutbox(connection);
    const core: LedgerCore = { connection, keys, clock, random, digests: createDigests(keys), outbox };
    const { log, ledger, anchor } = build(core, options.anchor);
    if (!isReadonly && schemaVersion(connection) < SCHEMA_VERSION) {
      connection.transaction(() => {
        if (schemaVersion(connection) > 0) compareKeys(connection, keys);
        if (!migrate(connection)) {
          fillTypes(core);
          return;
        }
        writeKeyChecks(connection, keys);
        log.begin();
        if (process.platform !== "win32") chmodSync(file, 0o600);
      });
    }
    compareKeys(connection, keys);
    log.check();
    if (options.boundaryId !== undefined && !isReadonly) {
      const { boundaryId } = options;
      connection.transaction(() => claimBoundaryId(core, boundaryId));
    }
    if (!isReadonly) markMade(keys);
    anchor.compare();
    // What a crash left in the write-ahead log between an erase and its flush.
    if (!isReadonly) connection.flush();
    return ledger;
  } catch (error) {
    connection.close();
    throw error;
  }
}
