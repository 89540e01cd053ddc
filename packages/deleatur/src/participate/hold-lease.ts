// The lease of one process over one surface in its memory: joined, renewed, answered for, ended. It must not end while something is still listed, and never by time.
import { makeExchangePair } from "../ledger/exchange-seal.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { currentWriter } from "../ledger/process-identity.ts";
import type { Boundary } from "../model/declaration.ts";
import { StoreError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";
import { answerOrders } from "./answer-orders.ts";
import { forbiddenKeys } from "./forbidden-keys.ts";
import type { HeldMemory } from "./hold-memory.ts";

export interface LeaseOptions {
  /** How long the process may be silent before others stop counting on an answer, in ms; 15,000 where absent. It never ends a lease. */
  readonly leaseMs?: number;
  /** How often the ledger is asked for orders, in ms; 100 where absent. */
  readonly pollMs?: number;
  /** Told what went wrong while orders were answered, a locked ledger for example; it is tried again at the next poll. */
  readonly onError?: (error: unknown) => void;
}

export interface LeaseParts {
  readonly boundary: Pick<Boundary, "identifiers">;
  readonly ledger: Ledger;
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
}

export interface Lease {
  /** Lets go of what was erased or is being erased while this process did not take part. @throws StoreError NOT_LET_GO, PARTICIPANT_BLIND */
  dropForbidden(): Promise<void>;
  /** Lets go of everything, sees that nothing is listed any more, and ends the lease. @throws StoreError NOT_LET_GO; then the lease stands */
  end(): Promise<void>;
  /** Answers nobody any more; the lease stands until the process is gone. */
  stop(): void;
}

const LEASE_MS = 15_000;
const POLL_MS = 100;

/** Joins, and answers from now on. Its timer keeps no process alive. */
export function holdLease(
  parts: LeaseParts,
  surface: SurfaceId,
  memory: HeldMemory,
  purpose: "memory" | "control",
  options: LeaseOptions = {},
): Lease {
  const { ledger, clock, random } = parts;
  const { leaseMs = LEASE_MS, pollMs = POLL_MS } = options;
  const exchange = makeExchangePair();
  const stopped = new AbortController();
  const answered = new Set<string>();
  let isBusy = false;
  let leaseUntil = 0;
  let renewAt = 0;
  let isChecked = true;

  const join = (): string =>
    ledger.joinParticipant({ surface, purpose, exchange: exchange.publicKey, process: currentWriter(), leaseMs });
  const noteRenewal = (): void => {
    leaseUntil = clock().getTime() + leaseMs;
    renewAt = leaseUntil - (leaseMs * 2) / 3;
  };
  let id = join();
  noteRenewal();

  /** What was asked while this process slept may have been given up: it finds out by itself what it may hold no more. */
  function renew(): void {
    const now = clock().getTime();
    if (now < renewAt) return;
    if (now >= leaseUntil) isChecked = false;
    if (!ledger.renewParticipant(id, leaseMs)) {
      id = join();
      isChecked = false;
    }
    noteRenewal();
  }

  async function work(): Promise<void> {
    if (!isChecked && purpose === "memory") await dropForbidden();
    isChecked = true;
    await answerOrders({ ledger, random, memory, exchange }, id, answered, stopped.signal);
  }

  async function dropForbidden(): Promise<void> {
    const keys = forbiddenKeys(ledger, await listed(surface, memory));
    if (keys.length > 0) refuseLeft(surface, await memory.letGo(keys, stopped.signal));
  }

  const timer = setInterval(() => {
    try {
      renew();
      if (isBusy) return;
      isBusy = true;
      work()
        .catch((error: unknown) => {
          if (!stopped.signal.aborted) options.onError?.(error);
        })
        .finally(() => {
          isBusy = false;
        });
    } catch (error) {
      options.onError?.(error);
    }
  }, pollMs);
  timer.unref();

  const stop = (): void => {
    clearInterval(timer);
    stopped.abort();
  };
  return {
    dropForbidden,
    async end() {
      if (stopped.signal.aborted) return;
      const keys = (await listed(surface, memory)).map(({ key }) => key);
      if (keys.length > 0) refuseLeft(surface, await memory.letGo(keys, stopped.signal));
      ledger.endParticipant(id);
      stop();
    },
    stop,
  };
}

async function listed(surface: SurfaceId, memory: HeldMemory): ReturnType<HeldMemory["list"]> {
  try {
    return await memory.list();
  } catch {
    throw new StoreError("PARTICIPANT_BLIND", `what this process holds of ${surface} cannot be listed`, {
      place: { surface },
      cure: "mend `entries` of the participant",
    });
  }
}

function refuseLeft(surface: SurfaceId, left: Awaited<ReturnType<HeldMemory["letGo"]>>): void {
  if (left.length === 0) return;
  throw new StoreError("NOT_LET_GO", `${left.length} entries of ${surface} are still listed after they were evicted`, {
    place: { surface },
    cure: "mend `evict` of the participant; until then its lease stands and nothing here counts as erased",
  });
}
