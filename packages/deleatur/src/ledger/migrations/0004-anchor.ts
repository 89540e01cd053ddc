// Migration 4: what a ledger that was set back, and stores that were restored, are known by: the anchor's state, and what was erased with which content.
import type { Migration } from "../migrate.ts";

const SQL = `
-- One row once there was an anchor. issued, confirmed: numbers of records; chain: hash over all of them. rolled_back: JSON, set until a replay has ended.
-- known_before: the last of artifacts.id when the ledger was first set back; what a harvest alone entered behind it may lack what only the SDK was told.
CREATE TABLE anchor_state (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  anchor BLOB NOT NULL CHECK (length(anchor) = 16),
  issued INTEGER NOT NULL,
  chain BLOB NOT NULL CHECK (length(chain) = 32),
  confirmed INTEGER NOT NULL CHECK (confirmed <= issued),
  confirmed_chain BLOB NOT NULL CHECK (length(confirmed_chain) = 32),
  rolled_back TEXT,
  known_before INTEGER
) STRICT, WITHOUT ROWID;

-- Records that the anchor is not known to have yet.
CREATE TABLE anchor_outbox (
  number INTEGER NOT NULL PRIMARY KEY,
  record BLOB NOT NULL,
  chain BLOB NOT NULL CHECK (length(chain) = 32)
) STRICT;

-- Written before the first delete. artifact: as in artifacts; tag: HMAC over its content, empty where it had none.
CREATE TABLE erased_contents (
  artifact BLOB NOT NULL CHECK (length(artifact) = 32),
  request TEXT NOT NULL,
  tag BLOB NOT NULL CHECK (length(tag) IN (0, 32)),
  fate TEXT NOT NULL CHECK (fate IN ('erased', 'rewritten')),
  PRIMARY KEY (artifact, request, tag)
) STRICT, WITHOUT ROWID;

-- Requests of which everything was lifted: what they erased may be there again.
CREATE TABLE lifted_requests (
  request TEXT NOT NULL PRIMARY KEY,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Holds that the anchor knew and a ledger that was set back did not: the key is known again when a scan meets it.
CREATE TABLE adopted_holds (
  artifact BLOB NOT NULL PRIMARY KEY CHECK (length(artifact) = 32),
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Requests that a replay opened and has not seen to their end.
CREATE TABLE replays (
  request TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Likenesses that a review kept as lawful: no later look reports them again.
CREATE TABLE kept_likenesses (
  artifact BLOB NOT NULL PRIMARY KEY CHECK (length(artifact) = 32),
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last look that a watch ended, by surface.
CREATE TABLE watch_runs (
  surface TEXT NOT NULL PRIMARY KEY,
  ended TEXT NOT NULL,
  is_clean INTEGER NOT NULL CHECK (is_clean IN (0, 1))
) STRICT, WITHOUT ROWID;
`;

export const anchorMigration: Migration = { version: 4, sql: SQL };
