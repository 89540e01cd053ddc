// Cases of trouble: a reader that holds on, a store that goes away, is killed, read-only or full. Never a success that is none; when it is over, the same act ends as an unbroken one.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Artifact, Erased } from "../../model/artifact.ts";
import type { ArtifactKey } from "../../model/ids.ts";
import { CaseEnd, hold, needs } from "../case-end.ts";
import { byFileLevel, byOutcome, type ConformanceCase } from "../conformance-case.ts";
import { countInFiles } from "../count-in-files.ts";
import { isSame, OTHER, PERSON, type Scene, seeing } from "../stage.ts";
import type { BenchRecord } from "../subject.ts";

/** More than any page that a client gives by itself. */
const MANY = 2_500;

export const OUTAGE_CASES: readonly ConformanceCase[] = [
  {
    name: "unreachable",
    says: "a store that is away is an error or a failed answer, never a success, and the words name nobody",
    demandedBy: byOutcome,
    async run({ lay, record }, signal) {
      const scene = await lay();
      const gone = await writeSome(scene, [record()]);
      await scene.hinder("takeAway");
      await isRefused(gone, "scan", async () => (await scene.scan()) && "an answer");
      await isRefused(gone, "read", async () => (await scene.read(gone.keys)) && "an answer");
      await isRefused(gone, "erase", async () => (await scene.erase(gone.keys))[0] ?? "no answer");
      await isRefused(gone, "purge", async () => (await scene.surface.purge(signal)).outcome);
      for (const { name, status, why = "" } of await scene.look([], gone.artifacts)) {
        hold(status === "blind", `with the store away the ${name} probe is not blind`);
        holdDiscreet(gone, `the ${name} probe's reason`, why);
      }
    },
  },
  {
    name: "down-at-open",
    says: "a store that is away when it is opened is an error, there or at the first scan, and it opens when it is back",
    demandedBy: byOutcome,
    async run({ lay, records }) {
      const scene = await lay();
      const written = await writeSome(scene, records(3));
      const outage = await scene.hinder("takeAway");
      const scanned = await answerOf(written, "open", async () => (await scene.reopen()).scan());
      hold(scanned === undefined, "the store is away, and a surface that is opened on it scans");
      await outage.end();
      hold((await (await scene.reopen()).scan()).length === 3, "it is back, and not everything is scanned");
    },
  },
  {
    name: "down-while-scanning",
    says: "a store that goes away behind the first artifact of a scan makes it throw, unless it answers all 2,500",
    demandedBy: byOutcome,
    async run({ lay, records }, signal) {
      const scene = await lay();
      const written = { ...(await writeSome(scene, records(1))), records: [] };
      await scene.write(records(MANY - 1));
      let seen = 0;
      let outage: Awaited<ReturnType<Scene["hinder"]>> | undefined;
      await answerOf(written, "scan", async () => {
        for await (const { key } of scene.surface.scan(signal)) {
          seen += key === "" ? 0 : 1;
          outage ??= await scene.hinder("takeAway");
        }
        hold(seen === MANY, `the store went away, and the scan ended as if ${seen} of 2,500 were all`);
      });
      await outage?.end();
      hold((await (await scene.reopen()).scan()).length === MANY, "it is back, and not everything is scanned");
    },
  },
  {
    name: "killed-in-erase",
    says: "an erase that the store's end tears off answers for nothing that it did not do, and run again it ends as an unbroken one",
    demandedBy: byOutcome,
    async run({ lay, records }, signal) {
      const scene = await lay();
      const stay = await writeSome(scene, records(5));
      let last: Written | undefined;
      for (const moment of [undefined, nextTurn, () => sleep(3), () => sleep(15)]) {
        const gone = await writeSome(scene, records(60));
        const [said = [], outage] = await tearOff(
          scene,
          () => answerOf(gone, "erase", () => scene.erase(gone.keys)),
          moment,
        );
        await outage.end();
        const again = await scene.reopen();
        await holdErased(again, gone.keys, said);
        await erasesWell(again, gone, stay);
        last = gone;
      }
      if (last !== undefined) await endsWell(await scene.reopen(), last, stay, signal);
    },
  },
  {
    name: "killed-in-purge",
    says: "a purge that the store's end tears off answers purged only where nothing is left, and run again it ends as an unbroken one",
    demandedBy: byOutcome,
    async run({ lay, records }, signal) {
      const scene = await lay();
      const stay = await writeSome(scene, records(5));
      for (const moment of [undefined, nextTurn, () => sleep(10), () => sleep(60)]) {
        const gone = await writeSome(scene, records(20));
        await scene.erase(gone.keys);
        const [said, outage] = await tearOff(
          scene,
          () => answerOf(gone, "purge", () => scene.surface.purge(signal)),
          moment,
        );
        await outage.end();
        const again = await scene.reopen();
        if (said?.outcome === "purged") await holdNothingLeft(again, gone, stay, signal);
        await endsWell(again, gone, stay, signal);
      }
    },
  },
  {
    name: "reader-holds",
    says: "a purge beside a reader that holds what was erased answers pending until it leaves, or leaves nothing in the store's files all the same (C06)",
    demandedBy: byFileLevel,
    async run({ lay, records }, signal) {
      const scene = await lay();
      const stay = await writeSome(scene, records(3));
      const gone = await writeSome(scene, records(3));
      const reader = await scene.hinder("openReader");
      hold(
        (await scene.erase(gone.keys)).every((outcome) => outcome === "erased"),
        "an artifact that is there is not answered as erased",
      );
      const purged = await scene.surface.purge(signal);
      hold(
        purged.outcome === "purged" || (purged.outcome === "pending" && purged.why !== ""),
        `a reader holds what was erased, and the purge answers ${purged.outcome}`,
      );
      if (purged.outcome === "purged") await holdNothingLeft(scene, gone, stay, signal);
      await reader.end();
      await endsWell(scene, gone, stay, signal);
    },
  },
  hindered("read-only", "makeReadOnly", "a store that may only be read has nothing erased"),
  hindered("disk-full", "fillDisk", "a store without room to write answers for nothing that it did not do"),
];

