// Something for each of many artifacts, found by surface and key: no name is put together for each. It must not know what is kept.
import type { ArtifactRef } from "../model/ids.ts";

export interface ByRef<Kept> {
  get(ref: ArtifactRef): Kept | undefined;
  has(ref: ArtifactRef): boolean;
  set(ref: ArtifactRef, kept: Kept): void;
  /** In the order of the surfaces, and of what was first set in each. */
  values(): Iterable<Kept>;
}

export function createByRef<Kept>(): ByRef<Kept> {
  const surfaces = new Map<string, Map<string, Kept>>();
  // A scan goes through one surface after the other.
  let last: { readonly surface: string; readonly kept: Map<string, Kept> } | undefined;
  const of = (surface: string): Map<string, Kept> | undefined => {
    if (last?.surface === surface) return last.kept;
    const kept = surfaces.get(surface);
    if (kept !== undefined) last = { surface, kept };
    return kept;
  };
  return {
    get: ({ surface, key }) => of(surface)?.get(key),
    has: ({ surface, key }) => of(surface)?.has(key) === true,
    set({ surface, key }, kept) {
      let own = of(surface);
      if (own === undefined) {
        own = new Map();
        surfaces.set(surface, own);
      }
      own.set(key, kept);
    },
    *values() {
      for (const kept of surfaces.values()) yield* kept.values();
    },
  };
}
