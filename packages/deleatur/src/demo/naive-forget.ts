// The forget tool of a typical agent, for contrast: it deletes one row and says "deleted". Never use it.
import Database from "better-sqlite3";

export interface NaiveAnswer {
  readonly status: "deleted";
}

/** Its whole SQL, for the demo to show. */
export const NAIVE_SQL = "DELETE FROM episodes WHERE id = ?";

/** Deletes the row and reports success: whatever was there, whatever else knows it. */
export function naiveForget(databaseFile: string, episode: number): NaiveAnswer {
  const database = new Database(databaseFile, { fileMustExist: true });
  try {
    database.prepare(NAIVE_SQL).run(episode);
  } finally {
    database.close();
  }
  return { status: "deleted" };
}
