// Finds out whether triggers of a declared table alone write an index, so that this table's fence and insert path are the index's own. Reads the schema only.
import type { Db } from "./connect.ts";
import { listTriggers, mentions } from "./index-step.ts";
import type { Layout } from "./layout.ts";

/** The declared table of the same store whose insert triggers write this index; undefined where the application writes it directly. */
export function indexFeed(db: Db, layout: Layout): string | undefined {
  if (layout.options.kind === "sqlite") return undefined;
  const candidates = layout.sources.flatMap(({ surface }) => layout.options.neighbours.get(surface) ?? []);
  return candidates.find((table) =>
    listTriggers(db, table).some((sql) => /\binsert\s+on\b/i.test(sql) && mentions(sql, layout.options.table)),
  );
}
