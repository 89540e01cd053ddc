// Lets one reading of all stores serve the harvest and the survey: the closures that the fences hold are taken for the whole ones, and the survey stands only where the plans say the same.
import type { Engine } from "../engine.ts";
import { openNeedles } from "../examine/kept-needles.ts";
import type { Artifact } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef, type RequestId } from "../model/ids.ts";
import type { Carriage, Carried } from "./carriage.ts";
import type { Plan } from "./plan.ts";
import { openSurvey, type OpenSurvey } from "./survey.ts";

export interface ForeseenSurvey extends Pick<OpenSurvey, "end"> {
  readonly see: (artifact: Artifact) => void;
  /** What of the closures was there before the reading, by id. */
  readonly read: ReadonlyMap<string, Artifact>;
  /** Whether these are the plans that were foreseen, of the same requests, and the reading met their artifacts as they had been read. */
  fits(plans: ReadonlyMap<RequestId, Plan>): boolean;
}

/**
 * Reads the content of what is fenced, to have the next reading of all stores surveyed for it. Undefined where nothing is fenced yet, where a request of the run was planned before, and where
 * a store cannot be read: then the survey has a reading of its own.
 */
export async function foreseeSurvey(
  engine: Engine,
  { carried }: Carriage,
  signal: AbortSignal,
): Promise<ForeseenSurvey | undefined> {
  const isPlanned = carried.some(({ journal }) => journal.isFinished("plan"));
  const closures = new Map(carried.map((one) => [one.id, declaredOf(engine, one)]));
  const refs = [...closures.values()].flat();
  if (isPlanned || refs.length === 0) return undefined;
  const read = await readAll(engine, refs, signal);
  if (read === undefined) return undefined;
  const orders = carried.flatMap(({ id, known, fenced }) => {
    const closure = closures.get(id) ?? [];
    if (closure.length === 0 && known.length === 0) return [];
    const contents = [...openNeedles(engine, id), ...closure.flatMap((ref) => read.get(artifactId(ref)) ?? [])];
    return [
      {
        request: id,
        identifiers: [...fenced.persons.values()],
        closure,
        contents: contents.map(({ content }) => content),
      },
    ];
  });
  const survey = openSurvey(
    engine,
    orders,
    refs.map((ref) => read.get(artifactId(ref)) ?? ref),
  );
  let isStale = false;
  return {
    see(artifact) {
      if (survey.see(artifact) === "changed") isStale = true;
    },
    read,
    fits: (plans) =>
      !isStale &&
      plans.size === carried.length &&
      carried.every((one) => isForeseen(one, closures.get(one.id), read, plans.get(one.id))),
    end: survey.end,
  };
}

/** What is fenced of a request, as far as it is declared. */
function declaredOf(engine: Engine, { fenced }: Carried): readonly ArtifactRef[] {
  const declared = new Set<string>(engine.surfaces.map(({ declaration }) => declaration.id));
  return [...fenced.refs.values()].filter(({ surface }) => declared.has(surface));
}

function isForeseen(
  { fenced }: Carried,
  closure: readonly ArtifactRef[] | undefined,
  read: ReadonlyMap<string, Artifact>,
  plan: Plan | undefined,
): boolean {
  if (plan === undefined || closure === undefined || plan.unread.size > 0) return false;
  return (
    plan.items.length === closure.length &&
    plan.items.every(
      ({ ref, present }) => fenced.refs.has(artifactId(ref)) && (!present || read.has(artifactId(ref))),
    ) &&
    plan.identifiers.length === fenced.persons.size &&
    plan.identifiers.every(({ type, value }) => fenced.persons.has(`${type}:${value}`))
  );
}

/** Undefined where one of the stores cannot be read; what cannot be scanned is not met by the reading either. */
async function readAll(
  engine: Engine,
  refs: readonly ArtifactRef[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Artifact> | undefined> {
  const read = new Map<string, Artifact>();
  try {
    for (const [surface, members] of groupBy(refs, (ref) => ref.surface)) {
      if (engine.bound(surface).guarantees.scan === "none") continue;
      const keys = new Set(members.map(({ key }) => key));
      for await (const artifact of (await engine.open(surface)).read([...keys], signal))
        read.set(artifactId(artifact), artifact);
    }
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  return read;
}
