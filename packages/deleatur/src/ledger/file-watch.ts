// Looks at the ledger's file before each write: moved, replaced, deleted or cut off while it is open, it takes no more. It never opens the file itself, which would drop SQLite's locks on it.
import { statSync } from "node:fs";
import { LedgerError } from "../model/errors.ts";

export interface FileWatch {
  /** @throws LedgerError LEDGER_LOST | LEDGER_DAMAGED */
  refuseChanged(): void;
}

interface Seen {
  readonly identity: string;
  readonly size: number;
}

/** Begins with the file as it is now. `isWhole` reads all of it by a connection of its own, once for each time that the file became smaller. */
export function watchFile(file: string, isWhole: () => boolean): FileWatch {
  let seen = look(file);
  return {
    refuseChanged() {
      const found = look(file);
      // SQLite goes on writing to a file that was deleted or replaced; nobody else would see what is written there.
      if (found?.identity !== seen?.identity)
        throw new LedgerError("LEDGER_LOST", `the ledger ${file} was moved, replaced or deleted while it was open`, {
          place: { file },
          cure: "put it back, or close the program and open it again",
        });
      // A VACUUM makes it smaller as well; an empty one is never looked into, SQLite would drop its write-ahead log.
      if (found !== undefined && seen !== undefined && found.size < seen.size && (found.size === 0 || !isWhole()))
        throw new LedgerError("LEDGER_DAMAGED", `the ledger ${file} was cut off while it was open`, {
          place: { file },
          cure: "close the program, restore the ledger and its keys from a backup, then `deleatur replay --all`",
        });
      seen = found;
    },
  };
}

/** What tells a file from another one that takes its place under the same name, and its bytes. */
function look(file: string): Seen | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : { identity: `${found.dev}/${found.ino}`, size: found.size };
}
