// `participate`: this process takes part for one surface in its memory. It joins first and looks afterwards, so that no request can miss it in between.
import { UsageError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";
import { holdLease, type Lease, type LeaseOptions, type LeaseParts } from "./hold-lease.ts";
import { holdMemory } from "./hold-memory.ts";
import type { ProcessMemory } from "./process-memory.ts";

/** This process as a holder of one surface. */
export interface Participant {
  readonly surface: string;
  /** Lets go of everything and ends the lease. @throws StoreError NOT_LET_GO where something is still listed: then the lease stands */
  close(): Promise<void>;
}

/** The surfaces that this very process takes part in. */
export interface OwnParticipants {
  /**
   * Joins, and lets go of whatever this process must not hold any more, before it may serve.
   * @throws UsageError ALREADY_TAKING_PART; StoreError NOT_LET_GO, PARTICIPANT_BLIND: the lease stands all the same, for what is held is held
   */
  join(surface: SurfaceId, memory: ProcessMemory, options?: LeaseOptions): Promise<Participant>;
  isTakingPart(surface: SurfaceId): boolean;
  /** Ends every lease; where one cannot be ended it is only answered for no longer. @throws StoreError NOT_LET_GO, after all were tried */
  close(): Promise<void>;
}

export function createOwnParticipants(parts: LeaseParts): OwnParticipants {
  const leases = new Map<SurfaceId, Lease>();
  return {
    async join(surface, memory, options = {}) {
      if (leases.has(surface)) {
        throw new UsageError("ALREADY_TAKING_PART", "this process takes part in this surface already", {
          place: { surface },
          cure: "let one participant list all that the process holds of it",
        });
      }
      const lease = holdLease(parts, surface, holdMemory(surface, memory), "memory", options);
      leases.set(surface, lease);
      await lease.dropForbidden();
      return {
        surface,
        async close() {
          await lease.end();
          leases.delete(surface);
        },
      };
    },
    isTakingPart: (surface) => leases.has(surface),
    async close() {
      const ended = await Promise.allSettled([...leases.values()].map((lease) => lease.end()));
      for (const lease of leases.values()) lease.stop();
      leases.clear();
      for (const end of ended) if (end.status === "rejected") throw end.reason;
    },
  };
}
