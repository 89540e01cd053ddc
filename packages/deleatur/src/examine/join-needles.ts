// Asks the probes for the needles of several requests at once, and gives each request what was found of its own.
import type { Artifact } from "../model/artifact.ts";
import type { SubjectIdentifier } from "../model/ids.ts";
import type { Needle } from "../model/needle.ts";
import type { ProbeRun } from "../probe/run-probes.ts";
import type { KeptNeedle } from "./kept-needles.ts";
import type { SurfaceRuns } from "./look-with-probes.ts";
import type { EpochScan } from "./scan-epoch.ts";
import { toNeedles } from "./to-needles.ts";

export interface JoinedNeedles {
  /** Those of the first request, of the next, and so on; then the controls. */
  readonly needles: readonly Needle[];
  /** The place of the request whose needle this is; of a control one beyond the last. */
  readonly groupOf: (index: number) => number;
}

export function joinNeedles(
  asking: readonly {
    readonly needles: readonly KeptNeedle[];
    readonly identifiers: readonly SubjectIdentifier[];
  }[],
  scans: readonly EpochScan[],
  controls: readonly Artifact[],
): JoinedNeedles {
  const needles: Needle[] = [];
  const groups: number[] = [];
  for (const [place, { needles: kept, identifiers: persons }] of asking.entries()) {
    for (const needle of toNeedles(kept)) {
      const explained = scans[place]?.explained[needle.fate === "rewritten" ? "rewritten" : "erased"];
      needles.push({
        ...needle,
        ...(needle.index === 0 ? { persons } : {}),
        ...(explained === undefined ? {} : { explained }),
        index: needles.length,
      });
      groups.push(place);
    }
  }
  for (const control of toNeedles([], controls)) {
    needles.push({ ...control, index: needles.length });
    groups.push(asking.length);
  }
  return { needles, groupOf: (index) => groups[index] ?? asking.length };
}

/** The runs as one request counts them. Surfaces that shared a look share it here too. */
export function runsOf(
  runs: readonly SurfaceRuns[],
  { groupOf }: JoinedNeedles,
  place: number,
): readonly SurfaceRuns[] {
  const own = new Map<ProbeRun, ProbeRun>();
  return runs.map((one) => {
    const known = own.get(one.run);
    const run = known ?? { ...one.run, findings: one.run.findings.filter(({ needle }) => groupOf(needle) === place) };
    own.set(one.run, run);
    return { ...one, run };
  });
}
