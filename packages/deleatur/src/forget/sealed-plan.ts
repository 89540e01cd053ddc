// Keeps the plan of a round sealed under the request key, so that a resumed run acts on the very plan that was journalled.
import type { Engine } from "../engine.ts";
import { sealedValue, type SealedValue } from "../ledger/sealed-value.ts";
import type { RequestId, SurfaceId } from "../model/ids.ts";
import type { Plan } from "./plan.ts";
import type { Replacement } from "./prepare-rewrites.ts";

type SealedPlan = Omit<Plan, "withoutLineage" | "unread"> & {
  readonly withoutLineage: readonly (readonly [SurfaceId, number])[];
  readonly unread: readonly (readonly [SurfaceId, string])[];
};

type SealedReplacements = readonly (readonly [string, Replacement])[];

export function sealPlan({ ledger }: Engine, request: RequestId, round: number, plan: Plan): void {
  const sealed = { ...plan, withoutLineage: [...plan.withoutLineage], unread: [...plan.unread] };
  planOf(round).put(ledger, request, sealed);
}

/** The plan of a round; absent before its plan step. */
export function openPlan({ ledger }: Engine, request: RequestId, round: number): Plan | undefined {
  const sealed = planOf(round).open(ledger, request);
  if (sealed === undefined) return undefined;
  return { ...sealed, withoutLineage: new Map(sealed.withoutLineage), unread: new Map(sealed.unread) };
}

export function sealReplacements(
  { ledger }: Engine,
  request: RequestId,
  round: number,
  replacements: ReadonlyMap<string, Replacement>,
): void {
  replacementsOf(round).put(ledger, request, [...replacements]);
}

export function openReplacements(
  { ledger }: Engine,
  request: RequestId,
  round: number,
): ReadonlyMap<string, Replacement> {
  return new Map(replacementsOf(round).open(ledger, request));
}

/** Replacements of all rounds so far: what Deleatur itself stored in place of old text. */
export function allReplacements(engine: Engine, request: RequestId, round: number): readonly Replacement[] {
  return Array.from({ length: round }, (_, index) => [...openReplacements(engine, request, index + 1).values()]).flat();
}

function planOf(round: number): SealedValue<SealedPlan> {
  return sealedValue(`plan/${round}`);
}

function replacementsOf(round: number): SealedValue<SealedReplacements> {
  return sealedValue(`rewrites/${round}`);
}
