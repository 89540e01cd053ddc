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

export function sealPlan({ ledger }: Pick<Engine, "ledger">, request: RequestId, round: number, plan: Plan): void {
  const sealed = { ...plan, withoutLineage: [...plan.withoutLineage], unread: [...plan.unread] };
  planOf(round).put(ledger, request, sealed);
}

/** The plan of a round; absent before its plan step. */
export function openPlan({ ledger }: Pick<Engine, "ledger">, request: RequestId, round: number): Plan | undefined {
  const sealed = planOf(round).open(ledger, request);
  return sealed === undefined ? undefined : planFrom(sealed);
}

/** Opens plans as `openPlan` does, but takes the same bytes apart once only. What it has opened lives as long as it does. */
export function planOpener({
  ledger,
}: Pick<Engine, "ledger">): (request: RequestId, round: number) => Plan | undefined {
  const opened = new Map<RequestId, { readonly bytes: Uint8Array; readonly plan: Plan }>();
  return (request, round) => {
    const bytes = planOf(round).bytes(ledger, request);
    if (bytes === undefined) return undefined;
    const before = opened.get(request);
    if (before !== undefined && Buffer.compare(before.bytes, bytes) === 0) return before.plan;
    const plan = planFrom(planOf(round).parse(bytes));
    opened.set(request, { bytes, plan });
    return plan;
  };
}

function planFrom(sealed: SealedPlan): Plan {
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
