// Which types of identifiers the ledger knows persons by, also those that only the SDK was told (LINEAGE-7). It must not say who they are.
import { surfaceId, type ArtifactRef, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { hexOf, parseJsonBytes, unsealByGuard, type LedgerCore } from "./ledger-core.ts";
import { STATE } from "./lineage-codes.ts";
import { openRef } from "./lineage.ts";

export interface TypeInUse {
  readonly surface: SurfaceId;
  readonly type: string;
}

export interface TypesInUse {
  /** Types by which live artifacts name their persons, where they name them by none of the `told`; by surface. */
  untoldTypes(told: readonly string[]): readonly TypeInUse[];
  /** Those artifacts, in parts: they may be gone from their store since. */
  untoldArtifacts(told: readonly string[], of: TypeInUse): Generator<readonly ArtifactRef[]>;
}

const PART = 1_000;

// Each type is sought in the index by itself: there are few, of many persons.
const TYPES = `WITH RECURSIVE known (type) AS (SELECT min(type) FROM identifiers
    UNION ALL SELECT (SELECT min(type) FROM identifiers WHERE type > known.type) FROM known WHERE known.type IS NOT NULL)
  SELECT type FROM known WHERE type IS NOT NULL`;

const UNTOLD = `FROM identifiers AS i JOIN artifact_subjects AS s ON s.subject = i.id JOIN artifacts AS a ON a.id = s.artifact
  WHERE i.type = ? AND a.state = ${STATE.live} AND NOT EXISTS (
    SELECT 1 FROM artifact_subjects AS o JOIN identifiers AS t ON t.id = o.subject
    WHERE o.artifact = a.id AND t.type IN (SELECT value FROM json_each(?)))`;

export function createTypesInUse(core: LedgerCore): TypesInUse {
  const { connection } = core;
  return {
    untoldTypes: (told) =>
      connection
        .rows<[string]>(TYPES)
        .flatMap(([type]) => (told.includes(type) ? [] : [type]))
        .flatMap((type) =>
          connection
            .rows<[string]>(`SELECT DISTINCT a.surface ${UNTOLD} ORDER BY a.surface`, type, JSON.stringify(told))
            .map(([surface]): TypeInUse => ({ surface: surfaceId(surface), type })),
        ),
    *untoldArtifacts(told, { surface, type }) {
      const sql = `SELECT a.id, a.digest, a.surface, a.sealed ${UNTOLD} AND a.surface = ? AND a.id > ? ORDER BY a.id LIMIT ${PART}`;
      for (let last = 0; ;) {
        const part = connection.all<{ id: number; digest: Uint8Array; surface: string; sealed: Uint8Array }>(
          sql,
          type,
          JSON.stringify(told),
          surface,
          last,
        );
        if (part.length === 0) return;
        yield part.map((row) => openRef(core, row));
        last = part.at(-1)?.id ?? last;
      }
    },
  };
}

/** Enters the types of those who were entered before there was a column for them; the caller holds the transaction. */
export function fillTypes(core: LedgerCore): void {
  const rows = core.connection.all<{ id: number; digest: Uint8Array; sealed: Uint8Array }>(
    "SELECT id, digest, sealed FROM identifiers WHERE type IS NULL",
  );
  for (const { id, digest, sealed } of rows) {
    const { type } = parseJsonBytes<SubjectIdentifier>(unsealByGuard(core, `identifiers/${hexOf(digest)}`, sealed));
    core.connection.run("UPDATE identifiers SET type = ? WHERE id = ?", type, id);
  }
}
