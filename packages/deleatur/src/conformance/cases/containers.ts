// Cases of census, markers and replicas: every container is named, whoever declared it; another ledger is noticed; every store of a surface is reached.
import { hold, needs, possible } from "../case-end.ts";
import { byContainers, byNothing, type ConformanceCase } from "../conformance-case.ts";
import { hasFound, seeing, writtenKeys } from "../stage.ts";

const LEDGER = "00112233445566778899aabbccddeeff";
const OTHER_LEDGER = "ffeeddccbbaa99887766554433221100";

export const CONTAINER_CASES: readonly ConformanceCase[] = [
  {
    name: "census",
    says: "the census names every container that stands in the store, shadows with an owner, and what holds text says so",
    demandedBy: byContainers,
    async run({ lay, record }, signal) {
      const scene = await lay();
      needs(scene.bench.containers.length > 0, "the bench names no container that the census could be held against");
      await scene.put(record());
      const census = await scene.surface.census(signal);
      const names = new Set(census.map(({ name }) => name));
      hold(names.size === census.length, "a container is named twice");
      const missing = scene.bench.containers.filter((name) => !names.has(name));
      hold(missing.length === 0, `the census does not name ${missing.join(", ")}`);
      const own = census.filter(({ name }) => scene.bench.containers.includes(name));
      hold(
        !scene.bench.holds.text || own.some(({ holds }) => holds.includes("text")),
        "nothing of it is said to hold text",
      );
      const orphan = census.find(({ kind, owner }) => kind === "shadow" && owner === undefined);
      hold(orphan === undefined, "a shadow has no owner");
    },
  },
  {
    name: "undeclared-container",
    says: "a container that nobody declares is named by the census and looked into by its own probes (C08)",
    demandedBy: byContainers,
    async run({ kind, lay, record }, signal) {
      const scene = await lay();
      const written = record();
      const gone = await scene.one(await scene.put(written));
      const { name } = possible(await scene.bench.addContainer(written.text, signal));
      await scene.erase([gone.key]);
      await scene.purge();
      const container = (await scene.surface.census(signal)).find((each) => each.name === name);
      hold(container !== undefined, "the census does not name it");
      hold(container.holds.length > 0, "the census does not say that it holds anything");
      const probes = kind.containerProbes(scene.options, container);
      hold(probes.length > 0, "nobody looks into it");
      const runs = await scene.look([gone], [], probes);
      hold(
        runs.some((run) => hasFound(run)),
        "what stands in it is not found",
      );
    },
  },
  {
    name: "markers",
    says: "a ledger's marker is left once, read by others, and taken out without trace; another's stays",
    demandedBy: byNothing,
    async run({ lay, record }, signal) {
      const scene = await lay();
      const { surface } = scene;
      await scene.put(record());
      hold((await surface.markers(signal)).length === 0, "a fresh store bears a marker");
      needs((await surface.mark(LEDGER, signal)) === "marked", "the store bears no marker");
      await surface.mark(LEDGER, signal);
      hold((await surface.mark(OTHER_LEDGER, signal)) === "marked", "a second ledger leaves no marker");
      const markers = (await surface.markers(signal)).toSorted();
      hold(markers.join() === [LEDGER, OTHER_LEDGER].join(), "not just the markers of both ledgers are read");
      hold((await scene.scan()).length === 1, "a marker is scanned as an artifact");
      await surface.unmark([LEDGER], signal);
      hold((await surface.markers(signal)).join() === OTHER_LEDGER, "not just the one marker was taken out");
      await surface.unmark([OTHER_LEDGER, LEDGER], signal);
      hold((await surface.markers(signal)).length === 0, "a marker is left");
    },
  },
  {
    name: "replicas",
    says: "an erase and a purge reach every store that holds the surface, and each is looked at by eyes of its own (CLAIM-6)",
    demandedBy: byNothing,
    async run({ kind, lay, records }) {
      const alone = kind.probes((await lay()).options).length;
      const scene = await lay({ replicas: 1 });
      needs(scene.bench.connections.length === 2, "the bench laid no replica");
      const keys = await scene.write(records(4));
      const gone = await scene.read(keys.slice(0, 2));
      const controls = await scene.read(keys.slice(2));
      hold(kind.probes(scene.options).length > alone, "there are no more eyes for two stores than for one");
      seeing(await scene.look([], [...gone, ...controls]));
      hold(
        (await scene.erase(gone.map(({ key }) => key))).every((outcome) => outcome === "erased"),
        "it is not answered as erased",
      );
      await scene.purge();
      for (const run of seeing(await scene.look(gone, controls)))
        hold(run.findings.length === 0, `the ${run.name} probe (${run.scope}) still finds something`);
    },
  },
  {
    name: "replica-alone",
    says: "what stands in a replica alone is found there, and erased there (CLAIM-6)",
    demandedBy: byNothing,
    async run({ lay, record }, signal) {
      const scene = await lay({ replicas: 1 });
      needs(scene.bench.connections.length === 2, "the bench laid no replica");
      const control = await scene.one(await scene.put(record()));
      const written = record();
      const gone = await scene.one(await scene.put(written));
      await scene.erase([gone.key]);
      writtenKeys(await scene.bench.writeToReplica([{ ...written, key: gone.key }], signal), 1);
      const runs = seeing(await scene.look([gone], [control]));
      hold(
        runs.some((run) => run.name === "key" && hasFound(run)),
        "no key probe finds what a replica alone holds",
      );
      hold((await scene.erase([gone.key]))[0] === "erased", "it is not answered as erased");
      await scene.purge();
      for (const run of seeing(await scene.look([gone], [control])))
        hold(run.findings.length === 0, `the ${run.name} probe (${run.scope}) still finds something`);
    },
  },
];
