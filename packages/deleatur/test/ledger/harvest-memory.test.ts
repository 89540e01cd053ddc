// What a harvest is remembered by, beside a ledger that remembers none, over one file and whatever happens to it: both must tell a scan the same of every row.
import { array, assert, boolean, constant, integer, oneof, property, record, subarray } from "fast-check";
import { expect, test } from "vitest";
import type { HarvestedLineage } from "../../src/ledger/harvested-blocks.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/open-ledger.ts";
import type { ArtifactRef, SubjectIdentifier } from "../../src/model/ids.ts";
import { close, newRequestId, random, refOf, tamper, temporaryLedger, type TestLedger } from "./temporary-ledger.ts";

const refs = ["episodes", "episodes", "summaries", "summaries"].map((surface, at) => refOf(surface, `${at}`));
const persons: readonly SubjectIdentifier[] = ["1", "2"].map((value) => ({ type: "account", value }));

type Row = { readonly subjects: readonly number[]; readonly sources: readonly number[] };

const row = record({ subjects: subarray([0, 1]), sources: subarray([0, 1, 2, 3]) });
const place = integer({ min: 0, max: refs.length - 1 });
const acts = [
  "change",
  "take out",
  "erase",
  "drop sources",
  "drop subjects",
  "record",
  "harvest and roll back",
] as const;
const act = record({
  what: oneof({ weight: 6, arbitrary: constant("harvest" as const) }, ...acts.map((name) => constant(name))),
  place,
  row,
  /** By another process than the one that harvests, as it were. */
  isElsewhere: boolean(),
});

const refAt = (at: number): ArtifactRef => refs[at] ?? refOf("episodes", "0");
const lineageOf = (at: number, { subjects, sources }: Row): HarvestedLineage => ({
  ...refAt(at),
  subjects: subjects.flatMap((person) => persons[person] ?? []),
  sources: sources.map(refAt),
});

/** Another connection to the same file. */
function beside({ file, keys }: TestLedger): Ledger {
  return openLedger({ file, keys, clock: () => new Date("2026-11-02T09:00:00.000Z"), random });
}

/** Harvests in a transaction that comes to nothing. */
function rollBack(ledger: Ledger, rows: readonly HarvestedLineage[]): void {
  expect(() =>
    ledger.transaction(() => {
      ledger.recordHarvest(rows);
      ledger.knownBeside(rows);
      throw new Error("rolled back");
    }),
  ).toThrow("rolled back");
}

test("LINEAGE-2: who remembers a harvest tells of each row what who remembers none does", () => {
  const request = newRequestId();
  assert(
    property(array(act, { maxLength: 25 }), (steps) => {
      const temporary = temporaryLedger();
      const [other, judge] = [beside(temporary), beside(temporary)];
      const store = new Map<number, Row>();
      const rows = (): HarvestedLineage[] =>
        [...store].toSorted(([a], [b]) => a - b).map(([at, own]) => lineageOf(at, own));
      try {
        for (const { what, place: at, row: said, isElsewhere } of steps) {
          const ledger = isElsewhere ? other : temporary.ledger;
          if (what === "harvest") ledger.recordHarvest(rows());
          else if (what === "change") store.set(at, said);
          else if (what === "take out") store.delete(at);
          else if (what === "erase") ledger.markErased([refAt(at)], request);
          else if (what === "drop sources") ledger.dropSources(refAt(at), said.sources.map(refAt));
          else if (what === "drop subjects") ledger.dropSubjects(refAt(at), lineageOf(at, said).subjects);
          else if (what === "record") {
            const { subjects, sources } = lineageOf(at, said);
            ledger.recordArtifacts([{ ref: refAt(at), subjects, sources, origin: "recorded" }]);
          } else rollBack(ledger, rows());
          const asked = [...rows(), lineageOf(at, said)];
          expect(temporary.ledger.knownBeside(asked)).toEqual(judge.knownBeside(asked));
        }
      } finally {
        other.close();
        judge.close();
        close(temporary.ledger);
      }
    }),
    { numRuns: 100 },
  );
}, 120_000);

