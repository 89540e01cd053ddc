// The probe of a store's raw bytes: by a thread of its own, begun before its turn, where one is worth it, else in its turn. It opens no store and judges nothing.
import type { Finding, Needle } from "../model/needle.ts";
import type { Probe } from "../surface.ts";
import type { ThreadLook } from "./bytes-thread.ts";

export interface BytesLook {
  readonly store: string;
  /** A thread that has begun to look for these, where one is worth it. */
  readonly start: (needles: readonly Needle[]) => ThreadLook | undefined;
  readonly look: (needles: readonly Needle[], signal: AbortSignal) => AsyncIterable<Finding>;
}

/** Each look opens and closes its own way to the store. */
export function bytesProbeOf({ store, start, look }: BytesLook): Probe {
  let begun: { readonly needles: readonly Needle[]; readonly thread: ThreadLook } | undefined;
  const end = (): void => {
    begun?.thread.end();
    begun = undefined;
  };
  return {
    name: "bytes",
    depth: "bytes",
    scope: `bytes:${store}`,
    begin(needles) {
      end();
      const thread = start(needles);
      if (thread !== undefined) begun = { needles, thread };
    },
    async *look(needles, signal): AsyncGenerator<Finding> {
      const isSame = begun?.needles === needles;
      if (isSame && begun !== undefined && (yield* begun.thread.findings(signal)) === "looked") return;
      yield* look(needles, signal);
    },
    close() {
      end();
      return Promise.resolve();
    },
  };
}
