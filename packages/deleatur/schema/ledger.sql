-- Schema version 10 of the ledger. Generated and compared by test/ledger/schema.test.ts.
CREATE TABLE adopted_holds (
  artifact BLOB NOT NULL PRIMARY KEY CHECK (length(artifact) = 32),
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE allowed_runs (
  gram INTEGER NOT NULL PRIMARY KEY,
  runs BLOB NOT NULL CHECK (length(runs) > 0 AND length(runs) % 6 = 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE allowed_texts (
  digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE anchor_outbox (
  number INTEGER NOT NULL PRIMARY KEY,
  record BLOB NOT NULL,
  chain BLOB NOT NULL CHECK (length(chain) = 32)
) STRICT;
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
CREATE TABLE anchor_step (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  known INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE artifact_subjects (
  subject INTEGER NOT NULL,
  artifact INTEGER NOT NULL,
  PRIMARY KEY (subject, artifact)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE boundary_versions (
  version INTEGER NOT NULL PRIMARY KEY,
  digest TEXT NOT NULL,
  public_form TEXT NOT NULL,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE denylist (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('identifier', 'record', 'exact', 'folded')),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  request TEXT NOT NULL,
  shared INTEGER NOT NULL CHECK (shared IN (0, 1)),
  since TEXT NOT NULL,
  UNIQUE (kind, digest, request)
) STRICT, WITHOUT ROWID;
CREATE TABLE denylist_owners (
  entry TEXT NOT NULL REFERENCES denylist (id) ON DELETE CASCADE,
  owner BLOB NOT NULL,
  PRIMARY KEY (entry, owner)
) STRICT, WITHOUT ROWID;
CREATE TABLE derivations (
  source INTEGER NOT NULL,
  derived INTEGER NOT NULL,
  origin INTEGER NOT NULL CHECK (origin IN (0, 1, 2)),
  PRIMARY KEY (source, derived)
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
CREATE TABLE erased_contents (
  artifact BLOB NOT NULL CHECK (length(artifact) = 32),
  request TEXT NOT NULL,
  tag BLOB NOT NULL CHECK (length(tag) IN (0, 32)),
  fate TEXT NOT NULL CHECK (fate IN ('erased', 'rewritten')),
  PRIMARY KEY (artifact, request, tag)
) STRICT, WITHOUT ROWID;
CREATE TABLE erasures (
  artifact BLOB NOT NULL,
  request TEXT NOT NULL,
  at TEXT NOT NULL,
  content_tag BLOB,
  PRIMARY KEY (artifact, request)
) STRICT, WITHOUT ROWID;
CREATE TABLE fences (
  digest BLOB NOT NULL,
  request TEXT NOT NULL,
  PRIMARY KEY (digest, request)
) STRICT, WITHOUT ROWID;
CREATE TABLE fingerprints (
  gram INTEGER NOT NULL,
  guard INTEGER NOT NULL REFERENCES guarded_requests (guard) ON DELETE CASCADE,
  runs BLOB NOT NULL CHECK (length(runs) > 0 AND length(runs) % 6 = 0),
  PRIMARY KEY (gram, guard)
) STRICT, WITHOUT ROWID;
CREATE TABLE guard_additions (
  generation INTEGER NOT NULL PRIMARY KEY,
  mark INTEGER NOT NULL,
  "values" BLOB NOT NULL CHECK (length("values") > 0 AND length("values") % 8 = 0)
) STRICT;
CREATE TABLE guard_filter (
  part INTEGER NOT NULL PRIMARY KEY,
  bits BLOB NOT NULL
) STRICT;
CREATE TABLE guard_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  mark INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  added INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  folded INTEGER NOT NULL,
  held INTEGER NOT NULL
) STRICT;
CREATE TABLE guard_terms (
  request TEXT NOT NULL PRIMARY KEY,
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE guarded_owners (
  guard INTEGER NOT NULL REFERENCES guarded_requests (guard) ON DELETE CASCADE,
  owner BLOB NOT NULL,
  PRIMARY KEY (guard, owner)
) STRICT, WITHOUT ROWID;
CREATE TABLE guarded_requests (
  guard INTEGER NOT NULL PRIMARY KEY,
  request TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
CREATE TABLE harvested_blocks (
  digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32)
) STRICT, WITHOUT ROWID;
CREATE TABLE held_writes (
  id TEXT NOT NULL PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  surface TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('held', 'allowed')),
  sealed BLOB,
  since TEXT NOT NULL,
  until TEXT NOT NULL,
  CHECK ((state = 'held') = (sealed IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE holds (
  artifact BLOB NOT NULL PRIMARY KEY,
  sealed BLOB NOT NULL,
  until TEXT NOT NULL,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE identifiers (
  id INTEGER NOT NULL PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  sealed BLOB NOT NULL
, type TEXT) STRICT;
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
CREATE TABLE kept_likenesses (
  artifact BLOB NOT NULL CHECK (length(artifact) = 32),
  tag BLOB NOT NULL CHECK (length(tag) IN (0, 32)),
  since TEXT NOT NULL,
  PRIMARY KEY (artifact, tag)
) STRICT, WITHOUT ROWID;
CREATE TABLE lifted_requests (
  request TEXT NOT NULL PRIMARY KEY,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE log_checkpoints (
  size INTEGER NOT NULL PRIMARY KEY,
  root BLOB NOT NULL,
  note TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE log_entries (
  position INTEGER NOT NULL PRIMARY KEY,
  entry TEXT NOT NULL,
  leaf BLOB NOT NULL CHECK (length(leaf) = 32),
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE log_nodes (
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE participant_answers (
  asked TEXT NOT NULL REFERENCES participant_orders (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (asked, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE participant_orders (
  id TEXT NOT NULL PRIMARY KEY,
  participant TEXT NOT NULL REFERENCES participants (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  placed TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE TABLE participated (
  surface TEXT NOT NULL PRIMARY KEY,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE record_owners (
  owner BLOB NOT NULL CHECK (length(owner) = 32),
  request TEXT NOT NULL,
  PRIMARY KEY (owner, request)
) STRICT, WITHOUT ROWID;
CREATE TABLE replays (
  request TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE request_item_counts (
  request TEXT NOT NULL REFERENCES requests (id),
  surface TEXT NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (request, surface, action, outcome)
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
CREATE TABLE request_sealed (
  request TEXT NOT NULL REFERENCES requests (id),
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (request, name)
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
CREATE TABLE stand_ins (
  request TEXT NOT NULL,
  original TEXT NOT NULL,
  PRIMARY KEY (request, original)
) STRICT, WITHOUT ROWID;
CREATE TABLE watch_runs (
  surface TEXT NOT NULL PRIMARY KEY,
  ended TEXT NOT NULL,
  is_clean INTEGER NOT NULL CHECK (is_clean IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_subjects_by_artifact ON artifact_subjects (artifact, subject);
CREATE INDEX denylist_by_request ON denylist (request);
CREATE INDEX derivations_by_derived ON derivations (derived, source);
CREATE INDEX fences_by_request ON fences (request);
CREATE INDEX fingerprints_by_guard ON fingerprints (guard);
CREATE INDEX guarded_owners_by_owner ON guarded_owners (owner);
CREATE INDEX identifiers_by_type ON identifiers (type);
CREATE INDEX log_entries_by_at ON log_entries (at);
CREATE INDEX participant_orders_by_participant ON participant_orders (participant, placed);
CREATE INDEX participants_by_surface ON participants (surface);
CREATE UNIQUE INDEX risks_open ON risks (request, surface, kind) WHERE closed IS NULL;
CREATE INDEX stand_ins_by_original ON stand_ins (original);
CREATE TRIGGER harvested_until_cut AFTER DELETE ON derivations BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_doubted AFTER UPDATE OF origin ON derivations
WHEN NEW.origin > OLD.origin BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_dropped AFTER DELETE ON artifacts BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_erased AFTER UPDATE OF state, known_by ON artifacts
WHEN NEW.state <> OLD.state AND OLD.state = 1 OR NEW.known_by > OLD.known_by BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER harvested_until_untagged AFTER DELETE ON artifact_subjects BEGIN DELETE FROM harvested_blocks; END;
CREATE TRIGGER log_entries_remain BEFORE DELETE ON log_entries BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_entries_stay BEFORE UPDATE ON log_entries BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_nodes_remain BEFORE DELETE ON log_nodes BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_nodes_stay BEFORE UPDATE ON log_nodes BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
