// The probe of a PostgreSQL server's raw bytes, on a thread where much is looked for. It judges nothing.
import { bytesProbeOf } from "../../../probe/bytes-probe.ts";
import { lookAtServerOnThread, type ThreadLook } from "../../../probe/bytes-thread.ts";
import type { Probe } from "../../../surface.ts";
import type { PostgresTarget } from "../options.ts";
import { type BytesOrder, lookAtBytes } from "./look-at-bytes.ts";

const PROGRAM = new URL("./look-on-thread.js", import.meta.url);

/** `start` answers a thread, where one is worth it. */
export function bytesProbe(
  target: PostgresTarget,
  start: (order: BytesOrder) => ThreadLook | undefined = (order) => lookAtServerOnThread(target.store, order, PROGRAM),
): Probe {
  return bytesProbeOf({
    store: target.store,
    start: (needles) => start({ target, needles }),
    look: (needles, signal) => lookAtBytes({ target, needles }, signal),
  });
}
