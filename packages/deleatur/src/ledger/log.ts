// The append-only log: canonical entries, their tree, and signed checkpoints; a shorter or edited log is noticed. It must not hold personal data.
import {
  canonicalJson,
  concatBytes,
  equalBytes,
  formatCheckpoint,
  formatNote,
  logLeafHash,
  noteKeyId,
  parseCheckpoint,
  u64,
  utf8,
  verifyNote,
} from "@deleatur/verify";
import { LedgerError, UsageError } from "../model/errors.ts";
import { boundaryIdOf } from "./boundary-versions.ts";
import { now, type LedgerCore } from "./ledger-core.ts";
import type { LogState, StoredLogEntry, TransparencyLog } from "./ledger.ts";
import { completeSubtrees, consistencyPath, inclusionPath, treeRoot, type NodeStore } from "./log-tree.ts";

const HEAD = "log-head";
const ORIGIN = "deleatur/";

interface Head {
  readonly size: number;
  readonly root: Uint8Array;
}

function damaged(why: string, file: string): LedgerError {
  return new LedgerError("LOG_DAMAGED", `the log of the ledger is damaged: ${why}`, {
    place: { file },
    cure: "restore ledger and keys from a backup, then replay; do not go on with this file",
  });
}

function needSize(size: number, most: number): void {
  if (!Number.isSafeInteger(size) || size < 0 || size > most)
    throw new UsageError("NO_SUCH_LOG_SIZE", `the log has ${most} entries, ${size} is no size or place of it`);
}

export interface OpenedLog extends TransparencyLog {
  /** Writes the head of the empty log. */
  begin(): void;
  /** Compares head, last checkpoint and tree. @throws LedgerError LOG_DAMAGED */
  check(): void;
  /** Takes an entry that the anchor kept at its place. False where another stands there, or one before it is missing. */
  adopt(position: number, entry: string, at: string): boolean;
}

