// The moments of a run at which something may come between: every progress event and every change of the ledger. What comes between is the caller's.
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ProgressEvent } from "../../src/progress.ts";

/** Thrown where the process would have died; what runs on behind it acts on files that are thrown away. */
export class Crashed extends Error {}

export interface Moments {
  /** Called at each moment with its number and name; what it throws ends the run there. */
  onMoment: ((at: number, name: string) => void) | undefined;
  report(event: ProgressEvent): void;
  /** The same ledger, with a moment before each of its changes. */
  watch(ledger: Ledger): Ledger;
  reset(): void;
  readonly count: number;
}

// A claim is renewed by the clock, not by the run: it is no place in a history.
const CHANGES =
  /^(?:put|add|update|start|finish|raise|lower|extend|record|close|release|mark|drop|open|append|begin|commit|resolve|abort|transaction|new|destroy|hold|settle|anchor)/u;

export function createMoments(): Moments {
  let count = 0;
  const moments: Moments = {
    onMoment: undefined,
    get count() {
      return count;
    },
    reset() {
      count = 0;
    },
    report({ step, phase, surface }) {
      pass(`${step} ${phase}${surface === undefined ? "" : ` ${surface}`}`);
    },
    watch(ledger) {
      return new Proxy(ledger, {
        get(target, name, receiver): unknown {
          const value: unknown = Reflect.get(target, name, receiver);
          if (typeof value !== "function" || typeof name !== "string" || !CHANGES.test(name)) return value;
          return (...given: readonly unknown[]): unknown => {
            pass(`ledger ${name}`);
            return Reflect.apply(value, target, given) as unknown;
          };
        },
      });
    },
  };
  function pass(name: string): void {
    if (moments.onMoment === undefined) return;
    count += 1;
    moments.onMoment(count, name);
  }
  return moments;
}
