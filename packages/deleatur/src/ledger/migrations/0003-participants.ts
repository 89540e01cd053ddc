// Migration 3: processes that hold a surface in their memory, what they are asked, and what they answer. A migration is never edited once it is released.
import type { Migration } from "../migrate.ts";

const SQL = `
-- Surfaces that any process ever took part in: where none did, nobody knows what is in its memory.
CREATE TABLE participated (
  surface TEXT NOT NULL PRIMARY KEY,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- exchange: public X25519 key, whose private half lives in that process alone. purpose control: holds a canary for a probe, and nothing else.
CREATE TABLE participants (
  id TEXT NOT NULL PRIMARY KEY,
  surface TEXT NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('memory', 'control')),
  exchange BLOB NOT NULL CHECK (length(exchange) = 32),
  joined TEXT NOT NULL,
  lease_until TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX participants_by_surface ON participants (surface);

-- sealed: opens with the participant's private half only. The asker's process is named, so that what it left behind can be dropped.
CREATE TABLE participant_orders (
  id TEXT NOT NULL PRIMARY KEY,
  participant TEXT NOT NULL REFERENCES participants (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  placed TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX participant_orders_by_participant ON participant_orders (participant, placed);

-- sealed: opens with a key of the asker that was made for this order and never leaves its memory.
CREATE TABLE participant_answers (
  asked TEXT NOT NULL REFERENCES participant_orders (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (asked, part)
) STRICT, WITHOUT ROWID;
`;

export const participantsMigration: Migration = { version: 3, sql: SQL };
