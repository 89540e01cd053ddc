// Marks in the anchor that a process records: persons and sources are not anchored, but a ledger that was set back to a time before them must not go unseen (GUARD-5). It must not cost a write more than now and then.
import { toHex } from "@deleatur/verify";
import type { OpenedAnchor } from "./anchor.ts";
import type { LedgerCore } from "./ledger-core.ts";

export interface WritingMark {
  /** To be called before a write. Marks the first of a process, and one every ten minutes; answers whether it did. */
  noteWriting(): boolean;
}

const EVERY_MS = 600_000;

/** `close` marks what was written since the last mark; the caller flushes the anchor behind it. */
export function createWritingMark(
  core: LedgerCore,
  anchor: Pick<OpenedAnchor, "flushAnchor">,
): { readonly writing: WritingMark; readonly close: () => void } {
  const { connection, outbox } = core;
  let marked: number | undefined;
  let isDue = false;

  function mark(): void {
    isDue = false;
    // By chance, so that two ledgers which go on from one copy do not say the same.
    connection.transaction(() => outbox.put({ kind: "writing", mark: toHex(core.random(16)) }));
  }

  return {
    writing: {
      noteWriting() {
        isDue = true;
        const now = core.clock().getTime();
        if (marked !== undefined && Math.abs(now - marked) < EVERY_MS) return false;
        marked = now;
        if (!outbox.isOn()) return false;
        mark();
        isDue = true;
        anchor.flushAnchor();
        return true;
      },
    },
    close() {
      if (isDue && outbox.isOn()) mark();
    },
  };
}
