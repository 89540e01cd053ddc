// Runs the probes over all needles and says of each whether it saw or was blind; it never lets a failed look pass for a clean one.
import { reasonOf } from "../model/errors.ts";
import type { Finding, Needle, ProbeDepth, ProbeName } from "../model/needle.ts";
import type { Probe } from "../surface.ts";
import { canFind } from "./choose-controls.ts";

export interface ProbeRun {
  readonly name: ProbeName;
  readonly depth: ProbeDepth;
  readonly scope: string;
  readonly status: "ran" | "blind";
  /** Why it is blind: a code and what to do, never content. */
  readonly why?: string;
  /** Its look ended by an error, so that not all was looked at. */
  readonly brokeOff?: true;
  readonly controlsTaken: number;
  readonly controlsFound: number;
  /** Findings of needles that are no controls. A blind probe keeps what it saw before it went blind. */
  readonly findings: readonly Finding[];
  /** How many more there were than are kept. */
  readonly overflow: number;
}

export interface RunProbesOptions {
  /** The controls that a probe must find, as positions in `needles`; of these only such count as its kind of eyes can see. All controls where not given. */
  readonly controlsOf?: (probe: Probe) => readonly number[];
  /** Whose a needle is, where several ask at once. All one's where not given. */
  readonly groupOf?: (needle: number) => number;
  /** Findings kept for one probe and one who asks, and for one needle of it; the rest is counted. */
  readonly maxFindings?: number;
  readonly maxPerNeedle?: number;
  /** Told before each probe starts. */
  readonly started?: (probe: Probe, done: number, total: number) => void;
  /** What else is to be done, before those that have begun are waited for. */
  readonly meanwhile?: () => Promise<void>;
}

interface Look {
  readonly probe: Probe;
  readonly controls: Set<number>;
}

/** One look serves all surfaces whose probes have the same name and scope; it must find the controls of each of them. */
function joinLooks(probes: readonly Probe[], needles: readonly Needle[], options: RunProbesOptions): readonly Look[] {
  const every = needles.flatMap(({ fate, index }) => (fate === "control" ? [index] : []));
  const looks = new Map<string, Look>();
  for (const probe of probes) {
    const id = JSON.stringify([probe.name, probe.scope]);
    let look = looks.get(id);
    if (look === undefined) looks.set(id, (look = { probe, controls: new Set() }));
    for (const index of options.controlsOf?.(probe) ?? every) {
      const needle = needles[index];
      if (needle?.fate === "control" && canFind(probe.name, needle.content)) look.controls.add(index);
    }
  }
  // Who looks before its turn has it last: the others look meanwhile.
  return [...looks.values()].toSorted((a, b) => begins(a) - begins(b));
}

function begins({ probe }: Look): number {
  return probe.begin === undefined ? 0 : 1;
}

/**
 * Runs one probe after the other and closes each; some begin before their turn, which comes last. A probe that throws, that misses one of its controls or that had none is blind.
 * @throws only when `signal` is aborted
 */
export async function runProbes(
  probes: readonly Probe[],
  needles: readonly Needle[],
  options: RunProbesOptions,
  signal: AbortSignal,
): Promise<readonly ProbeRun[]> {
  const looks = joinLooks(probes, needles, options);
  const runs: ProbeRun[] = [];
  for (const { probe } of looks) probe.begin?.(needles);
  let meanwhile = options.meanwhile;
  try {
    for (const look of looks) {
      if (begins(look) === 1) {
        await meanwhile?.();
        meanwhile = undefined;
      }
      signal.throwIfAborted();
      options.started?.(look.probe, runs.length, looks.length);
      runs.push(await runProbe(look, needles, options, signal));
    }
    await meanwhile?.();
  } finally {
    // What has begun, and will have no turn.
    for (const { probe } of looks.slice(runs.length)) if (probe.begin !== undefined) await probe.close();
  }
  return runs;
}

async function runProbe(
  { probe, controls }: Look,
  needles: readonly Needle[],
  options: RunProbesOptions,
  signal: AbortSignal,
): Promise<ProbeRun> {
  const maxFindings = options.maxFindings ?? 10_000;
  const maxPerNeedle = options.maxPerNeedle ?? 100;
  const findings: Finding[] = [];
  const perNeedle = new Map<number, number>();
  const perGroup = new Map<number, number>();
  const found = new Set<number>();
  let overflow = 0;
  let why: string | undefined;
  let brokeOff = false;

  const keep = (finding: Finding): void => {
    const needle = needles[finding.needle];
    if (needle === undefined) {
      why ??= "a finding names no needle that was asked for";
      return;
    }
    if (needle.fate === "control") {
      found.add(finding.needle);
      return;
    }
    const count = (perNeedle.get(finding.needle) ?? 0) + 1;
    perNeedle.set(finding.needle, count);
    // What floods one who asks must not hide what is another's.
    const group = options.groupOf?.(finding.needle) ?? 0;
    const kept = perGroup.get(group) ?? 0;
    if (count > maxPerNeedle || kept >= maxFindings) {
      overflow++;
      return;
    }
    perGroup.set(group, kept + 1);
    findings.push(finding);
  };

  try {
    for await (const finding of probe.look(needles, signal)) keep(finding);
  } catch (error) {
    signal.throwIfAborted();
    why = reasonOf(error);
    brokeOff = true;
  }
  try {
    await probe.close();
  } catch (error) {
    why ??= reasonOf(error);
  }
  const controlsFound = [...controls].filter((index) => found.has(index)).length;
  if (controls.size === 0) why ??= "no control could be taken, so finding nothing says nothing";
  else if (controlsFound < controls.size)
    why ??= `${controls.size - controlsFound} of ${controls.size} controls were not found`;
  const { name, depth, scope } = probe;
  const seen = {
    name,
    depth,
    scope,
    controlsTaken: controls.size,
    controlsFound,
    findings,
    overflow,
    ...(brokeOff ? { brokeOff: true as const } : {}),
  };
  return why === undefined ? { ...seen, status: "ran" } : { ...seen, status: "blind", why };
}