/** A ledger that has taken two rows in, and lost what the first one says without its triggers' knowledge. */
function harvestedThenRobbed(): { readonly ledger: Ledger; readonly file: string; readonly rows: HarvestedLineage[] } {
  const { ledger, file } = temporaryLedger();
  const rows = [lineageOf(0, { subjects: [0], sources: [] }), lineageOf(1, { subjects: [0], sources: [] })];
  ledger.recordHarvest(rows);
  tamper(file, (database) =>
    database.exec("DROP TRIGGER harvested_until_untagged; DELETE FROM artifact_subjects WHERE artifact = 1"),
  );
  return { ledger, file, rows };
}

const isCurrent = (ledger: Ledger, rows: readonly HarvestedLineage[]): unknown =>
  ledger.knownBeside(rows).map((known) => known.isCurrent);

test("a remembered row is not asked about: only so a loss that no trigger sees goes unseen", () => {
  const { ledger, rows } = harvestedThenRobbed();
  expect(isCurrent(ledger, rows)).toEqual([true, true]);
  ledger.forgetHarvest();
  expect(isCurrent(ledger, rows)).toEqual([false, true]);
});

test("an erase of one row leaves the others remembered, and only where nothing else was lost", () => {
  const { ledger, rows } = harvestedThenRobbed();
  ledger.markErased([refAt(1)], newRequestId());
  expect(isCurrent(ledger, rows)).toEqual([true, false]);
});

test.each([
  ["an erase of somebody else's", "UPDATE artifacts SET state = 2, sealed = NULL WHERE id = 2"],
  ["a row that is dropped", "DELETE FROM artifacts WHERE id = 2"],
  ["an edge that is cut", "DELETE FROM derivations"],
  ["an edge that is doubted", "UPDATE derivations SET origin = 2"],
])("LINEAGE-2: after %s nothing is remembered", (_, loss) => {
  const { ledger, file, rows } = harvestedThenRobbed();
  const derived = lineageOf(2, { subjects: [], sources: [0] });
  ledger.recordArtifacts([{ ref: derived, subjects: [], sources: derived.sources, origin: "declared" }]);
  expect(isCurrent(ledger, rows)).toEqual([true, true]);
  tamper(file, (database) => database.exec(loss));
  expect(ledger.knownBeside(rows.slice(0, 1))[0]?.isCurrent).toBe(false);
});

test("LINEAGE-2: what was lost before an erase of this process's own is not remembered behind it", () => {
  const { ledger, file, rows } = harvestedThenRobbed();
  tamper(file, (database) => database.exec("UPDATE artifacts SET known_by = 2 WHERE id = 2"));
  ledger.markErased([refAt(3)], newRequestId());
  expect(isCurrent(ledger, rows)).toEqual([false, false]);
});

test("LINEAGE-2: a surface of which a row has a source that its store does not name is asked about row by row", () => {
  const { ledger, rows } = harvestedThenRobbed();
  ledger.recordArtifacts([{ ref: refAt(1), subjects: [], sources: [refAt(0)], origin: "recorded" }]);
  expect(ledger.knownBeside(rows)).toMatchObject([{ isCurrent: false }, { isCurrent: true, further: [refAt(0)] }]);
});

test.each([
  ["more the second time", [0], [0, 1]],
  ["less the second time", [0, 1], [0]],
])(
  "LINEAGE-2: a row that the harvest met twice, and %s, is told of as by a ledger that remembers none",
  (_, once, again) => {
    const temporary = temporaryLedger();
    const rows = [once, again].map((sources) => lineageOf(2, { subjects: [0], sources }));
    temporary.ledger.recordHarvest(rows);
    const judge = beside(temporary);
    expect(temporary.ledger.knownBeside(rows)).toEqual(judge.knownBeside(rows));
    judge.close();
  },
);
