// Getting rid of dropped bytes in the ledger's own file. It must not forget that a compaction is due: the mark stands in the file itself.
import type { LedgerCore } from "./ledger-core.ts";
import type { GuardFilter } from "./guard-filter.ts";

const DUE = "compaction-due";

/**
 * Says, inside the transaction that drops something, that its bytes must go. secure_delete zeroes dropped cells and the flush
 * empties the write-ahead log; but where SQLite has rebuilt a page while the cell still lived, a copy of it can stay in the
 * page's gap (measured: 4 of 4,137), and only VACUUM clears that.
 */
export function markDropped({ connection }: LedgerCore): void {
  connection.run("INSERT INTO meta (name, value) VALUES (?, x'01') ON CONFLICT (name) DO NOTHING", DUE);
  connection.flushAfterCommit();
}

export interface Compaction {
  /** Rewrites the file where something was dropped since the last time; `busy` while another process uses it. */
  compact(): "compacted" | "not due" | "busy";
}

export function createCompaction({ connection }: LedgerCore, filter: GuardFilter): Compaction {
  return {
    compact() {
      if (connection.get("SELECT 1 FROM meta WHERE name = ?", DUE) === undefined) return "not due";
      filter.rebuildFilter();
      if (connection.vacuum() === "busy" || connection.flush() === "busy") return "busy";
      connection.run("DELETE FROM meta WHERE name = ?", DUE);
      connection.flush();
      return "compacted";
    },
  };
}
