// Migration 1: the whole ledger. Portable SQL; a migration is never edited once it is released.
import type { Migration } from "../migrate.ts";

const SQL = `
CREATE TABLE meta (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- id: counts up, so that what is recorded together stands together; a row stays for good, and its id with it.
-- digest: HMAC of surface and key. sealed: the key, NULL once erased. content_tag: HMAC of the content's digest.
-- state 0 mentioned (named as a source, never recorded itself), 1 live, 2 erased. known_by, origin: 0 recorded, 1 declared, 2 inferred.
CREATE TABLE artifacts (
  id INTEGER NOT NULL PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  surface TEXT NOT NULL,
  state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
  known_by INTEGER NOT NULL CHECK (known_by IN (0, 1, 2)),
  sealed BLOB,
  content_tag BLOB,
  erased_at TEXT,
  CHECK ((state = 2) = (sealed IS NULL))
) STRICT;

-- Both ends are ids of artifacts.
CREATE TABLE derivations (
  source INTEGER NOT NULL,
  derived INTEGER NOT NULL,
  origin INTEGER NOT NULL CHECK (origin IN (0, 1, 2)),
  PRIMARY KEY (source, derived)
) STRICT, WITHOUT ROWID;
CREATE INDEX derivations_by_derived ON derivations (derived, source);

CREATE TABLE identifiers (
  id INTEGER NOT NULL PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  sealed BLOB NOT NULL
) STRICT;

-- Ids of identifiers and artifacts.
CREATE TABLE artifact_subjects (
  subject INTEGER NOT NULL,
  artifact INTEGER NOT NULL,
  PRIMARY KEY (subject, artifact)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_subjects_by_artifact ON artifact_subjects (artifact, subject);

-- What was erased, for good: a key that is taken again stays in here.
CREATE TABLE erasures (
  artifact BLOB NOT NULL,
  request TEXT NOT NULL,
  at TEXT NOT NULL,
  content_tag BLOB,
  PRIMARY KEY (artifact, request)
) STRICT, WITHOUT ROWID;

CREATE TABLE holds (
  artifact BLOB NOT NULL PRIMARY KEY,
  sealed BLOB NOT NULL,
  until TEXT NOT NULL,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row for all writes that began together. states: a letter for each of them, o open, u unresolved, - ended; sealed: the list of them, without the ended.
CREATE TABLE intents (
  id TEXT NOT NULL PRIMARY KEY,
  states TEXT NOT NULL CHECK (states GLOB '*[ou]*'),
  sealed BLOB NOT NULL,
  begun TEXT NOT NULL,
  lease_until TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE fences (
  digest BLOB NOT NULL,
  request TEXT NOT NULL,
  PRIMARY KEY (digest, request)
) STRICT, WITHOUT ROWID;
CREATE INDEX fences_by_request ON fences (request);

CREATE TABLE denylist (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('identifier', 'record', 'exact', 'folded')),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  request TEXT NOT NULL,
  shared INTEGER NOT NULL CHECK (shared IN (0, 1)),
  since TEXT NOT NULL,
  UNIQUE (kind, digest, request)
) STRICT, WITHOUT ROWID;
CREATE INDEX denylist_by_request ON denylist (request);

CREATE TABLE denylist_owners (
  entry TEXT NOT NULL REFERENCES denylist (id) ON DELETE CASCADE,
  owner BLOB NOT NULL,
  PRIMARY KEY (entry, owner)
) STRICT, WITHOUT ROWID;

-- wrapped_key: the request's own key under the request key, NULL once closed; sealed_order goes with it.
CREATE TABLE requests (
  id TEXT NOT NULL PRIMARY KEY,
  target TEXT NOT NULL CHECK (target IN ('person', 'records')),
  state TEXT NOT NULL CHECK (state IN ('received', 'blocked', 'erasing', 'waiting', 'confirming', 'closed', 'stuck')),
  why TEXT,
  until TEXT,
  wrapped_key BLOB,
  sealed_order BLOB,
  sealed_receipt BLOB,
  boundary_digest TEXT NOT NULL,
  received TEXT,
  due TEXT NOT NULL,
  opened TEXT NOT NULL,
  updated TEXT NOT NULL,
  closed TEXT,
  verdict TEXT CHECK (verdict IN ('COMPLIANT', 'PARTIAL', 'UNCONFIRMED')),
  reasons TEXT,
  attestation TEXT CHECK (attestation IN ('erasure', 'tombstone', 'withheld')),
  effective TEXT,
  epoch INTEGER,
  claim_host TEXT,
  claim_pid INTEGER,
  claim_started TEXT,
  claim_until TEXT,
  CHECK ((state = 'closed') = (wrapped_key IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE request_selectors (
  digest BLOB NOT NULL,
  request TEXT NOT NULL REFERENCES requests (id),
  PRIMARY KEY (digest, request)
) STRICT, WITHOUT ROWID;

CREATE TABLE request_steps (
  request TEXT NOT NULL REFERENCES requests (id),
  name TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  started TEXT NOT NULL,
  finished TEXT,
  detail TEXT,
  PRIMARY KEY (request, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE request_items (
  request TEXT NOT NULL REFERENCES requests (id),
  artifact BLOB NOT NULL,
  ordinal INTEGER NOT NULL,
  surface TEXT NOT NULL,
  sealed BLOB NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('erase', 'rewrite', 'keep', 'unreach')),
  depth INTEGER NOT NULL,
  origins TEXT NOT NULL,
  outcome TEXT,
  why TEXT,
  PRIMARY KEY (request, artifact)
) STRICT, WITHOUT ROWID;

CREATE TABLE request_item_counts (
  request TEXT NOT NULL REFERENCES requests (id),
  surface TEXT NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (request, surface, action, outcome)
) STRICT, WITHOUT ROWID;

CREATE TABLE request_sealed (
  request TEXT NOT NULL REFERENCES requests (id),
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (request, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE epochs (
  epoch INTEGER NOT NULL PRIMARY KEY,
  root TEXT,
  boundary_digest TEXT,
  begun TEXT NOT NULL,
  finished TEXT,
  surfaces TEXT,
  key_destroyed INTEGER NOT NULL DEFAULT 0 CHECK (key_destroyed IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE boundary_versions (
  version INTEGER NOT NULL PRIMARY KEY,
  digest TEXT NOT NULL,
  public_form TEXT NOT NULL,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE risks (
  id TEXT NOT NULL PRIMARY KEY,
  request TEXT NOT NULL,
  surface TEXT NOT NULL,
  kind TEXT NOT NULL,
  cure TEXT NOT NULL,
  deadline TEXT NOT NULL,
  detail TEXT NOT NULL,
  opened TEXT NOT NULL,
  closed TEXT,
  evidence TEXT,
  CHECK ((closed IS NULL) = (evidence IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX risks_open ON risks (request, surface, kind) WHERE closed IS NULL;

CREATE TABLE log_entries (
  position INTEGER NOT NULL PRIMARY KEY,
  entry TEXT NOT NULL,
  leaf BLOB NOT NULL CHECK (length(leaf) = 32),
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX log_entries_by_at ON log_entries (at);

-- Hashes of full subtrees only, from level 1 on; they never change.
CREATE TABLE log_nodes (
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_checkpoints (
  size INTEGER NOT NULL PRIMARY KEY,
  root BLOB NOT NULL,
  note TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER log_entries_stay BEFORE UPDATE ON log_entries BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_entries_remain BEFORE DELETE ON log_entries BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_nodes_stay BEFORE UPDATE ON log_nodes BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_nodes_remain BEFORE DELETE ON log_nodes BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
`;

export const ledgerMigration: Migration = { version: 1, sql: SQL };
