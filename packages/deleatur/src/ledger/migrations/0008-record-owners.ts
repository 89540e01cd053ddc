// Migration 8: whose the records were that a request about records named, so that a later request about that person knows of it.
import type { Migration } from "../migrate.ts";

const SQL = `
-- owner: the keyed digest of an identifier that a named record, or what it was made from, was tagged with before its erase.
CREATE TABLE record_owners (
  owner BLOB NOT NULL CHECK (length(owner) = 32),
  request TEXT NOT NULL,
  PRIMARY KEY (owner, request)
) STRICT, WITHOUT ROWID;
`;

export const recordOwnersMigration: Migration = { version: 8, sql: SQL };
