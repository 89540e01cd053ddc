// Migration 7: which blocks of rows a harvest has taken in, so that the next one need not ask about each row again.
import type { Migration } from "../migrate.ts";

const SQL = `
-- digest: HMAC over what a harvest read of a block of rows, all of which the ledger knew as live, with all of that, when the block was entered here.
-- Whatever takes something of that back, of any row, drops all blocks: then every row is asked about again.
CREATE TABLE harvested_blocks (
  digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER harvested_until_erased AFTER UPDATE OF state, known_by ON artifacts
WHEN NEW.state <> OLD.state AND OLD.state = 1 OR NEW.known_by > OLD.known_by BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_dropped AFTER DELETE ON artifacts BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_cut AFTER DELETE ON derivations BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_doubted AFTER UPDATE OF origin ON derivations
WHEN NEW.origin > OLD.origin BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_untagged AFTER DELETE ON artifact_subjects BEGIN DELETE FROM harvested_blocks; END;
`;

export const harvestedMigration: Migration = { version: 7, sql: SQL };
