// The hands of the kind `in-process`: asks the processes that hold a surface in their memory to list it and to let go of keys. What one of them still lists is not erased.
import { compareUtf8 } from "@deleatur/verify";
import type { Artifact, ContentField, Erased } from "../../model/artifact.ts";
import { StoreError } from "../../model/errors.ts";
import type { ArtifactKey } from "../../model/ids.ts";
import type { Guarantees, Surface } from "../../surface.ts";
import { refuseNeverRegistered } from "./never-registered.ts";
import type { InProcessOptions } from "./options.ts";

const NO_REWRITE = "a value in a process's memory is let go of, not rewritten";

export function openInProcess({ surface, participation }: InProcessOptions, guarantees: Guarantees): Surface {
  const processes = participation();

  async function* held(keys: readonly ArtifactKey[] | undefined, signal: AbortSignal): AsyncGenerator<Artifact> {
    refuseNeverRegistered(surface, processes);
    for (const artifact of mergeCopies(await processes.list(keys, false, signal))) {
      signal.throwIfAborted();
      yield artifact;
    }
  }

  /** Asked before an eviction: afterwards a process answers what it holds, not what it held. One that is silent must not keep the others from letting go. */
  async function heldBefore(keys: readonly ArtifactKey[], signal: AbortSignal): Promise<ReadonlySet<ArtifactKey>> {
    try {
      return new Set((await processes.list(keys, false, signal)).flat().map(({ key }) => key));
    } catch (error) {
      // The eviction says of each key that it failed there.
      if (error instanceof StoreError && error.code === "PARTICIPANT_SILENT") return new Set();
      throw error;
    }
  }

  return {
    guarantees,
    // Process memory has no containers that could be listed from outside.
    census: async () => [],
    scan: (signal) => held(undefined, signal),
    read: (keys, signal) => held(keys, signal),
    rewrite: async (replacements) =>
      replacements.map(({ key }) => ({ surface, key, outcome: "failed", why: NO_REWRITE })),
    async erase(keys, signal): Promise<readonly Erased[]> {
      if (keys.length === 0) return [];
      refuseNeverRegistered(surface, processes);
      const held = await heldBefore(keys, signal);
      const left = await processes.evict(keys, signal);
      return keys.map((key) => {
        const why = left.get(key);
        if (why !== undefined) return { surface, key, outcome: "failed", why };
        return { surface, key, outcome: held.has(key) ? "erased" : "absent" };
      });
    },
    purgeLock: async () => "none",
    foresee: async () => {
      const nothing = {
        bytesStay: false,
        locks: [],
        spareBytes: 0,
        seconds: 0,
        basis: "the processes let go of it",
        refused: [],
      };
      return processes.hasAny()
        ? nothing
        : { ...nothing, refused: [{ act: "plant", why: "no process ever took part" }] };
    },
    async purge() {
      refuseNeverRegistered(surface, processes);
      return { outcome: "purged", method: "let go of by every live process; freed memory itself was not scanned" };
    },
    offer: async () => ({ outcome: "accepted" }),
    async plant(canary) {
      if (!processes.hasAny()) return { key: canary.key, outcome: "unsupported", why: "no process ever took part" };
      processes.stage(canary);
      return { key: canary.key, outcome: "planted" };
    },
    fence: async () => "leased",
    // A leased fence lives in the ledger alone.
    fences: async () => [],
    unfence: async () => "ended",
    // Who takes part stands in the ledger itself: there is no store that another ledger could share.
    mark: async () => "unmarked",
    markers: async () => [],
    unmark: async () => {},
    close: async () => processes.close(),
  };
}

/** Several processes may hold a copy under one key: one artifact, with all that any of them says. In key order. */
function mergeCopies(lists: readonly (readonly Artifact[])[]): readonly Artifact[] {
  const byKey = new Map<ArtifactKey, Artifact>();
  for (const artifact of lists.flat()) {
    const known = byKey.get(artifact.key);
    if (known === undefined) byKey.set(artifact.key, artifact);
    else {
      const { expires, ...rest } = known;
      byKey.set(artifact.key, {
        ...rest,
        ...lastExpiry(expires, artifact.expires),
        subjects: distinct([...known.subjects, ...artifact.subjects], ({ type, value }) => `${type}:${value}`),
        sources: distinct([...known.sources, ...artifact.sources], (ref) => `${ref.surface}/${ref.key}`),
        content: distinct([...known.content, ...artifact.content], spell),
      });
    }
  }
  return [...byKey.values()].toSorted((a, b) => compareUtf8(a.key, b.key));
}

/** It is gone when the last copy is; a copy that does not expire stays. */
function lastExpiry(one: Date | undefined, other: Date | undefined): { readonly expires?: Date } {
  if (one === undefined || other === undefined) return {};
  return { expires: one > other ? one : other };
}

function spell(field: ContentField): string {
  if (field.type === "text") return JSON.stringify([field.type, field.name, field.text]);
  const { buffer, byteOffset, byteLength } = field.type === "bytes" ? field.bytes : field.vector;
  return JSON.stringify([field.type, field.name, Buffer.from(buffer, byteOffset, byteLength).toString("base64")]);
}

function distinct<T>(list: readonly T[], spelling: (one: T) => string): readonly T[] {
  return [...new Map(list.map((one) => [spelling(one), one])).values()];
}
