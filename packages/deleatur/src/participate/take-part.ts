// `participate`: this process takes part for one surface in its memory. It joins first and looks afterwards, so that no request can miss it in between.
import { UsageError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";
import { holdLease, type Lease, type LeaseOptions, type LeaseParts } from "./hold-lease.ts";
import { holdMemory } from "./hold-memory.ts";
import type { ProcessMemory } from "./process-memory.ts";

/** This process as a holder of one surface. */
export interface Participant {
  readonly surface: string;
  /**
   * Lets in no new write, waits until those that are open have ended (so not to be awaited within one), lets go of everything and ends the lease.
   * @throws StoreError NOT_LET_GO where something is still listed: then the lease stands
   */
  close(): Promise<void>;
}

/** The surfaces that this very process takes part in. */
export interface OwnParticipants {
  /**
   * Joins, and lets go of whatever this process must not hold any more, before it may serve.
   * @throws UsageError ALREADY_TAKING_PART; StoreError NOT_LET_GO, PARTICIPANT_BLIND: the lease stands all the same, for what is held is held
   */
  join(surface: SurfaceId, memory: ProcessMemory, options?: LeaseOptions): Promise<Participant>;
  /** Runs a write to the surface; the lease outlives it. @throws UsageError NOT_TAKING_PART, without running it: nobody would list what it keeps */
  write<Result>(surface: SurfaceId, run: () => Promise<Result>): Promise<Result>;
  /** Ends every lease, as `Participant.close` does; where one cannot be ended it is only answered for no longer. @throws StoreError NOT_LET_GO, after all were tried */
  close(): Promise<void>;
}

/** One lease with the writes that it must outlive. */
interface Part {
  readonly lease: Lease;
  readonly writes: Set<Promise<unknown>>;
  isEnding: boolean;
}

export function createOwnParticipants(parts: LeaseParts): OwnParticipants {
  const held = new Map<SurfaceId, Part>();

  /** What an open write puts into the memory after the last listing would be held under no lease. */
  async function end(part: Part): Promise<void> {
    part.isEnding = true;
    try {
      await Promise.allSettled(part.writes);
      await part.lease.end();
    } catch (error) {
      part.isEnding = false;
      throw error;
    }
  }

  return {
    async join(surface, memory, options = {}) {
      if (held.has(surface)) {
        throw new UsageError("ALREADY_TAKING_PART", "this process takes part in this surface already", {
          place: { surface },
          cure: "let one participant list all that the process holds of it",
        });
      }
      const lease = holdLease(
        parts,
        surface,
        holdMemory(surface, memory, parts.boundary.identifiers),
        "memory",
        options,
      );
      const part: Part = { lease, writes: new Set(), isEnding: false };
      held.set(surface, part);
      await lease.dropForbidden();
      return {
        surface,
        async close() {
          await end(part);
          if (held.get(surface) === part) held.delete(surface);
        },
      };
    },
    async write(surface, run) {
      const part = held.get(surface);
      if (part === undefined || part.isEnding) {
        throw new UsageError(
          "NOT_TAKING_PART",
          `this process does not take part in ${surface}, so it may not write there`,
          { place: { surface }, cure: "call `participate` first" },
        );
      }
      const running = run();
      part.writes.add(running);
      try {
        return await running;
      } finally {
        part.writes.delete(running);
      }
    },
    async close() {
      const ended = await Promise.allSettled([...held.values()].map(end));
      for (const { lease } of held.values()) lease.stop();
      held.clear();
      for (const one of ended) if (one.status === "rejected") throw one.reason;
    },
  };
}
