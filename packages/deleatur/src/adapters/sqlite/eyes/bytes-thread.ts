// Has a thread of its own look at the bytes of a store, while other probes look through its tables. It must not make a look better than it was: a thread that dies while it looks leaves the probe blind.
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { StoreError } from "../../../model/errors.ts";
import type { Finding, Needle } from "../../../model/needle.ts";
import type { SqliteFile } from "../options.ts";

/** What the thread is given. */
export interface BytesOrder {
  readonly target: SqliteFile;
  /** The tables of the same store that surfaces declare, by surface. */
  readonly tables: ReadonlyMap<string, string>;
  readonly needles: readonly Needle[];
}

/** What it says. `begun` before anything else; after so many findings it waits until it is told to go on. */
export type ToldOfBytes =
  | { readonly told: "begun" | "done" }
  | { readonly told: "found"; readonly findings: readonly Finding[] }
  | { readonly told: "failed"; readonly code: string; readonly message: string };

export interface ThreadLook {
  /** What was found, or that no thread could be had: then nothing was looked at. @throws StoreError where the look failed or the thread died */
  findings(signal: AbortSignal): AsyncGenerator<Finding, "looked" | "no thread">;
  end(): void;
}

const PROGRAM = new URL("./look-on-thread.js", import.meta.url);
/** Bytes of a store. A thread takes longer to begin than fewer take to be looked at. */
const WORTH_IT = 1 << 24;

/** Rows are read and forgotten: more room would only be more memory. */
const YOUNG_MB = 16;

/** Begins where a thread would be done before the caller: only a build has its program, and a machine of one core nothing to spare. */
export function startBytesThread(order: BytesOrder): ThreadLook | undefined {
  const size = statSync(order.target.file, { throwIfNoEntry: false })?.size ?? 0;
  const isWorthIt = size >= WORTH_IT && import.meta.url.endsWith(".js") && availableParallelism() > 1;
  return isWorthIt ? lookOnThread(order) : undefined;
}

/** Begins at once. A process that ends does not wait for it. */
export function lookOnThread({ target, tables, needles }: BytesOrder, program: URL = PROGRAM): ThreadLook {
  const order: BytesOrder = {
    target,
    tables,
    // What explains a needle is a function, and bytes are explained by what lives.
    needles: needles.map(({ index, ref, subjects, content, fate }) => ({ index, ref, subjects, content, fate })),
  };
  const told: (ToldOfBytes | { readonly told: "ended" })[] = [];
  let wake: (() => void) | undefined;
  const tell = (one: (typeof told)[number]): void => {
    told.push(one);
    wake?.();
  };
  let thread: Worker | undefined;
  try {
    thread = new Worker(program, { workerData: order, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    thread.unref();
    thread.on("message", (one: ToldOfBytes) => tell(one));
    thread.on("error", () => tell({ told: "ended" }));
    thread.on("exit", () => tell({ told: "ended" }));
  } catch {
    tell({ told: "ended" }); // none is to be had: the caller looks by itself
  }

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
            throw new StoreError(one.code, one.message, { place: { store: target.store } });
          case "ended":
            if (!hasBegun) return "no thread";
            throw new StoreError(
              "LOOK_ENDED",
              `the thread that looked at the bytes of store ${target.store} ended before it was done, run it again`,
              { place: { store: target.store } },
            );
          default:
            one satisfies never;
        }
      }
    },
    end() {
      void thread?.terminate();
    },
  };
}
