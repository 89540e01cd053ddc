// Asks every surface what its acts and its probes would meet, before anything is done: `check` and a dry run promise no more than that. Writes nothing.
import type { ToldForesight } from "../attest/best-outcome.ts";
import type { Engine } from "../engine.ts";
import { DeleaturError, reasonOf } from "../model/errors.ts";
import { type SurfaceId } from "../model/ids.ts";
import type { ProbeName } from "../model/needle.ts";
import type { Foresight, Probe } from "../surface.ts";
import { type Census, unlistedStores } from "./take-census.ts";

/** What one purge costs, told once for all surfaces that it serves. */
export interface ForeseenPurge extends Omit<Foresight, "refused" | "hindrance" | "bytesStay"> {
  readonly surfaces: readonly SurfaceId[];
  /** What it would answer instead of being done, and why. */
  readonly hindrance?: { readonly outcome: string; readonly why: string };
}

export interface Foreseen {
  readonly surfaces: ReadonlyMap<SurfaceId, ToldForesight>;
  readonly purges: readonly ForeseenPurge[];
}

/** One thing that a surface's role or place does not let us do. */
export interface Hindered {
  readonly surface: string;
  readonly what: string;
  readonly why: string;
}

/** `unread`: surfaces that are known to be out of reach already. */
export async function foresee(
  engine: Engine,
  unread: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Foreseen> {
  const surfaces = new Map<SurfaceId, ToldForesight>();
  const purges = new Map<string, ForeseenPurge>();
  const looks = new Map<string, string | undefined>();
  for (const bound of engine.surfaces) {
    const { id, store } = bound.declaration;
    if (bound.guarantees.scan === "none" || unread.has(id)) continue;
    const blind = new Map<ProbeName, string>();
    for (const probe of bound.probes()) {
      const name = JSON.stringify([probe.name, probe.scope]);
      if (!looks.has(name)) looks.set(name, await whyBlind(probe, signal));
      const why = looks.get(name);
      if (why !== undefined) blind.set(probe.name, why);
    }
    try {
      const { refused, hindrance, bytesStay, ...cost } = await (await engine.open(id)).foresee(signal);
      const told = { ...(hindrance === undefined ? {} : { purge: hindrance }), bytesStay, refused, blind };
      surfaces.set(id, told);
      const one = {
        ...cost,
        ...(hindrance === undefined ? {} : { hindrance: { outcome: hindrance.outcome, why: hindrance.why } }),
      };
      // How much is free moves on from one question to the next.
      const key = JSON.stringify([store, { ...one, disk: undefined }]);
      purges.set(key, { ...one, surfaces: [...(purges.get(key)?.surfaces ?? []), id] });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DeleaturError)) throw error;
      surfaces.set(id, { purge: { outcome: "failed", why: reasonOf(error) }, bytesStay: true, refused: [], blind });
    }
  }
  return { surfaces, purges: [...purges.values()] };
}

/** What will count as undeclared: containers that nobody declared, stores that could not be listed, and what quiet or exempt containers hide from the probes. */
export async function foreseeUndeclared(
  engine: Engine,
  census: Census,
  unread: { readonly has: (surface: SurfaceId) => boolean },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const undeclared = new Set([
    ...census.report.undeclared.map(({ name }) => name),
    ...unlistedStores(engine, census, unread),
  ]);
  for (const { container, probe } of census.strayProbes)
    if (!undeclared.has(container) && (await whyBlind(probe, signal)) !== undefined) undeclared.add(container);
  return [...undeclared];
}

/** Asked for nothing, a probe opens what it would read. */
async function whyBlind(probe: Probe, signal: AbortSignal): Promise<string | undefined> {
  try {
    for await (const finding of probe.look([], signal))
      return `it was asked for nothing and found ${finding.match.how}`;
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return reasonOf(error);
  } finally {
    await probe.close();
  }
}

/** What is told of one surface, for the judge. */
export function foreseenOf({ surfaces }: Foreseen, id: SurfaceId): { readonly foresight?: ToldForesight } {
  const foresight = surfaces.get(id);
  return foresight === undefined ? {} : { foresight };
}

/** For people: each probe that could not look, and each act that would be refused. */
export function hinderedOf({ surfaces }: Foreseen): readonly Hindered[] {
  return [...surfaces].flatMap(([surface, { refused, blind }]) => [
    ...[...blind].map(([name, why]) => ({ surface, what: `the ${name} probe is blind`, why })),
    ...refused.map(({ act, why }) => ({ surface, what: `${act} is refused`, why })),
  ]);
}
