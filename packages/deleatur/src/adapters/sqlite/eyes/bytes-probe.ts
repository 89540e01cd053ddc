// The probe of a store's raw bytes: by a thread of its own, begun before its turn, where the store is large, else in its turn. It judges nothing.
import type { Needle, Finding } from "../../../model/needle.ts";
import type { Probe } from "../../../surface.ts";
import type { SqliteFile, SqliteOptions } from "../options.ts";
import { type BytesOrder, startBytesThread, type ThreadLook } from "./bytes-thread.ts";
import { lookAtBytes } from "./look-at-bytes.ts";

/** `start` answers a thread, where one is worth it. */
export function bytesProbe(
  options: Pick<SqliteOptions, "neighbours">,
  target: SqliteFile,
  start: (order: BytesOrder) => ThreadLook | undefined = startBytesThread,
): Probe {
  let begun: { readonly needles: readonly Needle[]; readonly look: ThreadLook } | undefined;
  const end = (): void => {
    begun?.look.end();
    begun = undefined;
  };
  const orderFor = (needles: readonly Needle[]): BytesOrder => ({ target, tables: options.neighbours, needles });
  return {
    name: "bytes",
    depth: "bytes",
    scope: `bytes:${target.store}`,
    begin(needles) {
      end();
      const look = start(orderFor(needles));
      if (look !== undefined) begun = { needles, look };
    },
    async *look(needles, signal): AsyncGenerator<Finding> {
      const isSame = begun?.needles === needles;
      if (isSame && begun !== undefined && (yield* begun.look.findings(signal)) === "looked") return;
      yield* lookAtBytes(orderFor(needles), signal);
    },
    close() {
      end();
      return Promise.resolve(); // each look closes its own connection
    },
  };
}
