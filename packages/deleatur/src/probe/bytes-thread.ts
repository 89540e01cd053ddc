// Has a thread of its own look at the bytes of a store, while other probes look in other ways. It must not make a look better than it was: a thread that dies while it looks leaves the probe blind.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { StoreError } from "../model/errors.ts";
import type { Finding, Needle } from "../model/needle.ts";

/** What a thread is given, as far as all stores have it in common; all of it can be cloned. */
export interface ThreadOrder {
  readonly needles: readonly Needle[];
}

/** What it says. `begun` when it has the store open, before it has looked; after so many findings it waits until it is told to go on. */
export type ToldOfBytes =
  | { readonly told: "begun" | "done" }
  | { readonly told: "found"; readonly findings: readonly Finding[] }
  | { readonly told: "failed"; readonly code: string; readonly message: string };

export interface ThreadLook {
  /** What was found, or that no thread could be had in time, or none that could open the store: then nothing was looked at. @throws StoreError where the look failed or the thread died */
  findings(signal: AbortSignal): AsyncGenerator<Finding, "looked" | "no thread">;
  end(): void;
}

/** Rows are read and forgotten: more room would only be more memory. */
const YOUNG_MB = 16;

/** Whether a thread would be done before the caller: only a build has its program, and a machine of one core nothing to spare. */
export function canLookOnThread(): boolean {
  return import.meta.url.endsWith(".js") && availableParallelism() > 1;
}

/** One core is the caller's; a thread holds as much memory as what it looks for comes to. Those that are one too many wait, and are not needed when their turn comes first. */
const AT_ONCE = Math.max(1, availableParallelism() - 1);
const running = new Set<object>();
const waiting: (() => void)[] = [];

/** Begins as soon as it may; `program` calls `tellOfLook`. A process that ends does not wait for it. */
export function lookOnThread(store: string, given: ThreadOrder, program: URL): ThreadLook {
  const order: ThreadOrder = {
    ...given,
    // What explains a needle is a function, and bytes are explained by what lives.
    needles: given.needles.map(({ index, ref, subjects, content, fate }) => ({ index, ref, subjects, content, fate })),
  };
  const told: (ToldOfBytes | { readonly told: "ended" })[] = [];
  let wake: (() => void) | undefined;
  const tell = (one: (typeof told)[number]): void => {
    told.push(one);
    wake?.();
  };
  let thread: Worker | undefined;
  const leave = (): void => {
    if (running.delete(told)) waiting.shift()?.();
  };
  const begin = (): void => {
    try {
      thread = new Worker(program, { workerData: order, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
      thread.unref();
      running.add(told);
      thread.on("message", (one: ToldOfBytes) => tell(one));
      thread.on("error", () => tell({ told: "ended" }));
      thread.on("exit", () => {
        tell({ told: "ended" });
        leave();
      });
    } catch {
      tell({ told: "ended" }); // none is to be had: the caller looks by itself
    }
  };
  /** True where it has not begun, and now never will. */
  const withdraw = (): boolean => {
    const place = waiting.indexOf(begin);
    if (place !== -1) waiting.splice(place, 1);
    return place !== -1;
  };
  if (running.size < AT_ONCE) begin();
  else waiting.push(begin);

  async function next(signal: AbortSignal): Promise<(typeof told)[number]> {
    for (;;) {
      signal.throwIfAborted();
      const one = told.shift();
      if (one !== undefined) return one;
      thread?.ref();
      await new Promise<void>((resolve) => {
        const go = (): void => {
          signal.removeEventListener("abort", go);
          resolve();
        };
        wake = go;
        signal.addEventListener("abort", go);
      });
      thread?.unref();
    }
  }

  return {
    async *findings(signal) {
      if (withdraw()) return "no thread";
      let hasBegun = false;
      for (;;) {
        const one = await next(signal);
        switch (one.told) {
          case "begun":
            hasBegun = true;
            break;
          case "found":
            yield* one.findings;
            thread?.postMessage("go on", []);
            break;
          case "done":
            return "looked";
          case "failed":
            // The caller has its own way to the store, and says itself why that is closed.
            if (!hasBegun) return "no thread";
            throw new StoreError(one.code, one.message, { place: { store } });
          case "ended":
            if (!hasBegun) return "no thread";
            throw new StoreError(
              "LOOK_ENDED",
              `the thread that looked at the bytes of store ${store} ended before it was done, run it again`,
              { place: { store } },
            );
          default:
            one satisfies never;
        }
      }
    },
    end() {
      withdraw();
      void thread?.terminate();
      leave();
    },
  };
}

/** From so many needles on a server is worth a thread, which takes longer to begin than few take to be prepared: of its size nothing is known yet. */
const MANY = 256;

/** The same for a server's files, where it is worth it. */
export function lookAtServerOnThread(store: string, order: ThreadOrder, program: URL): ThreadLook | undefined {
  return order.needles.length >= MANY && canLookOnThread() ? lookOnThread(store, order, program) : undefined;
}
