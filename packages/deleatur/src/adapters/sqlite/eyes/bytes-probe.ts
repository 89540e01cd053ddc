// The probe of a SQLite store's raw bytes, on a thread where the store is large. It judges nothing.
import { bytesProbeOf } from "../../../probe/bytes-probe.ts";
import type { ThreadLook } from "../../../probe/bytes-thread.ts";
import type { Needle } from "../../../model/needle.ts";
import type { Probe } from "../../../surface.ts";
import type { SqliteFile, SqliteOptions } from "../options.ts";
import { type BytesOrder, startBytesThread } from "./bytes-thread.ts";
import { lookAtBytes } from "./look-at-bytes.ts";

/** `start` answers a thread, where one is worth it. */
export function bytesProbe(
  options: Pick<SqliteOptions, "neighbours">,
  target: SqliteFile,
  start: (order: BytesOrder) => ThreadLook | undefined = startBytesThread,
): Probe {
  const orderFor = (needles: readonly Needle[]): BytesOrder => ({ target, tables: options.neighbours, needles });
  return bytesProbeOf({
    store: target.store,
    start: (needles) => start(orderFor(needles)),
    look: (needles, signal) => lookAtBytes(orderFor(needles), signal),
  });
}
