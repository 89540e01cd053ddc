// Tries the store's insert path with an artifact and rolls back (the re-ingestion probe), or plants a canary for good. A dry run must leave nothing behind.
import type { Artifact, ContentField, Offered, Planted } from "../../../model/artifact.ts";
import { isRowRefusal, refusalReason, sqliteCode } from "../store-errors.ts";
import { inWriteTransaction, type Db } from "./connect.ts";
import { isFenceRefusal } from "./fence-store.ts";
import { guardAgainstCopies } from "./hush-copies.ts";
import { insertRow } from "./insert-row.ts";
import type { Layout } from "./layout.ts";
import { valueOfField } from "./values.ts";

export function offerRow(db: Db, layout: Layout, artifact: Artifact): Offered {
  // A transaction that spills its cache would leave pages in the write-ahead log although it is rolled back.
  db.pragma("cache_spill = OFF");
  db.exec("BEGIN IMMEDIATE");
  try {
    insertRow(db, layout, artifact);
    return { outcome: "accepted" };
  } catch (cause) {
    if (isFenceRefusal(cause)) return { outcome: "refused", by: "fence" };
    if (cause instanceof Error && cause.message.includes("deleatur: DENYLISTED"))
      return { outcome: "refused", by: "denylist" };
    const code = sqliteCode(cause);
    if (code === "SQLITE_CONSTRAINT_TRIGGER") return { outcome: "refused", by: "store" };
    if (code?.startsWith("SQLITE_CONSTRAINT") === true || code === "SQLITE_ERROR" || code === "SQLITE_MISMATCH")
      return { outcome: "failed", why: `the dry run could not be tried: ${refusalReason(cause)}` };
    throw cause;
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
  }
}

/** Really inserts a canary about nobody. An application's trigger copies nothing of what it says: nobody would take that out again. */
export function plantRow(db: Db, layout: Layout, canary: Artifact): Planted {
  const content = canary.content.map((field) => fitVector(field, layout));
  const guard = guardAgainstCopies(db, layout.options.table);
  guard?.name(content.map((field) => valueOfField(field, null)));
  try {
    return {
      key: inWriteTransaction(db, () => insertRow(db, layout, { ...canary, content })),
      outcome: "planted",
      content,
    };
  } catch (cause) {
    if (!isRowRefusal(cause)) throw cause;
    return { key: canary.key, outcome: "unsupported", why: `no canary can be planted: ${refusalReason(cause)}` };
  }
}

/** A canary's vector may be longer than the store's: as much of it as the store has dimensions. */
function fitVector(field: ContentField, { vec }: Layout): ContentField {
  const dimensions = vec?.dimensions.get(field.name);
  if (field.type !== "vector" || dimensions === undefined || field.vector.length <= dimensions) return field;
  return { ...field, vector: field.vector.slice(0, dimensions) };
}
