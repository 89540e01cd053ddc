// Cases of the rewrite: what is shared or redacted is changed in its place, whole, and the old text is gone like an erased one.
import type { Artifact } from "../../model/artifact.ts";
import { hold, needs } from "../case-end.ts";
import { byNothing, type ConformanceCase } from "../conformance-case.ts";
import { hasFound, isSame, OTHER, PERSON, says, seeing } from "../stage.ts";

const NEW_TEXT = "what is left of it after one of two went out of it and somebody wrote it anew";

export const REWRITE_CASES: readonly ConformanceCase[] = [
  {
    name: "rewrite-content",
    says: "a rewritten artifact holds the new text and nothing of the old one, and no other artifact changes",
    demandedBy: byNothing,
    async run({ lay, record, records }) {
      const scene = await lay();
      needs(scene.bench.holds.text, "a record holds no text");
      const others = await scene.write(records(2));
      const written = record();
      const before = await scene.one(await scene.put(written));
      const untouched = await scene.read(others);
      const wanted = withText(before, written.text, NEW_TEXT);
      for (const time of ["once", "twice"])
        hold((await scene.rewrite([wanted]))[0] === "rewritten", `asked ${time}, it is not answered as rewritten`);
      const after = await scene.one(before.key);
      hold(says(after, NEW_TEXT) && !says(after, written.text), "the new text is not in the place of the old one");
      hold(isSame([wanted], [after]), "something else of the artifact changed with its text");
      hold(isSame(untouched, await scene.read(others)), "another artifact changed too");
      await scene.purge();
      for (const run of seeing(await scene.look([before], untouched, contentProbes(scene.probes()))))
        hold(!hasFound(run), `the ${run.name} probe still finds the old text after the purge`);
    },
  },
  {
    name: "rewrite-absent",
    says: "rewriting what is not there answers absent and does not bring it into being",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      needs(scene.bench.holds.text, "a record holds no text");
      const written = record();
      const gone = await scene.one(await scene.put(written));
      const stays = await scene.put(record());
      await scene.erase([gone.key]);
      const [answer] = await scene.rewrite([withText(gone, written.text, NEW_TEXT)]);
      hold(answer === "absent", "an artifact that is not there is not answered as absent");
      const left = await scene.scan();
      hold(left.length === 1 && left[0]?.key === stays, "rewriting what is not there brought it back");
    },
  },
  {
    name: "rewrite-persons",
    says: "a person that a rewrite leaves out is no subject of the artifact any more, the others are",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      needs(scene.bench.holds.accounts === "many", "a record is about one person at most");
      const before = await scene.one(await scene.put(record({ accounts: [PERSON, OTHER] })));
      const wanted = { ...before, subjects: before.subjects.filter(({ value }) => value !== PERSON) };
      hold(wanted.subjects.length === 1, "two persons were written and not two are read back");
      hold((await scene.rewrite([wanted]))[0] === "rewritten", "it is not answered as rewritten");
      hold(isSame([wanted], [await scene.one(before.key)]), "not just the one person was taken out");
    },
  },
  {
    name: "rewrite-sources",
    says: "a source that a rewrite leaves out is no source of the artifact any more, the others are",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      needs(scene.bench.holds.sources === "many", "a record has one source at most");
      const before = await scene.one(await scene.put(record({ sources: ["origin-1", "origin-2"] })));
      const wanted = { ...before, sources: before.sources.filter(({ key }) => key !== "origin-1") };
      hold(wanted.sources.length === 1, "two sources were written and not two are read back");
      hold((await scene.rewrite([wanted]))[0] === "rewritten", "it is not answered as rewritten");
      hold(isSame([wanted], [await scene.one(before.key)]), "not just the one source was taken out");
    },
  },
];

function withText(artifact: Artifact, old: string, text: string): Artifact {
  const content = artifact.content.map((field) =>
    field.type === "text" ? { ...field, text: field.text.replaceAll(old, text) } : field,
  );
  return { ...artifact, content };
}

/** The key of a rewritten artifact stays, and its vector here too. */
function contentProbes<P extends { readonly name: string }>(probes: readonly P[]): readonly P[] {
  return probes.filter(({ name }) => name === "excerpt" || name === "bytes");
}
