// Migration 9: a likeness is kept as it stands. What was kept before, under its key alone, is asked about again.
import type { Migration } from "../migrate.ts";

const SQL = `
DROP TABLE kept_likenesses;

-- Likenesses that a review kept as lawful: no later look reports them again, as long as they say this. tag: keyed digest of all that it said; empty where it said nothing.
CREATE TABLE kept_likenesses (
  artifact BLOB NOT NULL CHECK (length(artifact) = 32),
  tag BLOB NOT NULL CHECK (length(tag) IN (0, 32)),
  since TEXT NOT NULL,
  PRIMARY KEY (artifact, tag)
) STRICT, WITHOUT ROWID;
`;

export const keptContentsMigration: Migration = { version: 9, sql: SQL };
