// Fences a request's target: in the ledger first, then in every store that can refuse a write itself (DESIGN §3.3).
import type { Engine } from "../engine.ts";
import { StoreError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import type { ArtifactRef, RequestId, SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import type { FenceStrength } from "../surface.ts";

/** Raises or extends the fence; answers the strength that each surface really has. */
export async function raiseFence(
  engine: Engine,
  request: RequestId,
  identifiers: readonly SubjectIdentifier[],
  refs: readonly ArtifactRef[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, FenceStrength>>> {
  engine.ledger.raiseFence(request, { identifiers, refs });
  const keysBySurface = new Map(
    [...groupBy(refs, ({ surface }) => surface)].map(([surface, members]) => [surface, members.map(({ key }) => key)]),
  );
  const strengths: Record<string, FenceStrength> = {};
  for (const { declaration, guarantees } of engine.surfaces) {
    if (guarantees.scan === "none") continue;
    const sources = new Map(
      declaration.derivedFrom.map(({ surface }) => [surface as string, keysBySurface.get(surface) ?? []]),
    );
    // A key that the store gives again is soon somebody else's: there persons and sources are fenced, not keys (C22).
    const keys = declaration.keys === "reusable" ? [] : (keysBySurface.get(declaration.id) ?? []);
    const order = { request, identifiers, keys, sources };
    strengths[declaration.id] = await fenceSurface(engine, declaration.id, order, signal);
  }
  return strengths;
}

async function fenceSurface(
  engine: Engine,
  id: SurfaceId,
  order: Parameters<Awaited<ReturnType<Engine["open"]>>["fence"]>[0],
  signal: AbortSignal,
): Promise<FenceStrength> {
  try {
    const surface = await engine.open(id);
    const strength = await surface.fence(order, signal);
    return strength === "none" ? "leased" : strength; // the ledger's own fence stands before every surface that can be scanned
  } catch {
    signal.throwIfAborted();
    return "leased"; // a store that cannot be reached holds no fence; the ledger's own stands, and the scan will say that it is unreachable
  }
}

/** Where a reader keeps a trace of the fence, and what was out of reach. */
export interface LoweredFence {
  readonly traces: readonly SurfaceId[];
  readonly unreached: readonly { readonly surface: SurfaceId; readonly why: string }[];
}

/** Ends the fence in the stores and in the ledger; the denylist stands. */
export async function lowerFence(engine: Engine, request: RequestId, signal: AbortSignal): Promise<LoweredFence> {
  const lowered = await lowerStoreFences(engine, [request], signal);
  engine.ledger.lowerFence(request);
  return lowered;
}

/** Ends the fences of requests in the stores alone. */
export async function lowerStoreFences(
  engine: Engine,
  requests: readonly RequestId[],
  signal: AbortSignal,
): Promise<LoweredFence> {
  const traces: SurfaceId[] = [];
  const unreached: LoweredFence["unreached"][number][] = [];
  for (const { declaration, guarantees } of engine.surfaces) {
    if (guarantees.scan === "none") continue;
    try {
      const surface = await engine.open(declaration.id);
      if ((await surface.unfence(requests, signal)) === "pending") traces.push(declaration.id);
    } catch (error) {
      signal.throwIfAborted();
      // Out of reach it is uncovered, and its request stays open: the round that reaches it again takes the fence down.
      if (!(error instanceof StoreError)) throw error;
      unreached.push({ surface: declaration.id, why: error.message });
    }
  }
  return { traces, unreached };
}
