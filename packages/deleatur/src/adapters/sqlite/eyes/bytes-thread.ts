// Says when a thread of its own looks at the bytes of a SQLite store, and with what. It looks at none itself.
import { statSync } from "node:fs";
import { canLookOnThread, lookOnThread, type ThreadLook, type ThreadOrder } from "../../../probe/bytes-thread.ts";
import type { SqliteFile } from "../options.ts";

/** What the thread is given. */
export interface BytesOrder extends ThreadOrder {
  readonly target: SqliteFile;
  /** The tables of the same store that surfaces declare, by surface. */
  readonly tables: ReadonlyMap<string, string>;
}

const PROGRAM = new URL("./look-on-thread.js", import.meta.url);
/** Bytes of a store. A thread takes longer to begin than fewer take to be looked at. */
const WORTH_IT = 1 << 24;

/** Begins where a thread would be done before the caller. */
export function startBytesThread(order: BytesOrder): ThreadLook | undefined {
  const size = statSync(order.target.file, { throwIfNoEntry: false })?.size ?? 0;
  return size >= WORTH_IT && canLookOnThread() ? lookOnThread(order.target.store, order, PROGRAM) : undefined;
}
