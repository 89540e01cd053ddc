// Kinds of surfaces that somebody else wrote: what may pass for one. Nothing is opened here, and no name is looked up.
import type { SurfaceKind } from "../surface.ts";

const MEMBERS = ["parse", "open", "probes", "containerProbes"] as const;

/** True where a value has the shape of a kind. Whether it keeps its word is for the conformance kit to say. */
export function isSurfaceKind(value: unknown): value is SurfaceKind<unknown> {
  if (typeof value !== "object" || value === null) return false;
  const { kind, guarantees } = value as { readonly kind?: unknown; readonly guarantees?: unknown };
  return (
    typeof kind === "string" &&
    typeof guarantees === "object" &&
    guarantees !== null &&
    MEMBERS.every((name) => typeof Reflect.get(value, name) === "function")
  );
}
