// Migration 5: how far the ledger knew its artifacts when it was last seen in step with its anchor.
import type { Migration } from "../migrate.ts";

const SQL = `
-- known: the last of artifacts.id then. What a harvest alone enters behind it counts as lost where the anchor, out of reach meanwhile, tells that the ledger was set back.
CREATE TABLE anchor_step (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  known INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const anchorStepMigration: Migration = { version: 5, sql: SQL };
