// Holds the ledger against its anchor, notices a ledger that was set back, takes in what it lost, and keeps the anchor up to date (GUARD-5). It must not write to an anchor that is ahead.
import { renameSync } from "node:fs";
import { createHash } from "node:crypto";
import { concatBytes, equalBytes, toHex, utf8 } from "@deleatur/verify";
import { whereItIsFull } from "../disk-room.ts";
import { LedgerError } from "../model/errors.ts";
import { utcTime } from "../model/utc-time.ts";
import { type Adopting, adoptRecord } from "./adopt-records.ts";
import { tellAll } from "./anchor-base.ts";
import {
  ANCHOR_START,
  type AnchorFrame,
  type AnchorPlace,
  type AnchorTail,
  appendFrames,
  nextChain,
  readFrames,
} from "./anchor-file.ts";
import type { AnchorStateRow } from "./anchor-outbox.ts";
import { decodeRecord } from "./anchor-records.ts";
import { hexOf, parseJson, parseJsonBytes, type LedgerCore } from "./ledger-core.ts";

/** What a comparison with the anchor found. */
export type AnchorState =
  | { readonly is: "none" | "sound" }
  /** The anchor is declared, and missing, damaged, out of reach or another's. `why` is our own words. */
  | { readonly is: "lost"; readonly why: string }
  | ({ readonly is: "rolled-back" } & Rollback);

export interface Rollback {
  readonly at: string;
  /** Entries of the log that the ledger had, and that the anchor knew. */
  readonly size: number;
  readonly anchored: number;
  readonly isForked: boolean;
  /** Requests that had been received and were not closed: they must be received again. */
  readonly lostRequests: readonly string[];
}

export interface Anchoring {
  anchorState(): AnchorState;
  /**
   * Makes the anchor have all that the ledger committed. Where the ledger was set back, only with `isReplay`. Where the anchor is lost it stays behind,
   * and `anchorState` says so: what is owed to it waits in the ledger.
   */
  flushAnchor(isReplay?: boolean): void;
  /** Reads the whole anchor again. */
  verifyAnchor(): AnchorState;
  /** After a replay: writes are allowed again. The caller logs it. */
  endRollback(): void;
  /** Begins another anchor in place of one that is lost, by a named act. @throws LedgerError ANCHOR_NOT_LOST */
  renewAnchor(act: { readonly role: string; readonly reason: string }): void;
}

export interface OpenedAnchor extends Anchoring {
  /** At open: compares, begins, catches up. */
  compare(): void;
}

interface Known extends AnchorPlace {
  readonly number: number;
  readonly chain: Uint8Array;
  readonly tail: AnchorTail;
  /** The place before the last frame: it is read again before anything is appended behind it. */
  readonly before: AnchorPlace;
}

interface Header {
  readonly anchor: string;
  readonly publicKey: string;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}

function genesis(anchor: Uint8Array): Uint8Array {
  return new Uint8Array(
    createHash("sha256")
      .update(concatBytes(utf8("deleatur/anchor/v1\0"), anchor))
      .digest(),
  );
}

