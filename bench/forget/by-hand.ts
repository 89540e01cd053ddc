// The peer of a forget: a script that somebody wrote for this one store. It deletes by key, merges the index, rebuilds the file and empties the log, as our purge does.
import Database from "better-sqlite3";
import { load as loadVec } from "sqlite-vec";
import { performance } from "node:perf_hooks";

/** Milliseconds. The keys are known beforehand; the connection is opened and closed within the time. */
export function forgetByHand(file: string, account: string): number {
  const keys = keysOf(file, account);
  const begun = performance.now();
  const db = new Database(file);
  loadVec(db);
  db.pragma("secure_delete = ON");
  const remove = {
    summary: db.prepare<[number]>("DELETE FROM summaries WHERE id = ?"),
    vector: db.prepare<[bigint]>("DELETE FROM episode_vec WHERE id = ?"),
    entry: db.prepare<[number]>("DELETE FROM episodes_fts WHERE rowid = ?"),
    episode: db.prepare<[number]>("DELETE FROM episodes WHERE id = ?"),
  };
  db.transaction(() => {
    for (const id of keys.summaries) remove.summary.run(id);
    for (const id of keys.episodes) remove.vector.run(BigInt(id));
    for (const id of keys.episodes) remove.entry.run(id);
    for (const id of keys.episodes) remove.episode.run(id);
  })();
  db.exec("INSERT INTO episodes_fts (episodes_fts) VALUES ('optimize')");
  db.exec("VACUUM");
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return performance.now() - begun;
}

function keysOf(
  file: string,
  account: string,
): { readonly episodes: readonly number[]; readonly summaries: readonly number[] } {
  const db = new Database(file, { readonly: true });
  try {
    const episodes = db.prepare<[string], number>("SELECT id FROM episodes WHERE user_id = ?").pluck().all(account);
    const summaries = db
      .prepare<[string], number>(
        `SELECT s.id FROM summaries AS s WHERE EXISTS (
           SELECT 1 FROM json_each(s.source_ids) AS j JOIN episodes AS e ON e.id = j.value WHERE e.user_id = ?)`,
      )
      .pluck()
      .all(account);
    return { episodes, summaries };
  } finally {
    db.close();
  }
}
