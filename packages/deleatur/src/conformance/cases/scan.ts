// Cases of scan and read: everything that is there is enumerated, whole, in an order, however many there are, and again after an abort.
import { compareUtf8 } from "@deleatur/verify";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Artifact } from "../../model/artifact.ts";
import { artifactKey } from "../../model/ids.ts";
import { hold, needs } from "../case-end.ts";
import { byNothing, byOutcome, byScan, bySnapshot, type ConformanceCase } from "../conformance-case.ts";
import { isSame, ORIGINS, OTHER, PERSON, says, writtenKeys } from "../stage.ts";

/** More than any page that a client gives by itself. */
const MANY = 2_500;

export const SCAN_CASES: readonly ConformanceCase[] = [
  {
    name: "content-read-back",
    says: "a scan reads back what was written: the text, the vector, the person, the source",
    demandedBy: byScan,
    async run({ lay, record }) {
      const scene = await lay();
      const written = record({ sources: ["origin-1"] });
      const key = await scene.put(written);
      const [artifact, ...more] = await scene.scan();
      hold(
        artifact?.key === key && more.length === 0,
        "one record was written and not one artifact was scanned under its key",
      );
      hold(isSame([artifact], await scene.read([key])), "read and scan disagree about one artifact");
      const { text, vectors, accounts, sources } = scene.bench.holds;
      hold(text || vectors, "the bench says that it holds neither text nor vectors, so there is nothing to erase");
      hold(!text || says(artifact, written.text), "the text is not among the content");
      hold(!vectors || isNear(artifact, written.vector), "the vector is not among the content");
      const { subject, derivedFrom } = scene.declaration;
      hold(
        accounts === "none" || names(artifact, PERSON),
        `the person is not among the subjects${subject.length === 0 ? ", and the bench declares no subject" : ""}`,
      );
      hold(
        sources === "none" || comesFrom(artifact, "origin-1"),
        `the source is not among the sources${derivedFrom.length === 0 ? ", and the bench declares no derivedFrom over `origins`" : ""}`,
      );
    },
  },
  {
    name: "several-persons",
    says: "an artifact that is about several persons names all of them",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      needs(scene.bench.holds.accounts === "many", "a record is about one person at most");
      const artifact = await scene.one(await scene.put(record({ accounts: [PERSON, OTHER] })));
      hold(names(artifact, PERSON) && names(artifact, OTHER), "one of two persons is not among the subjects");
    },
  },
  {
    name: "several-sources",
    says: "an artifact that was derived from several sources names all of them",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      needs(scene.bench.holds.sources === "many", "a record has one source at most");
      const artifact = await scene.one(await scene.put(record({ sources: ["origin-1", "origin-2"] })));
      hold(
        comesFrom(artifact, "origin-1") && comesFrom(artifact, "origin-2"),
        "one of two sources is not among the sources",
      );
    },
  },
  {
    name: "scan-order",
    says: "a scan answers in key order, and a second scan in the same",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      await scene.write(records(40));
      const keys = (await scene.scan()).map(({ key }) => key);
      hold(keys.length === 40, `40 records were written and ${keys.length} are scanned`);
      const areNumbers = keys.every((key) => /^\d{1,15}$/.test(key));
      const sorted = keys.toSorted((a, b) => (areNumbers ? Number(a) - Number(b) : compareUtf8(a, b)));
      hold(sorted.join("\n") === keys.join("\n"), "the keys are not in order");
      const again = (await scene.scan()).map(({ key }) => key);
      hold(again.join("\n") === keys.join("\n"), "a second scan has another order");
    },
  },
  {
    name: "scan-order-unicode",
    says: "keys of any script are scanned in the order of their UTF-8 bytes: case and accents are not folded, and what lies beyond the BMP comes last",
    demandedBy: byOutcome,
    async run({ lay, record }) {
      const scene = await lay();
      // By UTF-16 units the last two would stand before the full-width tilde, in many a language `B` behind `a`.
      const wanted = ["10", "9", "B", "Z\u0301", "a", "z", "\u00e4", "\u6f22", "\uff5e", "\u{1f98a}", "\u{10fffd}"];
      const answered = await scene.write(wanted.toReversed().map((key) => record({ key })));
      hold(answered.toReversed().join("\n") === wanted.join("\n"), "the bench wrote under other keys than were given");
      const scanned = (await scene.scan()).map(({ key }) => key);
      hold(scanned.length === wanted.length, "not as many are scanned as were written");
      hold(scanned.join("\n") === wanted.join("\n"), "the keys are not in the order of their bytes");
    },
  },
  {
    name: "scan-resume",
    says: "an aborted scan throws instead of ending early, and begun again it reads everything",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      await scene.write(records(1_200));
      const controller = new AbortController();
      let seen = 0;
      let isTornOff = false;
      try {
        for await (const artifact of scene.surface.scan(controller.signal)) {
          seen += artifact.key === "" ? 0 : 1;
          if (seen === 10) controller.abort();
          await nextTurn();
        }
      } catch (error) {
        if (!controller.signal.aborted) throw error;
        isTornOff = true;
      }
      hold(isTornOff, `aborted after 10 of 1,200 artifacts, the scan ended as if ${seen} were all`);
      hold((await scene.scan()).length === 1_200, "begun again it does not read everything");
    },
  },
  {
    name: "paging",
    says: "2,500 artifacts are scanned, read, erased and counted again, whatever the page of the store's client",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const keys = await scene.write(records(MANY));
      hold((await scene.scan()).length === MANY, "a scan does not reach all of them");
      hold((await scene.read(keys)).length === MANY, "a read does not reach all of them");
      const gone = keys.slice(0, MANY - 1);
      const answers = await scene.erase(gone);
      hold(
        answers.every((outcome) => outcome === "erased"),
        "an erase does not reach all of them",
      );
      hold((await scene.scan()).length === 1, "not the one artifact is left that was not erased");
    },
  },
  {
    name: "scan-lineage",
    says: "a scan for lineage answers the same keys, persons and sources as a whole one",
    demandedBy: byScan,
    async run({ lay, record, records }, signal) {
      const scene = await lay();
      await scene.write([...records(20), record({ sources: ["origin-7"] })]);
      const whole = (await scene.scan()).map(withoutContent);
      const lineage: Artifact[] = [];
      for await (const artifact of scene.surface.scan(signal, "lineage")) lineage.push(withoutContent(artifact));
      hold(whole.length === 21 && isSame(whole, lineage), "keys, persons or sources differ");
    },
  },
  {
    name: "read-some",
    says: "a read answers the artifacts of the keys given, each once, and leaves out what is not there",
    demandedBy: byScan,
    async run({ lay, records }) {
      const scene = await lay();
      const [first, second, third] = await scene.write(records(3));
      hold(first !== undefined && second !== undefined && third !== undefined, "three records were to be written");
      const read = await scene.read([third, artifactKey("never-there"), first, third]);
      const keys = read.map(({ key }) => key).toSorted(compareUtf8);
      hold(keys.join("\n") === [first, third].toSorted(compareUtf8).join("\n"), "not just those that were asked for");
      hold((await scene.read([])).length === 0, "asked for no key, it answers artifacts");
    },
  },
  {
    name: "snapshot",
    says: "what is written while a scan runs does not show in it where the kind promises a snapshot, and is in the next",
    demandedBy: bySnapshot,
    async run({ lay, records }, signal) {
      const scene = await lay();
      needs(scene.surface.guarantees.snapshot === "yes", "the kind promises no snapshot");
      await scene.write(records(1_500));
      let seen = 0;
      for await (const artifact of scene.surface.scan(signal)) {
        seen += artifact.key === "" ? 0 : 1;
        if (seen === 1) await scene.write(records(200));
      }
      hold(seen === 1_500, `a scan of 1,500 artifacts answered ${seen} when 200 more came meanwhile`);
      hold((await scene.scan()).length === 1_700, "the next scan does not have them");
    },
  },
  {
    name: "late-write",
    says: "what somebody writes behind our back after the erase is scanned, and found by the key and exact probes",
    demandedBy: byScan,
    async run({ lay, record }, signal) {
      const scene = await lay();
      const survivor = await scene.one(await scene.put(record()));
      const written = record();
      const gone = await scene.one(await scene.put(written));
      await scene.erase([gone.key]);
      const again = await scene.bench.write([{ ...written, key: gone.key }], signal);
      // A store that never gives a number twice is written to under another.
      const isUnderAnother = again.outcome === "impossible";
      const key = isUnderAnother ? await scene.put(written) : (writtenKeys(again, 1)[0] ?? gone.key);
      hold(
        (await scene.scan()).some((artifact) => artifact.key === key),
        "a late write is not scanned",
      );
      const runs = await scene.look([gone], [survivor]);
      for (const name of isUnderAnother ? (["exact"] as const) : (["key", "exact"] as const))
        for (const run of runs.filter((each) => each.name === name))
          hold(
            run.status === "ran" && run.findings.length > 0,
            `the ${name} probe does not find a late write${run.why === undefined ? "" : `, ${run.why}`}`,
          );
      hold(runs.length > 0, "the kind has no probe to find it");
    },
  },
  {
    name: "expiry",
    says: "when the store will drop an artifact by itself is read back from the store",
    demandedBy: byNothing,
    async run({ lay, record, clock }) {
      const scene = await lay();
      needs(scene.bench.holds.expiry, "records of this store do not expire");
      const expires = new Date(clock().getTime() + 3_600_000);
      const soon = await scene.one(await scene.put(record({ expires })));
      const never = await scene.one(await scene.put(record()));
      hold(soon.expires !== undefined, "an artifact that expires has no expiry");
      // A store may count in whole seconds, and clocks differ a little.
      hold(Math.abs(soon.expires.getTime() - expires.getTime()) < 60_000, "another expiry is read back than was given");
      hold(never.expires === undefined, "an artifact that does not expire has an expiry");
    },
  },
];

function withoutContent(artifact: Artifact): Artifact {
  return { ...artifact, content: [] };
}

function names({ subjects }: Artifact, person: string): boolean {
  return subjects.some(({ type, value }) => type === "account" && value === person);
}

function comesFrom({ sources }: Artifact, key: string): boolean {
  return sources.some((source) => source.surface === ORIGINS && source.key === key);
}

/** Stores may keep vectors in half precision. */
function isNear({ content }: Artifact, wanted: Float32Array | undefined): boolean {
  return content.some(
    (field) =>
      field.type === "vector" &&
      field.vector.length === wanted?.length &&
      field.vector.every((value, place) => Math.abs(value - (wanted[place] ?? Infinity)) < 0.01),
  );
}
