// The purge step of a request: waits for declared windows, purges all stores of the boundary, and logs when the last of them was done.
import type { Engine } from "../engine.ts";
import type { Purged } from "../model/artifact.ts";
import type { RequestId, SurfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { purgeStores } from "./purge-stores.ts";
import { nextPurgeWindow } from "./purge-window.ts";
import type { StepJournal } from "./step-journal.ts";

export interface RequestPurge {
  readonly outcomes: ReadonlyMap<SurfaceId, Purged>;
  /** Set while a declared window is still to come: nothing was purged. */
  readonly waitingUntil?: Date;
  readonly finishedAt: string;
  /** Index of the `purge-finished` entry. */
  readonly logIndex: number;
}

interface PurgeDetail {
  readonly outcomes: readonly (readonly [SurfaceId, Purged["outcome"], string])[];
  readonly finishedAt: string;
  readonly logIndex: number;
}

/**
 * Purges every store, not only those that the closure touched: an earlier delete by somebody else's tool may have left bytes there.
 * A purge that an open reader holds up is tried again by the next round.
 */
export async function purgeRequest(
  engine: Engine,
  id: RequestId,
  journal: StepJournal,
  now: boolean,
  signal: AbortSignal,
): Promise<RequestPurge> {
  const scannable = engine.surfaces.filter(({ guarantees }) => guarantees.scan !== "none");
  if (!now) {
    const starts = scannable.flatMap(({ declaration: { purge } }) => {
      const start = purge.window === undefined ? undefined : nextPurgeWindow(purge.window, engine.clock());
      return start === undefined ? [] : [start];
    });
    const [latest] = starts.sort((a, b) => b.getTime() - a.getTime());
    if (latest !== undefined) return { outcomes: new Map(), waitingUntil: latest, finishedAt: "", logIndex: -1 };
  }
  const detail = await journal.step("purge", async (): Promise<PurgeDetail> => {
    const outcomes = await purgeStores(
      engine,
      scannable.map(({ declaration }) => declaration.id),
      signal,
    );
    const finishedAt = utcTime(engine.clock());
    const logIndex = engine.ledger.append({ type: "purge-finished", at: finishedAt, request: id });
    return {
      outcomes: [...outcomes].map(([surface, purged]) => [
        surface,
        purged.outcome,
        "why" in purged ? purged.why : purged.method,
      ]),
      finishedAt,
      logIndex,
    };
  });
  return {
    finishedAt: detail.finishedAt,
    logIndex: detail.logIndex,
    outcomes: new Map(detail.outcomes.map(([surface, outcome, said]) => [surface, toPurged(outcome, said)])),
  };
}

function toPurged(outcome: Purged["outcome"], said: string): Purged {
  return outcome === "purged" ? { outcome, method: said } : { outcome, why: said };
}
