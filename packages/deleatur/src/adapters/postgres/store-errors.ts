// Turns what PostgreSQL and its client throw into a StoreError of a stable code. Pure; it never repeats their words, which may carry a value or an address.
import { DeleaturError, StoreError } from "../../model/errors.ts";
import { isUntrusted, UNTRUSTED } from "../untrusted-certificate.ts";

interface Trouble {
  readonly code: string;
  readonly what: string;
  readonly cure: string;
}

const UNREACHABLE: Trouble = {
  code: "STORE_UNREACHABLE",
  what: "does not answer",
  cure: "start it or mend its address, then run again",
};

/** By SQLSTATE, the longest fitting start first. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const TROUBLES: readonly (readonly [prefix: string, trouble: Trouble])[] = [
  ["08", UNREACHABLE],
  ["57P", UNREACHABLE],
  ["3D", { code: "STORE_MISSING", what: "has no such database", cure: "mend its url under connect" }],
  ["28", { code: "STORE_REFUSED", what: "refuses the user or the password", cure: "mend its url under connect" }],
  ["42501", { code: "STORE_FORBIDDEN", what: "denies the role a right", cure: "grant it, or connect as the owner" }],
  ["25006", { code: "STORE_READONLY", what: "may not be written", cure: "connect to the primary, or lift read-only" }],
  [
    "55000",
    {
      code: "STORE_FAILED",
      what: "is not in a state for this",
      cure: "look at its log (a table that is published needs a REPLICA IDENTITY before rows of it can be deleted), then run again",
    },
  ],
  ["55P03", { code: "STORE_LOCKED", what: "is locked", cure: "end the other transaction and run again" }],
  ["40", { code: "STORE_LOCKED", what: "kept refusing beside other writers", cure: "run again" }],
  ["57014", { code: "STORE_TIMEOUT", what: "cancelled a statement", cure: "raise statement_timeout for the role" }],
  ["53100", { code: "STORE_FULL", what: "has no room left on its disk", cure: "free space and run again" }],
  ["53", { code: "STORE_LOCKED", what: "has no connection or memory to spare", cure: "run again later" }],
  ["58", { code: "STORE_IO", what: "cannot read or write its files", cure: "look at its disk and run again" }],
  [
    "XX000",
    { code: "STORE_IO", what: "met an error of its own", cure: "look at its log and its disk, then run again" },
  ],
  ["XX00", { code: "STORE_CORRUPT", what: "says that it is damaged", cure: "repair it, then run again" }],
  ["42P01", { code: "STORE_CHANGED", what: "lost a declared table", cure: "run check and mend the boundary" }],
  ["42703", { code: "STORE_CHANGED", what: "lost a declared column", cure: "run check and mend the boundary" }],
  ["3F000", { code: "STORE_CHANGED", what: "lost a declared schema", cure: "run check and mend the boundary" }],
];

/** So ends a session that begins where its cache of the catalog cannot be written: by no code of its own (XX000). */
const NO_ROOM_AT_START = "could not write init file";

/** The server's own code of an error (`23503`), but a full disk's where it says so by words alone; undefined where it is none of the server's. */
export function sqlState(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !("code" in cause) || typeof cause.code !== "string") return undefined;
  if (!/^[0-9A-Z]{5}$/.test(cause.code) || !("severity" in cause)) return undefined;
  return cause.message === NO_ROOM_AT_START ? "53100" : cause.code;
}

/** The error to throw for what went wrong in a store; our own errors pass. */
export function storeError(cause: unknown, store: string): Error {
  if (cause instanceof DeleaturError) return cause;
  const state = sqlState(cause);
  const trouble =
    state === undefined ? clientTrouble(cause) : TROUBLES.find(([prefix]) => state.startsWith(prefix))?.[1];
  if (trouble !== undefined)
    return new StoreError(trouble.code, `store ${store} ${trouble.what}${fullPart(cause)}, ${trouble.cure}`, {
      place: { store },
      cure: trouble.cure,
    });
  if (state === undefined && cause instanceof Error) return cause;
  return new StoreError("STORE_FAILED", `store ${store} refused a statement (${state ?? "unknown"})`, {
    place: { store },
  });
}

/** Of a full disk, the folder of the server's that could not grow: they may lie on several file systems. */
function fullPart(cause: unknown): string {
  if (sqlState(cause) !== "53100" || !(cause instanceof Error)) return "";
  // The server's words name a file of its own; the folder alone is repeated.
  const [, folder] =
    /"(?:\S*\/)?(base|global|pg_wal|pg_xact|pg_multixact|pg_tblspc|pgsql_tmp)\//.exec(cause.message) ?? [];
  return folder === undefined ? "" : ` (the file system of ${folder} in its data folder)`;
}

/** What the client itself says of a connection that broke or never stood. */
function clientTrouble(cause: unknown): Trouble | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (isUntrusted(cause)) return UNTRUSTED;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (/^E[A-Z_]+$/.test(code) && code !== "ERR_") return UNREACHABLE;
  return /connection|timeout expired|Client/i.test(cause.message) ? UNREACHABLE : undefined;
}

/** Why a single row could not be changed, without any value of it. */
export function refusalReason(cause: unknown): string {
  const state = sqlState(cause);
  switch (state) {
    case "23502":
      return "a column may not be empty (NOT NULL)";
    case "23503":
      return "rows of another table refer to it (foreign key): declare that table, so that they go first, or delete them";
    case "23505":
      return "another row already has this value";
    case "23514":
      return "a check of the table refused it";
    case "P0001":
      return "a trigger of the store refused it";
    case undefined:
      return "the store failed";
    default:
      return `the store refused it (${state})`;
  }
}

/** Whether an error belongs to one row (so that others may go on) and not to the whole store. */
export function isRowRefusal(cause: unknown): boolean {
  const state = sqlState(cause);
  return state !== undefined && /^(?:2[23]|27|38|39|P0)/.test(state);
}

/** Whether the same transaction may pass when it is tried again. */
export function isSerialization(cause: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(cause) ?? "");
}

export function isForbidden(cause: unknown): boolean {
  return sqlState(cause) === "42501";
}
