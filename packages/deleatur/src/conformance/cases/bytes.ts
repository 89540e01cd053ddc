// Cases of the purge: at file level nothing is left, by the kind's own byte probe and by the kit's plain reading of the store's files.
import { hold, needs, possible } from "../case-end.ts";
import { byFileLevel, byNothing, byScan, type ConformanceCase } from "../conformance-case.ts";
import { countInFiles } from "../count-in-files.ts";
import { OTHER, PERSON, REQUEST, type Scene, seeing } from "../stage.ts";

export const BYTES_CASES: readonly ConformanceCase[] = [
  {
    name: "purge",
    says: "a purge that nobody hinders answers purged, with its method, also when it is asked for again; nothing living is lost",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const keys = await scene.write(records(6));
      await scene.erase(keys.slice(0, 3));
      await scene.purge();
      await scene.purge();
      const left = (await scene.scan()).map(({ key }) => key);
      hold(left.length === 3 && keys.slice(3).every((key) => left.includes(key)), "the purge lost what lives");
    },
  },
  {
    name: "bytes",
    says: "the byte probe finds an artifact before its erase and nothing of it after the purge",
    demandedBy: byFileLevel,
    async run({ lay, records }) {
      const scene = await lay();
      const keys = await scene.write(records(8));
      const gone = await scene.read(keys.slice(0, 4));
      const controls = await scene.read(keys.slice(4, 6));
      const probes = (): ReturnType<Scene["probes"]> => scene.probes().filter(({ depth }) => depth === "bytes");
      needs(probes().length > 0, "the kind has no byte probe");
      // As controls: what lives explains itself to a byte probe, unless it is one.
      seeing(await scene.look([], [...gone, ...controls], probes()));
      await scene.erase(gone.map(({ key }) => key));
      await scene.purge();
      for (const run of seeing(await scene.look(gone, controls, probes())))
        hold(run.findings.length === 0, "it still finds something after the purge");
    },
  },
  {
    name: "bytes-by-hand",
    says: "read byte by byte past the adapter, the store's files hold a text before its erase and not after the purge; a survivor's text they hold",
    // Not demanded: files may be out of reach, or hold a text in another form.
    demandedBy: byNothing,
    async run({ lay, record }, signal) {
      const scene = await lay();
      needs(scene.bench.holds.text, "a record holds no text");
      const [erased, survivor] = [record(), record()];
      const key = await scene.put(erased);
      await scene.put(survivor);
      hold((await countInFiles(scene, erased.text, signal)) > 0, "the files do not hold what was just written");
      await scene.erase([key]);
      await scene.purge();
      hold((await countInFiles(scene, survivor.text, signal)) > 0, "the files do not hold what survives");
      const left = await countInFiles(scene, erased.text, signal);
      hold(left === 0, `${left} copies are left after the purge`);
    },
  },
  {
    name: "offer-leaves-nothing",
    says: "a dry-run insert leaves no artifact, and after a purge no byte",
    demandedBy: byScan,
    async run({ lay, record }, signal) {
      const scene = await lay();
      const template = await scene.one(await scene.put(record()));
      const text = record().text;
      const offered = {
        ...template,
        content: template.content.map((field) => (field.type === "text" ? { ...field, text } : field)),
      };
      await scene.erase([template.key]);
      const { outcome } = await scene.surface.offer(offered, signal);
      needs(outcome !== "no-insert-path", "there is no insert path");
      hold(outcome === "accepted", `nothing stands against it, and the offer is answered as ${outcome}`);
      hold((await scene.scan()).length === 0, "a dry run left an artifact");
      await scene.purge();
      const files = await scene.bench.files(signal);
      if (files.outcome === "files" && scene.bench.holds.text)
        hold((await countInFiles(scene, text, signal)) === 0, "a dry run left bytes");
    },
  },
  {
    name: "fence-leaves-nothing",
    says: "when a fence has ended, the store's files hold no identifier that it named",
    // Not demanded: files may be out of reach, or hold a text in another form.
    demandedBy: byNothing,
    async run({ lay }, signal) {
      const scene = await lay();
      possible(await scene.bench.files(signal));
      const named = `${OTHER}-named-by-the-fence-alone`;
      const identifiers = [PERSON, named].map((value) => ({ type: "account", value }));
      await scene.surface.fence({ request: REQUEST, identifiers, keys: [], sources: new Map() }, signal);
      hold((await scene.surface.unfence([REQUEST], signal)) === "ended", "nobody reads, and the fence does not end");
      hold((await scene.surface.unfence([REQUEST], signal)) === "ended", "asked again, the fence does not end");
      hold((await countInFiles(scene, named, signal)) === 0, "an identifier is left");
    },
  },
];
