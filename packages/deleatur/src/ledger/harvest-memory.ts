// What this process's last harvest said of each row: a later scan asks the ledger only about rows that say something else. It must not vouch for a row of which the ledger has lost, or been told, anything since.
import type { ArtifactRef } from "../model/ids.ts";
import type { HarvestedLineage } from "./harvested-blocks.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { STATE } from "./lineage-codes.ts";
import { createRowTable, type RowTable } from "./row-table.ts";

export interface HarvestMemory {
  /** Takes the place of what was remembered before. The caller has entered these rows, and holds the write transaction. */
  remember(rows: readonly HarvestedLineage[]): void;
  /** Has `lose` take something of these back, and remembers of the others what it did. The caller holds the write transaction. */
  without(refs: readonly ArtifactRef[], lose: () => void): void;
  /** By place, whether the row is live, all that its store says of it is known, and nothing beside. */
  vouchFor(rows: readonly HarvestedLineage[]): (place: number) => boolean;
  forget(): void;
}

/** So often it is looked again whether the ledger has changed; then every row is asked about. */
const MOST_LOOKS = 16;
/** A token begins with so many bytes of nothing, which no digest does, and is random from there on. There is one: whose was taken asks about every row. */
const NOTHING = 16;
const RANDOM = 16;

interface Remembered {
  readonly table: RowTable;
  /** Stands among the harvested blocks, which the ledger's triggers drop when anything is taken back. */
  readonly token: Uint8Array;
  /** The last artifact that there was. */
  readonly last: number;
}

export function createHarvestMemory(core: LedgerCore): HarvestMemory {
  const { connection } = core;
  let remembered: Remembered | undefined;
  let looks = 0;
  /** The state of the ledger's file that was last looked at, and the surfaces whose rows have no source that their stores do not name. */
  let seen: { readonly version: string; readonly plain: ReadonlySet<string> } | undefined;

  const isWhole = ({ token }: Remembered): boolean =>
    connection.get("SELECT 1 FROM harvested_blocks WHERE digest = ?", token) !== undefined;

  function plainSurfaces(): ReadonlySet<string> {
    // What is seen inside a transaction may be rolled back.
    if (remembered === undefined || connection.isInTransaction()) return new Set();
    const version = versionOf(core);
    if (seen?.version === version) return seen.plain;
    looks += 1;
    if (looks > MOST_LOOKS || !isWhole(remembered)) {
      remembered = undefined;
      return new Set();
    }
    seen = { version, plain: withoutFurther(core, remembered) };
    return seen.plain;
  }

  return {
    remember(rows) {
      const table = createRowTable(core.digests, rows.length);
      for (const row of rows) table.add(row);
      const token = Buffer.concat([Buffer.alloc(NOTHING), core.random(RANDOM)]);
      connection.run("DELETE FROM harvested_blocks WHERE substr(digest, 1, ?) = zeroblob(?)", NOTHING, NOTHING);
      connection.run("INSERT INTO harvested_blocks VALUES (?)", token);
      const last = connection.get<{ last: number | null }>("SELECT max(id) AS last FROM artifacts")?.last ?? 0;
      remembered = { table, token, last };
      looks = 0;
      seen = undefined;
    },
    without(refs, lose) {
      const held = remembered !== undefined && isWhole(remembered) ? remembered : undefined;
      remembered = held;
      seen = undefined;
      // Before anything is lost: what a rolled back transaction takes out here is only asked about.
      for (const ref of refs) held?.table.drop(ref);
      lose();
      if (held !== undefined)
        connection.run("INSERT INTO harvested_blocks VALUES (?) ON CONFLICT DO NOTHING", held.token);
    },
    vouchFor(rows) {
      const plain = plainSurfaces();
      const table = remembered?.table;
      return (place) => {
        const row = rows[place];
        return row !== undefined && table !== undefined && plain.has(row.surface) && table.has(row);
      };
    },
    forget() {
      remembered = undefined;
    },
  };
}

/** Changes with every commit of another connection, and with every row that this one writes. */
function versionOf({ connection }: LedgerCore): string {
  const other = connection.get<{ data_version: number }>("PRAGMA data_version")?.data_version;
  const own = connection.get<{ n: number }>("SELECT total_changes() AS n")?.n;
  return `${other} ${own}`;
}

/** The ledger has every edge that a remembered row says; where it has no more of them than that, it has no others. */
function withoutFurther({ connection }: LedgerCore, { table, last }: Remembered): ReadonlySet<string> {
  const edges = new Map(
    connection.rows<[string, number]>(
      `SELECT a.surface, count(*) FROM derivations AS d CROSS JOIN artifacts AS a ON a.id = d.derived
       WHERE a.state = ${STATE.live} AND a.id <= ? GROUP BY a.surface`,
      last,
    ),
  );
  return new Set(
    [...table.sources()].flatMap(([surface, count]) => ((edges.get(surface) ?? 0) === count ? [surface] : [])),
  );
}
