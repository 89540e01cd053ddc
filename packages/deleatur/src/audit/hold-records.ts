// Places and releases holds: records that a legal ground keeps from being erased (FORGET-2, ATTEST-7). It does not decide whether a ground is lawful.
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef, parseArtifactId, type RequestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { isThere } from "../record/what-stands.ts";
import { roundedCount } from "./rounded-count.ts";

export interface HoldOrder {
  /** `surface/key`. */
  readonly records: readonly string[];
  readonly ground: string;
  /** ISO date. */
  readonly until: string;
}

/** @throws UsageError SURFACE_UNKNOWN, BAD_DATE, RECORD_UNKNOWN: a mistyped hold protects nothing */
export async function placeHolds(
  engine: Engine,
  { records, ground, until }: HoldOrder,
  signal: AbortSignal,
): Promise<number> {
  const refs = declaredRefs(engine, records);
  const end = new Date(until);
  if (Number.isNaN(end.getTime()) || end <= engine.clock()) {
    throw new UsageError("BAD_DATE", "a hold ends on a day to come", { cure: "write --until as YYYY-MM-DD" });
  }
  for (const ref of refs) {
    if (await isThere(engine, ref, signal)) continue;
    throw new UsageError("RECORD_UNKNOWN", "a record to be held is not there, nothing was held", {
      place: { surface: ref.surface },
      cure: "see `deleatur find` for the person's records and their keys",
    });
  }
  engine.ledger.transaction(() => {
    engine.ledger.placeHold(refs, ground, until);
    logHolds(engine, "hold-placed", refs);
  });
  return refs.length;
}

export interface ReleasedHolds {
  readonly released: number;
  /** Open requests that had to keep one of the records: they are to be resumed. */
  readonly requests: readonly RequestId[];
}

/** @throws UsageError NOT_HELD where one of the records is under no hold */
export function releaseHolds(engine: Engine, records: readonly string[]): ReleasedHolds {
  const { ledger } = engine;
  const refs = declaredRefs(engine, records);
  const held = new Set(ledger.holds().map(({ ref }) => artifactId(ref)));
  if (!refs.every((ref) => held.has(artifactId(ref)))) {
    throw new UsageError("NOT_HELD", "a record is under no hold, nothing was released", {
      cure: "see `deleatur hold` without arguments for what is held",
    });
  }
  const released = new Set(refs.map(artifactId));
  return ledger.transaction(() => {
    const count = ledger.releaseHold(refs);
    logHolds(engine, "hold-released", refs);
    const requests = ledger
      .requests()
      .filter(
        ({ id, state, received }) => state !== "closed" && received !== undefined && keepsAny(engine, id, released),
      );
    return { released: count, requests: requests.map(({ id }) => id) };
  });
}

function keepsAny(engine: Engine, request: RequestId, ids: ReadonlySet<string>): boolean {
  return engine.ledger.items(request).some(({ ref, action }) => action === "keep" && ids.has(artifactId(ref)));
}

function declaredRefs(engine: Engine, records: readonly string[]): readonly ArtifactRef[] {
  const refs = records.map(parseArtifactId);
  if (refs.length === 0) throw new UsageError("NO_RECORD", "no record is given", { cure: "write it as surface/key" });
  for (const { surface } of refs) engine.bound(surface);
  return refs;
}

function logHolds(engine: Engine, type: "hold-placed" | "hold-released", refs: readonly ArtifactRef[]): void {
  for (const [surface, members] of groupBy(refs, (ref) => ref.surface)) {
    engine.ledger.append({ type, at: utcTime(engine.clock()), surface, count: roundedCount(members.length) });
  }
}
