// Cases of the probes: they find what is there, find nothing where nothing is, and are blind where they do not look.
import type { Artifact } from "../../model/artifact.ts";
import { artifactKey } from "../../model/ids.ts";
import type { ProbeName } from "../../model/needle.ts";
import { hold, needs } from "../case-end.ts";
import { byNeighbours, byScan, type ConformanceCase } from "../conformance-case.ts";
import { hasFound, type Scene, seeing } from "../stage.ts";

export const PROBE_CASES: readonly ConformanceCase[] = [
  {
    name: "positive-control",
    says: "every probe finds what is there: the controls, and an artifact that was not erased yet",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const keys = await scene.write(records(4));
      const there = await scene.read(keys.slice(0, 2));
      const controls = await scene.read(keys.slice(2));
      for (const run of seeing(await scene.look(there, controls))) {
        // To a byte probe what lives explains itself, unless it is a control.
        if (run.depth === "bytes") continue;
        for (const place of there.keys())
          hold(hasFound(run, place), `the ${run.name} probe does not find what is there`);
      }
    },
  },
  {
    name: "nothing-after",
    says: "after erase and purge no probe finds anything of it, while the controls are found",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const keys = await scene.write(records(6));
      const gone = await scene.read(keys.slice(0, 4));
      const controls = await scene.read(keys.slice(4));
      await scene.erase(gone.map(({ key }) => key));
      await scene.purge();
      for (const run of seeing(await scene.look(gone, controls)))
        hold(run.findings.length === 0, `the ${run.name} probe still finds something`);
    },
  },
  {
    name: "canary",
    says: "where nothing lives a canary can be planted, every probe finds it, and it is erased like anything else",
    demandedBy: byScan,
    async run({ lay, record }, signal) {
      const scene = await lay();
      const gone = await scene.one(await scene.put(record()));
      await scene.erase([gone.key]);
      await scene.purge();
      const canary = { ...gone, key: artifactKey("deleatur-canary-0badc0de0badc0de"), sources: [] };
      const fresh = record().text;
      const content = canary.content.map((field) => (field.type === "text" ? { ...field, text: fresh } : field));
      const planted = await scene.surface.plant({ ...canary, content }, signal);
      needs(planted.outcome === "planted", planted.outcome === "planted" ? "" : planted.why);
      const stands: Artifact = { ...canary, key: planted.key, content: planted.content ?? content };
      for (const run of seeing(await scene.look([gone], [stands]))) {
        const isVector = run.findings.every(({ match }) => match.how === "vector" || match.how === "bytes");
        // The canary was planted with the vector of what is gone.
        hold(run.findings.length === 0 || isVector, `the ${run.name} probe takes the canary for what is gone`);
      }
      hold((await scene.erase([planted.key]))[0] !== "failed", "the canary cannot be erased");
      hold((await scene.scan()).length === 0, "the canary is left");
    },
  },
  {
    name: "probe-elsewhere",
    says: "probes over a store that does not hold the control are blind: what they find is read there and then",
    demandedBy: byScan,
    async run({ lay, record }) {
      const full = await lay();
      const empty = await lay();
      await full.put(record());
      // The second: where the store numbers its records, the other store has a first one too.
      const control = await full.one(await full.put(record()));
      await empty.put(record());
      const runs = await full.look([], [control], empty.probes());
      needs(runs.length > 0, "the kind has no probes");
      for (const { name, status } of runs)
        hold(status === "blind", `the ${name} probe finds a control that is not in its store`);
    },
  },
  {
    name: "probe-names",
    says: "the kind has every probe that its guarantees name, and no two of one name and scope",
    demandedBy: byScan,
    async run({ kind, lay }) {
      const scene = await lay();
      const probes = kind.probes(scene.options);
      const names = new Set<ProbeName>(probes.map(({ name }) => name));
      // The re-ingestion probe is the offer, which is asked elsewhere; the neighbour probe is for vectors.
      const wanted = kind.guarantees.probes.filter((name) => name !== "re-ingest");
      const missing = wanted.filter((name) => !names.has(name) && (name !== "neighbour" || scene.bench.holds.vectors));
      hold(missing.length === 0, `there is no ${missing.join(", no ")} probe`);
      const ids = probes.map(({ name, scope }) => JSON.stringify([name, scope]));
      hold(new Set(ids).size === ids.length, "two probes of one name and scope: one look would count for both");
    },
  },
  {
    name: "vectors",
    says: "an erased vector is found by its neighbour probe before the erase, and by no probe after the purge",
    demandedBy: byNeighbours,
    async run({ lay, records }) {
      const scene = await lay();
      needs(scene.bench.holds.vectors, "a record holds no vector");
      const keys = await scene.write(records(6));
      const gone = (await scene.read(keys.slice(0, 2))).map(vectorsOf);
      const controls = await scene.read(keys.slice(2));
      const neighbours = (): ReturnType<Scene["probes"]> => scene.probes().filter(({ name }) => name === "neighbour");
      needs(neighbours().length > 0, "the kind has no neighbour probe");
      for (const run of seeing(await scene.look(gone, controls, neighbours())))
        for (const place of gone.keys()) hold(hasFound(run, place), "it does not find a vector that is there");
      await scene.erase(gone.map(({ key }) => key));
      await scene.purge();
      const probes = scene.probes().filter(({ name }) => name === "neighbour" || name === "bytes");
      for (const run of seeing(await scene.look(gone, controls, probes)))
        hold(
          run.findings.every(({ match }) => match.how === "vector" && !match.identical),
          `the ${run.name} probe still finds an erased vector`,
        );
    },
  },
];

function vectorsOf(artifact: Artifact): Artifact {
  return { ...artifact, content: artifact.content.filter(({ type }) => type === "vector") };
}
