// Migration 2: what the guard needs to find contained text, to hold a write for review, and to let boilerplate in. A migration is never edited once it is released.
import type { Migration } from "../migrate.ts";

const SQL = `
-- One row for each request with fingerprints; guard is a random number that keeps their rows small.
CREATE TABLE guarded_requests (
  guard INTEGER NOT NULL PRIMARY KEY,
  request TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

CREATE TABLE guarded_owners (
  guard INTEGER NOT NULL REFERENCES guarded_requests (guard) ON DELETE CASCADE,
  owner BLOB NOT NULL,
  PRIMARY KEY (guard, owner)
) STRICT, WITHOUT ROWID;

CREATE INDEX guarded_owners_by_owner ON guarded_owners (owner);

-- gram: keyed hash of five words. runs: keyed hashes, 6 bytes each, of the runs of eight words whose least gram it is.
CREATE TABLE fingerprints (
  gram INTEGER NOT NULL,
  guard INTEGER NOT NULL REFERENCES guarded_requests (guard) ON DELETE CASCADE,
  runs BLOB NOT NULL CHECK (length(runs) > 0 AND length(runs) % 6 = 0),
  PRIMARY KEY (gram, guard)
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprints_by_guard ON fingerprints (guard);

-- Until when a request's entries stand at least, where its boundary says so. Nothing goes by this alone: past it, a named lift may take them out.
CREATE TABLE guard_terms (
  request TEXT NOT NULL PRIMARY KEY,
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The guard's filter. guard_filter: the bits of a Bloom filter over the grams and the first 53 bits of the denylist's digests, in parts. guard_additions: what was
-- filed since, 8 bytes each. mark: random, new with every addition. All of it can be made anew from fingerprints and denylist.
CREATE TABLE guard_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  mark INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  added INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  folded INTEGER NOT NULL,
  held INTEGER NOT NULL
) STRICT;
INSERT INTO guard_state VALUES (1, 0, 0, 0, 0, 0, 0);

CREATE TABLE guard_filter (
  part INTEGER NOT NULL PRIMARY KEY,
  bits BLOB NOT NULL
) STRICT;

CREATE TABLE guard_additions (
  generation INTEGER NOT NULL PRIMARY KEY,
  mark INTEGER NOT NULL,
  "values" BLOB NOT NULL CHECK (length("values") > 0 AND length("values") % 8 = 0)
) STRICT;

-- digest: HMAC of a write's surface, key, subjects and content. sealed: the write itself, NULL once it may be written.
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

-- What anybody may write, whoever was forgotten: keyed digests of whole texts.
CREATE TABLE allowed_texts (
  digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE allowed_runs (
  gram INTEGER NOT NULL PRIMARY KEY,
  runs BLOB NOT NULL CHECK (length(runs) > 0 AND length(runs) % 6 = 0)
) STRICT, WITHOUT ROWID;
`;

export const guardMigration: Migration = { version: 2, sql: SQL };
