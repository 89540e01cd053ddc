// Turns what a Redis client throws into a StoreError of a stable code. Pure; it never repeats the server's words, which may hold a key or a value.
import { DeleaturError, StoreError } from "../../model/errors.ts";
import { isUntrusted, UNTRUSTED } from "../untrusted-certificate.ts";

type Trouble = readonly [code: string, what: string, cure: string];

/** By the first word of a server's answer. */
const ANSWERS: Readonly<Record<string, Trouble>> = {
  NOAUTH: ["STORE_DENIED", "asks for credentials", "give them in the address under connect"],
  WRONGPASS: ["STORE_DENIED", "refuses its credentials", "mend the address under connect"],
  NOPERM: ["STORE_DENIED", "lacks a right for this user", "grant the rights that the adapter's README names"],
  READONLY: ["STORE_READONLY", "is a read-only replica", "name its primary under connect"],
  OOM: ["STORE_FULL", "is at its maxmemory and takes no write", "free memory or raise maxmemory"],
  MISCONF: ["STORE_FULL", "takes no write because it cannot save", "mend its disk and run again"],
  LOADING: ["STORE_LOCKED", "is still loading its data", "run again when it is up"],
  BUSY: ["STORE_LOCKED", "is held by a running script", "end the script and run again"],
  MASTERDOWN: ["STORE_LOCKED", "has lost its primary", "mend its replication and run again"],
  CLUSTERDOWN: [
    "CLUSTER_UNSUPPORTED",
    "is a cluster, of which one node shows one part",
    "give up the surface or use one server",
  ],
  MOVED: [
    "CLUSTER_UNSUPPORTED",
    "is a cluster, of which one node shows one part",
    "give up the surface or use one server",
  ],
  WRONGTYPE: ["STORE_CHANGED", "changed a key's type meanwhile", "run again"],
};

const UNREACHABLE: Trouble = ["STORE_MISSING", "cannot be reached", "start it or mend its address under connect"];

/** The first word of the server's own refusal (`NOPERM`), or undefined where the server said nothing. */
export function answerCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const word = /^([A-Z]{2,})(?: |$)/.exec(cause.message)?.[1];
  return word !== undefined && (word in ANSWERS || word === "ERR" || word === "NOSCRIPT") ? word : undefined;
}

export function troubleError(store: string, [code, what, cure]: Trouble): StoreError {
  return new StoreError(code, `store ${store} ${what}, ${cure}`, { place: { store }, cure });
}

/** A store that does not answer in time. */
export function slowError(store: string): StoreError {
  return troubleError(store, ["STORE_LOCKED", "does not answer in time", "look at its load and run again"]);
}

/** The error to throw for what went wrong; our own errors and an abort pass. */
export function redisError(cause: unknown, store: string): Error {
  if (cause instanceof DeleaturError) return cause;
  if (cause instanceof Error && cause.name === "AbortError") return cause;
  const code = answerCode(cause);
  if (code !== undefined)
    return troubleError(
      store,
      ANSWERS[code] ?? ["STORE_FAILED", "refused a command", "look at its version and rights"],
    );
  if (isUntrusted(cause)) return troubleError(store, [UNTRUSTED.code, UNTRUSTED.what, UNTRUSTED.cure]);
  return isUnreachable(cause) ? troubleError(store, UNREACHABLE) : troubleError(store, UNKNOWN);
}

const UNKNOWN: Trouble = ["STORE_FAILED", "failed", "look at its log and run again"];

function isUnreachable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ("code" in cause && typeof cause.code === "string" && /^E[A-Z]+$/.test(cause.code)) return true;
  if (cause instanceof AggregateError) return cause.errors.some(isUnreachable);
  return /^(?:Socket|Connection|Client|Disconnects|Reconnect|ENOTFOUND)/.test(cause.constructor.name);
}
