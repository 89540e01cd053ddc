// Epochs: the number of each scan and its random key, which stands in the key store only. It must not use a number twice.
import { LedgerError, UsageError } from "../model/errors.ts";
import { now, parseJson, type LedgerCore } from "./ledger-core.ts";
import type { EpochRecord, Epochs } from "./ledger.ts";

interface EpochRow {
  readonly epoch: number;
  readonly root: string | null;
  readonly boundary_digest: string | null;
  readonly begun: string;
  readonly finished: string | null;
  readonly surfaces: string | null;
  readonly key_destroyed: number;
}

function toRecord(row: EpochRow): EpochRecord {
  return {
    epoch: row.epoch,
    state: row.root === null ? "begun" : "recorded",
    begun: row.begun,
    keyDestroyed: row.key_destroyed === 1,
    ...(row.root === null ? {} : { root: row.root }),
    ...(row.boundary_digest === null ? {} : { boundaryDigest: row.boundary_digest }),
    ...(row.finished === null ? {} : { finished: row.finished }),
    ...(row.surfaces === null ? {} : { surfaces: parseJson<unknown>(row.surfaces) }),
  };
}

export function createEpochs(core: LedgerCore): Epochs {
  const { connection, keys } = core;

  function needEpoch(epoch: number): EpochRow {
    const row = connection.get<EpochRow>("SELECT * FROM epochs WHERE epoch = ?", epoch);
    if (row === undefined) throw new UsageError("EPOCH_UNKNOWN", `the ledger knows no epoch ${epoch}`);
    return row;
  }

  return {
    newEpoch: () =>
      connection.transaction(() => {
        const last = connection.get<{ last: number | null }>("SELECT max(epoch) AS last FROM epochs")?.last ?? 0;
        // A key file without its row is left by a crash or by a ledger that was restored: its number is spent.
        const epoch = Math.max(last, ...keys.epochs()) + 1;
        const key = core.random(32);
        keys.writeEpochKey(epoch, key);
        connection.run("INSERT INTO epochs (epoch, begun) VALUES (?, ?)", epoch, now(core));
        return { epoch, key };
      }),
    epochKey: (epoch) => keys.epochKey(epoch),
    destroyEpochKey(epoch) {
      connection.transaction(() => {
        needEpoch(epoch);
        connection.run("UPDATE epochs SET key_destroyed = 1 WHERE epoch = ?", epoch);
      });
      keys.destroyEpochKey(epoch);
    },
    recordEpoch(epoch, { root, boundaryDigest, begun, finished, surfaces }) {
      connection.transaction(() => {
        const row = needEpoch(epoch);
        if (row.root !== null && row.root !== root) {
          throw new LedgerError("EPOCH_RECORDED", `epoch ${epoch} was recorded with another root, begin a new epoch`);
        }
        connection.run(
          "UPDATE epochs SET root = ?, boundary_digest = ?, begun = ?, finished = ?, surfaces = ? WHERE epoch = ?",
          root,
          boundaryDigest,
          begun,
          finished,
          JSON.stringify(surfaces ?? null),
          epoch,
        );
      });
    },
    epochs: () => connection.all<EpochRow>("SELECT * FROM epochs ORDER BY epoch").map((row) => toRecord(row)),
  };
}