/** What was written, and what of it may be named in no error. */
interface Written {
  readonly records: readonly BenchRecord[];
  readonly keys: readonly ArtifactKey[];
  readonly artifacts: readonly Artifact[];
}

async function writeSome(scene: Scene, records: readonly BenchRecord[]): Promise<Written> {
  const keys = await scene.write(records);
  return { records, keys, artifacts: await scene.read(keys) };
}

function hindered(name: string, how: "makeReadOnly" | "fillDisk", says: string): ConformanceCase {
  return {
    name,
    says: `${says}, is never answered as purged while a byte is left, and lets the same erase and purge end when it is writable again`,
    demandedBy: byOutcome,
    async run({ lay, records }, signal) {
      const scene = await lay();
      const stay = await writeSome(scene, records(3));
      const earlier = await writeSome(scene, records(3));
      const gone = await writeSome(scene, records(3));
      await scene.erase(earlier.keys);
      const hindrance = await scene.hinder(how);
      const said = (await answerOf(gone, "erase", () => scene.erase(gone.keys))) ?? [];
      const purged = await answerOf(earlier, "purge", () => scene.surface.purge(signal));
      needs(await isWriteRefused(scene, records(1), signal), "the application writes all the same");
      await hindrance.end();
      hold(
        how === "fillDisk" || !said.includes("erased"),
        "the store may only be read, and something is answered as erased",
      );
      await holdErased(scene, gone.keys, said);
      if (purged?.outcome === "purged") await holdNothingLeft(scene, earlier, stay, signal);
      await endsWell(scene, gone, stay, signal);
      await holdNothingLeft(scene, earlier, stay, signal);
    },
  };
}