export function createLog(core: LedgerCore): OpenedLog {
  const { connection, keys } = core;

  const store: NodeStore = {
    read(level, position) {
      const row =
        level === 0
          ? connection.get<{ hash: Uint8Array }>("SELECT leaf AS hash FROM log_entries WHERE position = ?", position)
          : connection.get<{ hash: Uint8Array }>(
              "SELECT hash FROM log_nodes WHERE level = ? AND position = ?",
              level,
              position,
            );
      if (row === undefined) throw damaged("a hash of its tree is missing", connection.file);
      return new Uint8Array(row.hash);
    },
    write(level, position, hash) {
      connection.run("INSERT INTO log_nodes (level, position, hash) VALUES (?, ?, ?)", level, position, hash);
    },
  };

  // The head is keyed, so that entries behind the last checkpoint cannot be cut off either.
  function headMac(size: Uint8Array, root: Uint8Array): Uint8Array {
    return Buffer.from(keys.guardHash(utf8("deleatur/log-head/v1\0"), [size, root]), "hex");
  }

  function writeHead(size: number, root: Uint8Array): void {
    const value = concatBytes(u64(size), root, headMac(u64(size), root));
    connection.run(
      "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      HEAD,
      value,
    );
  }

  function readHead(): Head {
    const value = connection.get<{ value: Uint8Array }>("SELECT value FROM meta WHERE name = ?", HEAD)?.value;
    if (value === undefined || value.length !== 72) throw damaged("its head is missing", connection.file);
    const size = value.subarray(0, 8);
    const root = new Uint8Array(value.subarray(8, 40));
    if (!equalBytes(headMac(size, root), value.subarray(40))) throw damaged("its head was changed", connection.file);
    return { size: Number(Buffer.from(size).readBigUInt64BE()), root };
  }

  function insert(position: number, entry: string, at: string): void {
    const leaf = logLeafHash(utf8(entry));
    connection.run(
      "INSERT INTO log_entries (position, entry, leaf, at) VALUES (?, ?, ?, ?)",
      position,
      entry,
      leaf,
      at,
    );
    completeSubtrees(store, position, leaf);
    writeHead(position + 1, treeRoot(store, position + 1));
    core.outbox.put({ kind: "log", position, at, entry });
  }

  function origin(): string {
    const id = boundaryIdOf(core);
    if (id === undefined) {
      throw new LedgerError("NO_BOUNDARY", "the log has no name before a boundary is recorded", {
        place: { file: connection.file },
        cure: "record the boundary first",
      });
    }
    return ORIGIN + id;
  }

  function entries(from: number, to: number): readonly StoredLogEntry[] {
    return connection.all<StoredLogEntry>(
      'SELECT position AS "index", entry, at FROM log_entries WHERE position >= ? AND position < ? ORDER BY position',
      from,
      to,
    );
  }

  function checkpointFlaw(
    { note, root, size }: { note: string; root: Uint8Array; size: number },
    head: Head,
  ): string | undefined {
    const verified = verifyNote(note, [{ name: origin(), publicKey: keys.publicKey }]);
    const said = verified.ok ? parseCheckpoint(verified.text) : undefined;
    if (said === undefined) return "a checkpoint's signature fails";
    if (said.size !== size || !equalBytes(said.root, root)) return "a checkpoint was changed";
    if (said.size > head.size) return "it is shorter than a checkpoint";
    if (!equalBytes(treeRoot(store, said.size), said.root)) return "it does not continue a checkpoint";
    return undefined;
  }

  function quickFlaw(): string | undefined {
    const head = readHead();
    const range = connection.get<{ last: number | null }>("SELECT max(position) AS last FROM log_entries");
    if ((range?.last ?? -1) !== head.size - 1) return "entries at its end are missing or too many";
    if (!equalBytes(treeRoot(store, head.size), head.root)) return "its tree does not give its head";
    const [latest] = entries(head.size - 1, head.size);
    if (latest !== undefined && !equalBytes(logLeafHash(utf8(latest.entry)), store.read(0, latest.index)))
      return "its last entry was changed";
    const checkpoint = connection.get<{ note: string; root: Uint8Array; size: number }>(
      "SELECT note, root, size FROM log_checkpoints ORDER BY size DESC LIMIT 1",
    );
    return checkpoint === undefined ? undefined : checkpointFlaw(checkpoint, head);
  }

  function fullFlaw(): string | undefined {
    const flaw = quickFlaw();
    if (flaw !== undefined) return flaw;
    const head = readHead();
    const rebuilt = new Map<string, Uint8Array>();
    const memory: NodeStore = {
      read: (level, position) => rebuilt.get(`${level}/${position}`) ?? new Uint8Array(),
      write: (level, position, hash) => rebuilt.set(`${level}/${position}`, hash),
    };
    for (const { index, entry } of entries(0, head.size)) {
      const leaf = logLeafHash(utf8(entry));
      if (!equalBytes(leaf, store.read(0, index))) return `entry ${index} was changed`;
      memory.write(0, index, leaf);
      completeSubtrees(memory, index, leaf);
    }
    for (const [name, hash] of rebuilt) {
      const [level = 0, position = 0] = name.split("/").map(Number);
      if (!equalBytes(hash, store.read(level, position))) return "a hash of its tree was changed";
    }
    for (const checkpoint of connection.all<{ note: string; root: Uint8Array; size: number }>(
      "SELECT note, root, size FROM log_checkpoints ORDER BY size",
    )) {
      const found = checkpointFlaw(checkpoint, head);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function state(find: () => string | undefined): LogState {
    try {
      const why = connection.snapshot(find);
      return why === undefined ? { ok: true } : { ok: false, why };
    } catch (error) {
      if (error instanceof LedgerError && error.code === "LOG_DAMAGED") return { ok: false, why: error.message };
      throw error;
    }
  }

  return {
    begin: () => writeHead(0, treeRoot(store, 0)),
    check() {
      const flaw = connection.snapshot(quickFlaw);
      if (flaw !== undefined) throw damaged(flaw, connection.file);
    },
    adopt(position, entry, at) {
      const { size } = readHead();
      if (position < size) return entries(position, position + 1)[0]?.entry === entry;
      if (position > size) return false;
      insert(position, entry, at);
      return true;
    },
    append: (entry) =>
      connection.transaction(() => {
        const { size } = readHead();
        insert(size, canonicalJson(entry), now(core));
        return size;
      }),
    logSize: () => readHead().size,
    logEntry(index) {
      const [found] = entries(index, index + 1);
      if (found === undefined) throw new UsageError("NO_SUCH_LOG_ENTRY", `the log has no entry ${index}`);
      return found;
    },
    logEntries: (from = 0, to = readHead().size) => entries(from, to),
    logRoot(size = readHead().size) {
      needSize(size, readHead().size);
      return treeRoot(store, size);
    },
    inclusionProof(index, size) {
      needSize(size, readHead().size);
      needSize(index, size - 1);
      return inclusionPath(store, index, 0, size);
    },
    consistencyProof(from, to) {
      needSize(to, readHead().size);
      needSize(from, to);
      return from === 0 ? [] : consistencyPath(store, from, 0, to, true);
    },
    checkpoint: () =>
      connection.transaction(() => {
        const { size, root } = readHead();
        const name = origin();
        const text = formatCheckpoint({ origin: name, size, root });
        const signature = new Uint8Array(keys.sign(utf8(text)));
        const note = formatNote(text, [{ name, keyId: noteKeyId(name, keys.publicKey), signature }]);
        connection.run(
          "INSERT INTO log_checkpoints (size, root, note, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
          size,
          root,
          note,
          now(core),
        );
        return note;
      }),
    logOrigin: origin,
    verifyLog: () => state(fullFlaw),
  };
}
