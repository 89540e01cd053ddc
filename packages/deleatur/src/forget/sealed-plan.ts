// Keeps the plan of a round sealed under the request key, so that a resumed run acts on the very plan that was journalled.
import type { Engine } from "../engine.ts";
import type { RequestId, SurfaceId } from "../model/ids.ts";
import type { Plan } from "./plan.ts";
import type { Replacement } from "./prepare-rewrites.ts";

type SealedPlan = Omit<Plan, "withoutLineage" | "unread"> & {
  readonly withoutLineage: readonly (readonly [SurfaceId, number])[];
  readonly unread: readonly (readonly [SurfaceId, string])[];
};

export function sealPlan(engine: Engine, request: RequestId, round: number, plan: Plan): void {
  const sealed: SealedPlan = { ...plan, withoutLineage: [...plan.withoutLineage], unread: [...plan.unread] };
  put(engine, request, `plan/${round}`, sealed);
}

/** The plan of a round; absent before its plan step. */
export function openPlan(engine: Engine, request: RequestId, round: number): Plan | undefined {
  const sealed = get<SealedPlan>(engine, request, `plan/${round}`);
  if (sealed === undefined) return undefined;
  return { ...sealed, withoutLineage: new Map(sealed.withoutLineage), unread: new Map(sealed.unread) };
}

export function sealReplacements(
  engine: Engine,
  request: RequestId,
  round: number,
  replacements: ReadonlyMap<string, Replacement>,
): void {
  put(engine, request, `rewrites/${round}`, [...replacements]);
}

export function openReplacements(engine: Engine, request: RequestId, round: number): ReadonlyMap<string, Replacement> {
  return new Map(get<readonly (readonly [string, Replacement])[]>(engine, request, `rewrites/${round}`) ?? []);
}

/** Replacements of all rounds so far: what Deleatur itself stored in place of old text. */
export function allReplacements(engine: Engine, request: RequestId, round: number): readonly Replacement[] {
  return Array.from({ length: round }, (_, index) => [...openReplacements(engine, request, index + 1).values()]).flat();
}

function put(engine: Engine, request: RequestId, name: string, value: unknown): void {
  engine.ledger.putSealed(request, name, new TextEncoder().encode(JSON.stringify(value)));
}

// What comes out is what `put` sealed: authenticated, and of this version's own making.
function get<Value>(engine: Engine, request: RequestId, name: string): Value | undefined {
  const bytes = engine.ledger.getSealed(request, name);
  return bytes === undefined ? undefined : (JSON.parse(new TextDecoder().decode(bytes)) as Value);
}
