// Migration 10: the type of an identifier in clear, so that types in use that nobody gave are found (LINEAGE-7). A type such as `account` is nobody's content.
import type { Migration } from "../migrate.ts";

const SQL = `
-- NULL until the ledger is opened: the type of what was entered before is read from its seal.
ALTER TABLE identifiers ADD COLUMN type TEXT;
CREATE INDEX identifiers_by_type ON identifiers (type);
`;

export const identifierTypesMigration: Migration = { version: 10, sql: SQL };
