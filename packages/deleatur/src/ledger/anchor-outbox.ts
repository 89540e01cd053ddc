// Records that must reach the anchor: written in the very transaction of what they tell, numbered and chained, kept until the anchor has them. It never touches the file.
import { nextChain } from "./anchor-file.ts";
import { type AnchorRecord, encodeRecord } from "./anchor-records.ts";
import type { Connection } from "./connection.ts";

export interface AnchorStateRow {
  readonly anchor: Uint8Array;
  readonly issued: number;
  readonly chain: Uint8Array;
  readonly confirmed: number;
  readonly confirmed_chain: Uint8Array;
  readonly rolled_back: string | null;
  readonly known_before: number | null;
}

export interface AnchorOutbox {
  /** Whether there was ever an anchor: without one nothing is kept for it. */
  isOn(): boolean;
  state(): AnchorStateRow | undefined;
  put(record: AnchorRecord): void;
  /** The same bytes under the next number. */
  putBytes(record: Uint8Array): void;
  /** Runs an act whose changes the anchor has already. */
  quietly<T>(act: () => T): T;
}

export function createOutbox(connection: Connection): AnchorOutbox {
  let isQuiet = false;
  const state = (): AnchorStateRow | undefined =>
    connection.get<AnchorStateRow>(
      "SELECT anchor, issued, chain, confirmed, confirmed_chain, rolled_back, known_before FROM anchor_state",
    );
  function putBytes(record: Uint8Array): void {
    const known = state();
    if (known === undefined) return;
    const number = known.issued + 1;
    const chain = nextChain(known.chain, number, record);
    connection.run("INSERT INTO anchor_outbox (number, record, chain) VALUES (?, ?, ?)", number, record, chain);
    connection.run("UPDATE anchor_state SET issued = ?, chain = ?", number, chain);
  }
  return {
    isOn: () => !isQuiet && state() !== undefined,
    state,
    put(record) {
      if (!isQuiet && state() !== undefined) putBytes(encodeRecord(record));
    },
    putBytes,
    quietly(act) {
      const before = isQuiet;
      isQuiet = true;
      try {
        return act();
      } finally {
        isQuiet = before;
      }
    },
  };
}
