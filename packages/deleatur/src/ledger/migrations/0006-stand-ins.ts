// Migration 6: for which requests the request of a replay stands, so that a lift of those reaches it.
import type { Migration } from "../migrate.ts";

const SQL = `
-- request: opened by a replay, over what original had erased. Originals are never stand-ins themselves.
CREATE TABLE stand_ins (
  request TEXT NOT NULL,
  original TEXT NOT NULL,
  PRIMARY KEY (request, original)
) STRICT, WITHOUT ROWID;
CREATE INDEX stand_ins_by_original ON stand_ins (original);
`;

export const standInsMigration: Migration = { version: 6, sql: SQL };
