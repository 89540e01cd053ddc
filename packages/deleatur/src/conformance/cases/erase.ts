// Cases of the erase: what is asked for goes, once and for all, however often it is interrupted, and nothing else does.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { type ArtifactKey, artifactKey } from "../../model/ids.ts";
import { hold } from "../case-end.ts";
import { byScan, type ConformanceCase } from "../conformance-case.ts";
import { isSame, type Scene } from "../stage.ts";

export const ERASE_CASES: readonly ConformanceCase[] = [
  {
    name: "erase-twice",
    says: "what is erased is gone from read and scan, and erasing it again answers absent",
    demandedBy: byScan,
    async run({ lay, record }) {
      const scene = await lay();
      const gone = await scene.put(record());
      const stays = await scene.put(record());
      hold((await scene.read([gone])).length === 1, "what was written cannot be read before it is erased");
      hold((await scene.erase([gone]))[0] === "erased", "an artifact that is there is not answered as erased");
      hold((await scene.read([gone])).length === 0, "an erased artifact can still be read");
      hold(
        (await scene.scan()).every(({ key }) => key !== gone),
        "an erased artifact is still scanned",
      );
      hold((await scene.erase([gone]))[0] === "absent", "erasing again does not answer absent");
      hold((await scene.read([stays])).length === 1, "another artifact is gone too");
    },
  },
  {
    name: "erase-absent",
    says: "erasing what was never there answers absent and changes nothing",
    demandedBy: byScan,
    async run({ lay, record }) {
      const scene = await lay();
      await scene.put(record());
      const once = await scene.put(record());
      await scene.erase([once]);
      const before = await scene.scan();
      hold(before.length === 1, "two records were written, one was erased, and not one is left");
      const odd = artifactKey("never-there: '\"%_*?[]");
      const answers = await scene.erase([once, odd]);
      hold(answers[0] === "absent", "a key that is not there any more is not answered as absent");
      hold(answers[1] === "absent", "a key that never was there is not answered as absent");
      hold(isSame(before, await scene.scan()), "erasing what is not there changed something");
    },
  },
  {
    name: "others-untouched",
    says: "every other artifact is read back exactly as it was: key, persons, sources, content",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const keys = await scene.write(records(12));
      const before = await scene.scan();
      hold(before.length === 12, `12 records were written and ${before.length} are scanned`);
      const gone = keys.filter((_, place) => place % 4 === 1);
      hold(
        (await scene.erase(gone)).every((outcome) => outcome === "erased"),
        "an artifact that is there is not answered as erased",
      );
      const left = before.filter(({ key }) => !gone.includes(key));
      hold(isSame(left, await scene.scan()), "what was not erased is not as it was");
    },
  },
  {
    name: "abort-and-rerun",
    says: "an erase that is aborted answers for nothing that it did not do, and run again it ends as an unbroken one",
    demandedBy: byScan,
    async run({ lay, records }) {
      for (const moment of MOMENTS) {
        const scene = await lay();
        const keys = await scene.write(records(60));
        const gone = keys.slice(0, 50);
        await eraseTornOff(scene, gone, moment);
        const answers = await scene.erase(gone);
        hold(
          answers.every((outcome) => outcome !== "failed"),
          "run again after an abort, the erase fails",
        );
        const left = (await scene.scan()).map(({ key }) => key);
        hold(
          left.length === 10 && keys.slice(50).every((key) => left.includes(key)),
          "it did not end as an unbroken one",
        );
      }
    },
  },
  {
    name: "write-beside-erase",
    says: "what the application writes while an erase runs is there afterwards, and what was to be erased is not",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const gone = await scene.write(records(30));
      const erasing = scene.erase(gone);
      const written: ArtifactKey[] = [];
      for (let round = 0; round < 5; round++) {
        written.push(...(await scene.write(records(2))));
        await nextTurn();
      }
      hold(
        (await erasing).every((outcome) => outcome === "erased"),
        "an artifact that is there is not answered as erased",
      );
      const left = new Set((await scene.scan()).map(({ key }) => key));
      hold(
        written.every((key) => left.has(key)),
        "what was written meanwhile is lost",
      );
      hold(left.size === written.length, "what was to be erased is there again");
    },
  },
];

/** When it is aborted: before it began, while it prepares, and while it works. */
const MOMENTS: readonly (() => Promise<void>)[] = [() => Promise.resolve(), () => nextTurn(), () => sleep(3)];

async function eraseTornOff(scene: Scene, keys: readonly ArtifactKey[], moment: () => Promise<void>): Promise<void> {
  const controller = new AbortController();
  if (moment === MOMENTS[0]) controller.abort();
  const erasing = scene.surface.erase(keys, controller.signal).then(
    (answers) => answers.filter(({ outcome }) => outcome === "erased").map(({ key }) => key),
    (error: unknown) => {
      if (!controller.signal.aborted) throw error;
      return [];
    },
  );
  await moment();
  controller.abort();
  const said = await erasing;
  hold((await scene.read(said)).length === 0, "an aborted erase says erased of what is still there");
}