async function isWriteRefused(
  { bench }: Scene,
  records: readonly BenchRecord[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await bench.write(records, signal)).outcome !== "written";
  } catch (error) {
    return error instanceof Error;
  }
}

/** Runs an act and takes the store away at a moment of it; without one, before it begins. */
async function tearOff<Answer>(
  scene: Scene,
  act: () => Promise<Answer>,
  moment: (() => Promise<unknown>) | undefined,
): Promise<readonly [Answer, Awaited<ReturnType<Scene["hinder"]>>]> {
  if (moment === undefined) {
    const outage = await scene.hinder("takeAway");
    return [await act(), outage];
  }
  const takeAway = async (): ReturnType<Scene["hinder"]> => {
    await moment();
    return await scene.hinder("takeAway");
  };
  return await Promise.all([act(), takeAway()]);
}

/** What an act answers; undefined where it threw: with a code that says which trouble it was, and nothing of what was stored. @throws CaseEnd */
async function answerOf<Answer>(
  written: Written,
  act: string,
  run: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CaseEnd) throw error;
    holdDiscreet(written, `the error of ${act}`, error instanceof Error ? error.message : String(error));
    const isCoded = error instanceof Error && "code" in error && typeof error.code === "string";
    hold(isCoded, `the error of ${act} has no code that says which trouble it was`);
    return undefined;
  }
}

function holdDiscreet({ records, keys }: Written, what: string, words: string): void {
  // A number that the store gave says nothing of anybody, and may well stand in a message.
  const secrets = [...records.map(({ text }) => text), PERSON, OTHER, ...keys.filter((key) => !/^\d{1,5}$/.test(key))];
  hold(!secrets.some((secret) => words.includes(secret)), `${what} repeats what was stored`);
}

async function isRefused(written: Written, act: string, run: () => Promise<string>): Promise<void> {
  const answer = (await answerOf(written, act, run)) ?? "failed";
  hold(
    answer === "failed" || answer === "pending" || answer === "unsupported",
    `with the store away ${act} answers ${answer}`,
  );
}

/** What was answered in trouble is true of the store as it is now. */
async function holdErased(
  scene: Scene,
  keys: readonly ArtifactKey[],
  said: readonly Erased["outcome"][],
): Promise<void> {
  hold(!said.includes("absent"), "an erase in trouble answers absent of what was there");
  const erased = keys.filter((_, place) => said[place] === "erased");
  hold((await scene.read(erased)).length === 0, "an erase in trouble answers erased of what is still there");
}

/** The same erase and purge once more: all is gone, and what stays is as it was. */
async function endsWell(scene: Scene, gone: Written, stay: Written, signal: AbortSignal): Promise<void> {
  await erasesWell(scene, gone, stay);
  await scene.purge();
  await holdNothingLeft(scene, gone, stay, signal);
}

async function erasesWell(scene: Scene, gone: Written, stay: Written): Promise<void> {
  const answers = await scene.erase(gone.keys);
  hold(!answers.includes("failed"), "the trouble is over, and the erase that is run again fails");
  const left = await scene.read([...gone.keys, ...stay.keys]);
  hold(isSame(byKey(stay.artifacts), byKey(left)), "it did not end as an unbroken one");
}

function byKey(artifacts: readonly Artifact[]): readonly Artifact[] {
  return artifacts.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** By the eyes of the kind, and by plain reading where there are files. */
async function holdNothingLeft(scene: Scene, gone: Written, stay: Written, signal: AbortSignal): Promise<void> {
  for (const run of seeing(await scene.look(gone.artifacts, stay.artifacts)))
    hold(run.findings.length === 0, `the ${run.name} probe still finds something`);
  if (!scene.bench.holds.text || (await scene.bench.files(signal)).outcome !== "files") return;
  for (const { text } of gone.records)
    hold((await countInFiles(scene, text, signal)) === 0, "bytes are left in the store's files");
}
