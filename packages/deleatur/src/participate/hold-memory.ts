// One process's memory under the eyes of Deleatur: lists it afresh, lets go of keys and looks again. The application's own code does both; its word alone counts for nothing.
import type { Artifact } from "../model/artifact.ts";
import { UsageError } from "../model/errors.ts";
import { refuseUndeclaredTypes } from "../model/identifier-types.ts";
import { artifactKey, type ArtifactKey, type SurfaceId } from "../model/ids.ts";
import { CANARY_PREFIX, canaryText } from "../examine/canary.ts";
import { prepareWrite } from "../record/given-write.ts";
import type { BlindWhy } from "./messages.ts";
import type { HeldEntry, ProcessMemory } from "./process-memory.ts";

export interface Listing {
  readonly artifacts: readonly Artifact[];
  readonly blind?: BlindWhy;
}

export interface HeldMemory {
  /** @throws whatever the application throws, and UsageError where an entry is none */
  list(): Promise<readonly Artifact[]>;
  /** The same as a value. `mustShow`: an empty memory must show that it would list. */
  look(mustShow: boolean, random: (bytes: number) => Uint8Array, signal: AbortSignal): Promise<Listing>;
  /** Lets go, then lists afresh: what is still listed is still held, whatever the application said. Each with a code. */
  letGo(keys: readonly string[], signal: AbortSignal): Promise<readonly (readonly [ArtifactKey, string])[]>;
}

/** @throws UsageError where it is no time */
function expiryOf({ expires }: HeldEntry, surface: SurfaceId): { readonly expires?: Date } {
  if (expires === undefined) return {};
  if (!(expires instanceof Date) || Number.isNaN(expires.getTime()))
    throw new UsageError("EXPIRY_UNREADABLE", `an entry of ${surface} expires at what is no date, give a valid Date`, {
      place: { surface },
    });
  return { expires };
}

/** @param types those that the boundary declares: a person of another could never be asked for */
export function holdMemory(surface: SurfaceId, memory: ProcessMemory, types: readonly string[]): HeldMemory {
  async function list(): Promise<readonly Artifact[]> {
    const artifacts: Artifact[] = [];
    for await (const entry of memory.entries()) {
      const { ref, subjects, sources, content } = prepareWrite(surface, entry);
      refuseUndeclaredTypes(
        types,
        subjects.map(({ type }) => type),
      );
      artifacts.push({ ...ref, subjects, sources, content, ...expiryOf(entry, surface) });
    }
    return artifacts;
  }

  async function showsCanary(
    random: (bytes: number) => Uint8Array,
    signal: AbortSignal,
  ): Promise<BlindWhy | undefined> {
    if (memory.put === undefined) return "SHOWS_NOTHING";
    const key = `${CANARY_PREFIX}${Buffer.from(random(8)).toString("hex")}`;
    const text = canaryText(random);
    await memory.put({ key, text });
    const isSeen = (await list()).some(
      (one) => one.key === key && one.content.some((field) => field.type === "text" && field.text.includes(text)),
    );
    await memory.evict([key], signal);
    const isLeft = (await list()).some((one) => one.key === key);
    return isSeen && !isLeft ? undefined : "CANARY_UNSEEN";
  }

  return {
    list,
    async look(mustShow, random, signal) {
      try {
        const artifacts = await list();
        const blind = artifacts.length > 0 || !mustShow ? undefined : await showsCanary(random, signal);
        return { artifacts, ...(blind === undefined ? {} : { blind }) };
      } catch {
        // The application's own error may quote what it holds: only a code goes on.
        return { artifacts: [], blind: "ENTRIES_FAILED" };
      }
    },
    async letGo(keys, signal) {
      let why = "STILL_LISTED";
      try {
        await memory.evict(keys, signal);
      } catch {
        why = "EVICT_FAILED";
      }
      const wanted = new Set(keys);
      try {
        const left = new Set((await list()).flatMap(({ key }) => (wanted.has(key) ? [key] : [])));
        return [...left].map((key) => [key, why] as const);
      } catch {
        return keys.map((key) => [artifactKey(key), "ENTRIES_FAILED"] as const);
      }
    },
  };
}
