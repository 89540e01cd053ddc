// Turns what SQLite throws into a StoreError of a stable code. It never repeats SQLite's words where they could carry a value.
import { whereItIsFull } from "../../disk-room.ts";
import { DeleaturError, StoreError } from "../../model/errors.ts";

interface Trouble {
  readonly code: string;
  readonly what: string;
  readonly cure: string;
}

const TROUBLES: readonly (readonly [prefix: string, trouble: Trouble])[] = [
  [
    "SQLITE_BUSY",
    { code: "STORE_LOCKED", what: "is locked by another process", cure: "end its transaction and run again" },
  ],
  ["SQLITE_LOCKED", { code: "STORE_LOCKED", what: "is locked", cure: "end the other transaction and run again" }],
  ["SQLITE_CORRUPT", { code: "STORE_CORRUPT", what: "is damaged", cure: "restore or repair it, then run again" }],
  ["SQLITE_NOTADB", { code: "STORE_CORRUPT", what: "is not a SQLite database", cure: "mend its file under connect" }],
  ["SQLITE_FULL", { code: "STORE_FULL", what: "has no room left on its disk", cure: "free space and run again" }],
  ["SQLITE_IOERR", { code: "STORE_IO", what: "cannot be read or written", cure: "look at its disk and run again" }],
  [
    "SQLITE_READONLY",
    { code: "STORE_READONLY", what: "may not be written", cure: "mend its permissions and run again" },
  ],
  ["SQLITE_CANTOPEN", { code: "STORE_UNREADABLE", what: "cannot be opened", cure: "mend its path or its permissions" }],
  ["SQLITE_PERM", { code: "STORE_UNREADABLE", what: "cannot be opened", cure: "mend its permissions" }],
  ["SQLITE_SCHEMA", { code: "STORE_CHANGED", what: "changed its schema meanwhile", cure: "run check, then run again" }],
];

/** What the schema uses and only the application's own connections have; SQLite's words name it, so they are not repeated. */
const MISSING: readonly (readonly [said: RegExp, what: string])[] = [
  [/^(?:no such|unknown) function/, "a function"],
  [/^no such collation sequence/, "a collation"],
  [/^no such module/, "a module for virtual tables"],
];

function missingPart(cause: unknown): string | undefined {
  return cause instanceof Error ? MISSING.find(([said]) => said.test(cause.message))?.[1] : undefined;
}

/** SQLite's own code of an error (`SQLITE_BUSY`), or undefined where it is none of SQLite's. */
export function sqliteCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !("code" in cause) || typeof cause.code !== "string") return undefined;
  return cause.code.startsWith("SQLITE_") ? cause.code : undefined;
}

/** The error to throw for what went wrong in a store; our own errors pass. `file`: the store's, by which a disk without room is named. */
export function storeError(cause: unknown, store: string, file?: string): Error {
  if (cause instanceof DeleaturError) return cause;
  const code = sqliteCode(cause);
  if (code === undefined)
    return cause instanceof Error ? cause : new StoreError("STORE_FAILED", `store ${store} failed`);
  const missing = missingPart(cause);
  if (missing !== undefined) {
    const cure =
      "take what uses it out of the schema (an index, a trigger, a generated column), or keep it in a file of its own";
    return new StoreError(
      "STORE_PART_MISSING",
      `store ${store} uses ${missing} that only the application's own connections have, ${cure}`,
      { place: { store }, cure },
    );
  }
  const trouble = TROUBLES.find(([prefix]) => code.startsWith(prefix))?.[1];
  if (trouble !== undefined) {
    const isOfDisk = trouble.code === "STORE_FULL" || trouble.code === "STORE_IO";
    const where = isOfDisk && file !== undefined ? whereItIsFull(file) : "";
    return new StoreError(trouble.code, `store ${store} ${trouble.what}${where}, ${trouble.cure}`, {
      place: { store },
      cure: trouble.cure,
      cause,
    });
  }
  if (cause instanceof Error && /^no such (table|column)|has no column named/.test(cause.message)) {
    return new StoreError("STORE_CHANGED", `store ${store} lost a declared table or column, run check`, {
      place: { store },
      cure: "run check and mend the boundary",
    });
  }
  return new StoreError("STORE_FAILED", `store ${store} refused a statement (${code})`, { place: { store } });
}

/** Why a single row could not be changed, without any value of it. */
export function refusalReason(cause: unknown): string {
  const code = sqliteCode(cause);
  if (code === undefined) return "the store failed";
  const missing = missingPart(cause);
  if (missing !== undefined)
    return `a trigger, an index or a generated column uses ${missing} that only the application's own connections have`;
  switch (code) {
    case "SQLITE_CONSTRAINT_NOTNULL":
      return "a column may not be empty (NOT NULL)";
    case "SQLITE_CONSTRAINT_FOREIGNKEY":
      return "another row refers to it (foreign key)";
    case "SQLITE_CONSTRAINT_TRIGGER":
      return "a trigger of the store refused it";
    case "SQLITE_CONSTRAINT_UNIQUE":
    case "SQLITE_CONSTRAINT_PRIMARYKEY":
      return "another row already has this value";
    case "SQLITE_CONSTRAINT_CHECK":
      return "a check of the table refused it";
    default:
      return `the store refused it (${code})`;
  }
}

/** Whether an error belongs to one row (so that others may go on) and not to the whole store. */
export function isRowRefusal(cause: unknown): boolean {
  const code = sqliteCode(cause);
  return (
    code !== undefined &&
    (code.startsWith("SQLITE_CONSTRAINT") || code === "SQLITE_ERROR" || code === "SQLITE_MISMATCH")
  );
}
