// Kinds of surfaces that somebody else wrote: what may pass for one, and under which name. Nothing is opened or imported here.
import { KIND_NAME, SURFACE_KINDS } from "../model/declaration.ts";
import { UsageError } from "../model/errors.ts";
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

/** The kinds by name. None takes the name of one that ships, so that a receipt's word for it stays true. @throws UsageError KIND_UNFIT, KIND_TAKEN */
export function outsideKinds(kinds: readonly SurfaceKind<unknown>[]): ReadonlyMap<string, SurfaceKind<unknown>> {
  const byName = new Map<string, SurfaceKind<unknown>>();
  for (const kind of kinds) {
    if (!isSurfaceKind(kind) || !KIND_NAME.test(kind.kind))
      throw new UsageError(
        "KIND_UNFIT",
        "a kind that was given is none, give an object with every member of SurfaceKind",
        {
          cure: "see deleatur/surface; a name is lower-case letters, digits and '-'",
        },
      );
    if (byName.has(kind.kind) || SURFACE_KINDS.some((name) => name === kind.kind))
      throw new UsageError("KIND_TAKEN", `a kind that was given takes the name of another, ${kind.kind}`, {
        cure: "give it a name of its own",
      });
    byName.set(kind.kind, kind);
  }
  return byName;
}
