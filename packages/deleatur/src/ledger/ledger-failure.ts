// Turns what SQLite reports into the ledger's own errors, each with its cure. It must not repeat a statement or a value.
import { whereItIsFull } from "../disk-room.ts";
import { LedgerError } from "../model/errors.ts";

interface Failure {
  readonly code: string;
  readonly what: string;
  readonly cure: string;
}

const FAILURES: readonly (readonly [string, Failure])[] = [
  [
    "SQLITE_BUSY",
    {
      code: "LEDGER_LOCKED",
      what: "is locked by another process",
      cure: "let the other process finish, then run this again",
    },
  ],
  [
    "SQLITE_LOCKED",
    {
      code: "LEDGER_LOCKED",
      what: "is locked by another process",
      cure: "let the other process finish, then run this again",
    },
  ],
  [
    "SQLITE_FULL",
    {
      code: "LEDGER_FULL",
      what: "cannot grow, the disk or its quota is full",
      cure: "free space on its disk, then run this again",
    },
  ],
  [
    "SQLITE_CORRUPT",
    { code: "LEDGER_DAMAGED", what: "is damaged", cure: "restore it and its keys from a backup, then replay" },
  ],
  [
    "SQLITE_NOTADB",
    { code: "NOT_A_LEDGER", what: "is no SQLite database", cure: "name the ledger's file under connect.ledger" },
  ],
  [
    "SQLITE_READONLY",
    { code: "LEDGER_READONLY", what: "cannot be written", cure: "open it for writing, as a user that owns it" },
  ],
  [
    "SQLITE_CANTOPEN",
    {
      code: "LEDGER_UNREADABLE",
      what: "cannot be opened",
      cure: "check that its folder exists and that this user may read and write there",
    },
  ],
  [
    "SQLITE_PERM",
    { code: "LEDGER_UNREADABLE", what: "cannot be opened", cure: "check that this user may read and write it" },
  ],
  [
    "SQLITE_IOERR",
    { code: "LEDGER_IO", what: "cannot be read or written", cure: "check its disk, then run this again" },
  ],
];

function sqliteCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The ledger's error for what went wrong in SQLite; every other error comes back as it is. */
export function ledgerFailure(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  const place = { file };
  if (error instanceof TypeError && error.message.includes("connection is not open"))
    return new LedgerError("LEDGER_CLOSED", "the ledger was closed already, open it again", { place, cause: error });
  if (error instanceof TypeError && error.message.includes("directory does not exist")) {
    const cure = "make its folder, or name another under connect.ledger";
    return new LedgerError("LEDGER_UNREADABLE", `the folder of the ledger ${file} does not exist, ${cure}`, {
      place,
      cure,
      cause: error,
    });
  }
  if (code === undefined || !code.startsWith("SQLITE_")) return error;
  const found = FAILURES.find(([prefix]) => code === prefix || code.startsWith(`${prefix}_`))?.[1];
  const {
    code: name,
    what,
    cure,
  } = found ?? {
    code: "LEDGER_REFUSED",
    what: `refused a write (${code})`,
    cure: "report this, the ledger is unchanged",
  };
  const where = name === "LEDGER_FULL" || name === "LEDGER_IO" ? whereItIsFull(file) : "";
  return new LedgerError(name, `the ledger ${file} ${what}${where}, ${cure}`, { place, cure, cause: error });
}
