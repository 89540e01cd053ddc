// Cases that lie on purpose: an erase, a purge and a probe that do nothing and say otherwise. The other eyes must notice.
import type { Finding } from "../../model/needle.ts";
import type { Probe, Surface } from "../../surface.ts";
import { hold, needs } from "../case-end.ts";
import { byNothing, byScan, type ConformanceCase } from "../conformance-case.ts";
import { hasFound, seeing, SURFACE } from "../stage.ts";

export const SABOTAGE_CASES: readonly ConformanceCase[] = [
  {
    name: "sabotaged-erase",
    says: "an erase that answers erased and does nothing is found by every probe that reads what lives",
    demandedBy: byScan,
    async run({ lay, records }, signal) {
      const scene = await lay();
      const keys = await scene.write(records(6));
      const gone = await scene.read(keys.slice(0, 3));
      const controls = await scene.read(keys.slice(3));
      const lying = withIdleErase(scene.surface);
      const answers = await lying.erase(
        gone.map(({ key }) => key),
        signal,
      );
      hold(
        answers.every(({ outcome }) => outcome === "erased"),
        "the sabotage did not answer",
      );
      await scene.purge();
      const runs = seeing(await scene.look(gone, controls));
      hold(
        runs.some(({ name }) => name === "key"),
        "the kind has no key probe",
      );
      for (const run of runs.filter(({ depth }) => depth !== "bytes"))
        for (const place of gone.keys()) hold(hasFound(run, place), `the ${run.name} probe does not notice`);
    },
  },
  {
    name: "sabotaged-purge",
    says: "a purge that answers purged and does nothing is found by the byte probe",
    // Not demanded: where the erase itself leaves no byte, a purge has nothing to do.
    demandedBy: byNothing,
    async run({ lay, records }) {
      const scene = await lay();
      const keys = await scene.write(records(6));
      const gone = await scene.read(keys.slice(0, 3));
      const controls = await scene.read(keys.slice(3));
      await scene.erase(gone.map(({ key }) => key));
      // The purge is left out: that is what one that does nothing does.
      const probes = scene.probes().filter(({ depth }) => depth === "bytes");
      needs(probes.length > 0, "the kind has no byte probe");
      for (const run of seeing(await scene.look(gone, controls, probes)))
        hold(run.findings.length > 0, "the byte probe finds nothing although nothing was purged");
    },
  },
  {
    name: "sabotaged-probe",
    says: "a probe that looks at nothing and reports nothing is blind, by the artifacts that the surface gives as its controls",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const controls = await scene.read(await scene.write(records(3)));
      const probes = scene.probes();
      needs(probes.length > 0, "the kind has no probes");
      for (const { name, status, controlsTaken } of await scene.look([], controls, probes.map(blinded))) {
        hold(controlsTaken > 0, `no artifact of this surface could be a control of the ${name} probe`);
        hold(status === "blind", `a ${name} probe that looks at nothing passes for one that sees`);
      }
    },
  },
];

/** The author's surface with an erase that does nothing. */
function withIdleErase(surface: Surface): Surface {
  return {
    ...surface,
    erase: async (keys) => keys.map((key) => ({ surface: SURFACE, key, outcome: "erased" })),
  };
}

async function* nothing(): AsyncGenerator<Finding> {}

function blinded({ name, depth, scope }: Probe): Probe {
  return { name, depth, scope, look: nothing, close: async () => undefined };
}