export function createAnchor(core: LedgerCore, path: string | undefined, parts: Adopting): OpenedAnchor {
  const { connection, keys, outbox } = core;
  let lost: string | undefined;
  let known: Known | undefined;

  function headerFrame(row: AnchorStateRow): AnchorFrame {
    const header: Header = { anchor: hexOf(row.anchor), publicKey: toHex(keys.publicKey) };
    return { number: 0, chain: genesis(row.anchor), record: utf8(JSON.stringify(header)) };
  }

  /** Reads on from the last frame that is known, that one again. Answers undefined where there is no file; says why where it cannot be ours. */
  function readOn(
    file: string,
    from: Known | undefined,
    visit: (frame: AnchorFrame) => void,
  ): Known | undefined | string {
    let number = from === undefined ? -1 : from.number - 1;
    let chain: Uint8Array | undefined;
    let before = from?.before ?? ANCHOR_START;
    let isBroken = false;
    try {
      const end = readFrames(file, keys, before, (frame, place) => {
        const isNext = frame.number === number + 1;
        isBroken ||=
          !isNext || (chain !== undefined && !equalBytes(nextChain(chain, frame.number, frame.record), frame.chain));
        ({ number, chain } = frame);
        before = place;
        visit(frame);
      });
      if (end === undefined) return undefined;
      if (end.tail === "short") return "it has become shorter";
      if (isBroken) return "its records do not follow each other";
      return { ...end, number, chain: chain ?? new Uint8Array(), before };
    } catch (error) {
      if (error instanceof LedgerError) throw error;
      return `it cannot be read (${codeOf(error)})`;
    }
  }

  /** The chain that the ledger itself has behind a record; undefined where it no longer knows. */
  function ownChain(row: AnchorStateRow, number: number): Uint8Array | undefined {
    if (number === row.issued) return row.chain;
    if (number === row.confirmed) return row.confirmed_chain;
    return connection.get<{ chain: Uint8Array }>("SELECT chain FROM anchor_outbox WHERE number = ?", number)?.chain;
  }

  function compareIn(file: string): void {
    lost = undefined;
    let header: Header | undefined;
    let isForked = false;
    const before = outbox.state();
    const read = readOn(file, undefined, (frame) => {
      if (frame.number === 0) header = parseJsonBytes<Header>(frame.record);
      const own = before === undefined ? undefined : ownChain(before, frame.number);
      isForked ||= own !== undefined && !equalBytes(own, frame.chain);
    });
    if (typeof read === "string") {
      lost = read;
      return;
    }
    if (read === undefined || (read.number < 0 && read.offset === 0 && read.tail === "clean")) {
      if (before === undefined) begin();
      else if (before.confirmed > 0) lost = "it is missing, and this ledger had one";
      known = undefined;
      return;
    }
    if (read.number < 0) {
      // Not one whole frame: an append of ours that was cut off, or a file that was never an anchor.
      if (before === undefined || before.confirmed > 0 || read.tail !== "torn") lost = "it is no anchor of this ledger";
      known = undefined;
      return;
    }
    if (header?.publicKey !== toHex(keys.publicKey)) {
      lost = "it belongs to another ledger";
      return;
    }
    if (before !== undefined && hexOf(before.anchor) !== header.anchor) {
      lost = "it is another anchor than the one that this ledger had";
      return;
    }
    const row = before ?? beginFrom(header.anchor);
    if (read.number < row.confirmed) {
      lost =
        read.tail === "damaged"
          ? "a record of it is damaged"
          : "it is shorter than this ledger knows: records are missing at its end";
      return;
    }
    // An append that was cut off can be told by its head; other bytes are mended only where the ledger still has what stood there.
    if (read.tail === "damaged" && row.issued <= read.number) {
      lost = "a record of it is damaged";
      return;
    }
    known = read;
    if (read.number > row.issued || isForked) adopt(file, row, read, isForked);
    else confirm(read);
  }

  function begin(act?: { readonly role: string; readonly reason: string }): void {
    const anchor = core.random(16);
    const chain = genesis(anchor);
    connection.run("INSERT INTO anchor_state VALUES (1, ?, 0, ?, 0, ?, NULL, NULL)", anchor, chain, chain);
    tellAll(core);
    parts.log.append({ type: "anchor-begun", at: utcTime(core.clock()), ...act });
  }

  /** A ledger that knows of no anchor, beside one that is its own: it was set back to a time before. */
  function beginFrom(anchor: string): AnchorStateRow {
    const id = new Uint8Array(Buffer.from(anchor, "hex"));
    connection.run("INSERT INTO anchor_state VALUES (1, ?, 0, ?, 0, ?, NULL, NULL)", id, genesis(id), genesis(id));
    const row = outbox.state();
    if (row === undefined) throw new LedgerError("LEDGER_DAMAGED", "the ledger cannot note its anchor, repair it");
    return row;
  }

  /** Takes in what the anchor knows and the ledger does not. The ledger alone is changed: the anchor waits for the replay. */
  function adopt(file: string, row: AnchorStateRow, end: Known, isForked: boolean): void {
    const size = parts.log.logSize();
    let hasFork = isForked;
    let adopted = 0;
    const own = hasFork
      ? connection.all<{ record: Uint8Array }>("SELECT record FROM anchor_outbox ORDER BY number")
      : [];
    outbox.quietly(() => {
      readOn(file, undefined, (frame) => {
        if (frame.number === 0 || (!isForked && frame.number <= row.issued)) return;
        adopted += 1;
        if (!adoptRecord(core, parts, decodeRecord(frame.record), hasFork)) hasFork = true;
      });
      // What this ledger did by itself was later to it: a lift of its own is not undone by the entries that it lifted.
      for (const { record } of own) adoptRecord(core, parts, decodeRecord(new Uint8Array(record)), true);
    });
    connection.run("DELETE FROM anchor_outbox");
    connection.run(
      "UPDATE anchor_state SET issued = ?, chain = ?, confirmed = ?, confirmed_chain = ?",
      end.number,
      end.chain,
      end.number,
      end.chain,
    );
    for (const { record } of own) outbox.putBytes(new Uint8Array(record));
    const anchored = anchoredSize(file, hasFork);
    const at = utcTime(core.clock());
    const rollback: Rollback = {
      at,
      size,
      anchored,
      isForked: hasFork,
      lostRequests: hasFork ? [] : lostRequests(size),
    };
    connection.run(
      "UPDATE anchor_state SET rolled_back = ?, known_before = coalesce(known_before, (SELECT known FROM anchor_step))",
      JSON.stringify(rollback),
    );
    parts.log.append({ type: "ledger-rolled-back", at, size, anchored, isForked: hasFork, adopted });
  }

  /** How long the log was, as far as the anchor knows. */
  function anchoredSize(file: string, isForked: boolean): number {
    if (!isForked) return parts.log.logSize();
    let size = 0;
    readOn(file, undefined, (frame) => {
      if (frame.number === 0) return;
      const record = decodeRecord(frame.record);
      if (record.kind === "log") size = Math.max(size, record.position + 1);
    });
    return size;
  }

  function lostRequests(from: number): readonly string[] {
    const open = new Set<string>();
    for (const { entry } of parts.log.logEntries(from)) {
      const { type, request } = parseJson<{ type: string; request?: string }>(entry);
      if (request === undefined) continue;
      if (type === "request-opened") open.add(request);
      if (type === "request-closed") open.delete(request);
    }
    return [...open].filter((id) => connection.get("SELECT 1 FROM requests WHERE id = ?", id) === undefined);
  }

  function confirm({ number, chain }: { readonly number: number; readonly chain: Uint8Array }): void {
    connection.run("DELETE FROM anchor_outbox WHERE number <= ?", number);
    connection.run("UPDATE anchor_state SET confirmed = ?, confirmed_chain = ?", number, chain);
  }

  function append(file: string, row: AnchorStateRow): void {
    const rows = connection.all<{ number: number; record: Uint8Array; chain: Uint8Array }>(
      "SELECT number, record, chain FROM anchor_outbox WHERE number > ? ORDER BY number",
      known?.number ?? 0,
    );
    const frames = rows.map(({ number, record, chain }) => ({
      number,
      record: new Uint8Array(record),
      chain: new Uint8Array(chain),
    }));
    const all = known === undefined ? [headerFrame(row), ...frames] : frames;
    const last = all.at(-1);
    if (last === undefined) return;
    try {
      const { before, behind } = appendFrames(file, keys, core.random, known ?? ANCHOR_START, all);
      known = { ...behind, number: last.number, chain: last.chain, tail: "clean", before };
    } catch (error) {
      if (error instanceof LedgerError) throw error;
      known = undefined;
      lost = `it cannot be written (${codeOf(error)})${codeOf(error) === "ENOSPC" ? whereItIsFull(file) : ""}`;
      return;
    }
    confirm(last);
  }

  /** Whether another process, or another copy of the ledger, has appended meanwhile; what is known moves on. */
  function isStillOurs(file: string, row: AnchorStateRow): boolean {
    if (known === undefined) return false;
    let isForked = false;
    const { number, chain } = known;
    const read = readOn(file, known, (frame) => {
      const own = frame.number === number ? chain : ownChain(row, frame.number);
      isForked ||= own === undefined || !equalBytes(own, frame.chain);
    });
    if (typeof read !== "object" || read.number > row.issued || read.number < number || isForked) return false;
    if (read.tail === "damaged" && row.issued <= read.number) return false;
    known = read;
    return true;
  }

  function flush(isReplay: boolean): void {
    if (path === undefined || connection.readonly) return;
    if (connection.isInTransaction())
      throw new LedgerError("ANCHOR_IN_TRANSACTION", "the anchor is written only after what it tells is committed");
    connection.transaction(() => {
      const row = outbox.state();
      // A second look: the file may be back, or another process has appended.
      if (lost !== undefined || row === undefined || !isStillOurs(path, row)) compareIn(path);
      const now = outbox.state();
      if (lost !== undefined || now === undefined) return;
      if (now.rolled_back !== null && !isReplay) return;
      append(path, now);
      if (now.rolled_back === null) noteInStep();
    });
  }

  /** Nothing that this ledger knows by now was lost: what it meets while the anchor is out of reach, nobody can tell that of. */
  function noteInStep(): void {
    if (lost !== undefined) return;
    connection.run(
      "UPDATE anchor_step SET known = last FROM (SELECT coalesce(max(id), 0) AS last FROM artifacts) WHERE known <> last",
    );
  }

  function state(): AnchorState {
    const rolledBack = outbox.state()?.rolled_back ?? undefined;
    if (rolledBack !== undefined) return { is: "rolled-back", ...parseJson<Rollback>(rolledBack) };
    if (path === undefined) return { is: "none" };
    return lost === undefined ? { is: "sound" } : { is: "lost", why: lost };
  }

  return {
    compare() {
      if (path === undefined || connection.readonly) return;
      connection.run(
        "INSERT INTO anchor_step SELECT 1, coalesce(max(id), 0) FROM artifacts WHERE true ON CONFLICT DO NOTHING",
      );
      connection.transaction(() => compareIn(path));
      flush(false);
    },
    anchorState: state,
    flushAnchor: (isReplay = false) => flush(isReplay),
    verifyAnchor() {
      if (path !== undefined && !connection.readonly) connection.transaction(() => compareIn(path));
      return state();
    },
    endRollback: () => void connection.run("UPDATE anchor_state SET rolled_back = NULL"),
    renewAnchor(act) {
      const file = path;
      if (file === undefined || lost === undefined)
        throw new LedgerError("ANCHOR_NOT_LOST", "only an anchor that is lost is begun anew", {
          cure: "see `deleatur check`",
        });
      connection.transaction(() => {
        const row = outbox.state();
        const [rolledBack, knownBefore] = [row?.rolled_back ?? null, row?.known_before ?? null];
        // Whatever stands there is kept for whoever looks into it.
        moveAside(file, row === undefined ? "unknown" : hexOf(row.anchor).slice(0, 8));
        connection.run("DELETE FROM anchor_outbox");
        connection.run("DELETE FROM anchor_state");
        known = undefined;
        lost = undefined;
        begin(act);
        connection.run("UPDATE anchor_state SET rolled_back = ?, known_before = ?", rolledBack, knownBefore);
      });
      flush(true);
    },
  };
}

function moveAside(file: string, name: string): void {
  try {
    renameSync(file, `${file}.lost-${name}`);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
