// Processes that hold copies in their memory and take part, as a history has them: they join, fall asleep, wake, leave, and die with the process that is killed. They judge nothing.
import { randomBytes } from "node:crypto";
import type { Deleatur } from "../../src/open-deleatur.ts";
import { memoryOf } from "../../src/participate/process-memory.ts";

/** A copy of an episode's text in a process's memory. */
export interface Copy {
  readonly text: string;
  /** The episode that it was made from; a canary has none. */
  readonly source?: number;
}

export interface Holder {
  readonly memory: Deleatur;
  readonly copies: Map<string, Copy>;
  /** Lists nothing and answers nobody until it is woken. */
  sleep(): void;
  wake(): void;
  readonly isAsleep: boolean;
  /** Lets go of everything and is gone. */
  leave(): Promise<void>;
}

const POLL_MS = 5;

export async function joinHolder(memory: Deleatur): Promise<Holder> {
  const copies = new Map<string, Copy>();
  const own = memoryOf(
    copies,
    ({ text }) => ({ content: { text } }),
    (text): Copy => ({ text }),
  );
  let asleep: { readonly until: Promise<void>; readonly wake: () => void } | undefined;
  await memory.participate(
    "cache",
    {
      ...own,
      async *entries() {
        await asleep?.until;
        yield* own.entries();
      },
    },
    { pollMs: POLL_MS },
  );
  const wake = (): void => {
    asleep?.wake();
    asleep = undefined;
  };
  return {
    memory,
    copies,
    sleep() {
      let end: (() => void) | undefined;
      const until = new Promise<void>((resolve) => {
        end = resolve;
      });
      asleep ??= { until, wake: () => end?.() };
    },
    wake,
    get isAsleep() {
      return asleep !== undefined;
    },
    async leave() {
      wake();
      await memory.close();
    },
  };
}

/** Chance of their own: when they are asked is nobody's to say, and the history's must stay the same. */
export function holderRandom(bytes: number): Uint8Array {
  return randomBytes(bytes);
}
