// A harvest by blocks beside one row by row, over whatever happens to a ledger between two harvests: both must leave it knowing the same.
import { type Arbitrary, array, assert, constant, integer, oneof, property, record, subarray } from "fast-check";
import { expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { HarvestedLineage } from "../../src/ledger/harvested-blocks.ts";
import type { ArtifactRef, SubjectIdentifier } from "../../src/model/ids.ts";
import { newRequestId, refOf, tamper, temporaryLedger } from "./temporary-ledger.ts";

const ROWS = 3;
const refs = Array.from({ length: ROWS }, (_, at) => refOf("episodes", `${at}`));
const persons: readonly SubjectIdentifier[] = ["1", "2", "3"].map((value) => ({ type: "account", value }));

type Row = { readonly subjects: readonly number[]; readonly sources: readonly number[] };

const row: Arbitrary<Row> = record({
  subjects: subarray([0, 1, 2]),
  sources: subarray([0, 1, 2]),
});
const place = integer({ min: 0, max: ROWS - 1 });
const act = oneof(
  { weight: 4, arbitrary: record({ act: constant("harvest" as const), place, row }) },
  record({ act: constant("change" as const), place, row }),
  record({ act: constant("take out" as const), place, row }),
  record({ act: constant("erase" as const), place, row }),
  record({ act: constant("drop sources" as const), place, row }),
  record({ act: constant("drop subjects" as const), place, row }),
  record({ act: constant("record" as const), place, row }),
);

const subjectsOf = ({ subjects }: Row): SubjectIdentifier[] => subjects.flatMap((at) => persons[at] ?? []);
const sourcesOf = ({ sources }: Row): ArtifactRef[] => sources.flatMap((at) => refs[at] ?? []);

function known(ledger: Ledger): unknown {
  return refs.map((ref) => ({
    artifact: ledger.artifact(ref),
    subjects: ledger
      .subjectsOf(ref)
      .map(({ value }) => value)
      .toSorted(),
    sources: ledger
      .sourcesOf(ref)
      .map((source) => `${source.ref?.key ?? "gone"} ${source.origin}`)
      .toSorted(),
  }));
}

test("LINEAGE-2: a harvest by blocks leaves the ledger knowing what a harvest row by row does", () => {
  const request = newRequestId();
  assert(
    property(array(act, { maxLength: 25 }), (acts) => {
      const [blocks, rows] = [temporaryLedger().ledger, temporaryLedger().ledger];
      const store = new Map<number, Row>();
      for (const { act: what, place: at, row: said } of acts) {
        const ref = refs[at] ?? refOf("episodes", "0");
        const both = (change: (ledger: Ledger) => void): void => {
          change(blocks);
          change(rows);
        };
        if (what === "change") store.set(at, said);
        else if (what === "take out") store.delete(at);
        else if (what === "erase") both((ledger) => ledger.markErased([ref], request));
        else if (what === "drop sources") both((ledger) => ledger.dropSources(ref, refs));
        else if (what === "drop subjects") both((ledger) => ledger.dropSubjects(ref, persons));
        else if (what === "record")
          both((ledger) =>
            ledger.recordArtifacts([{ ref, subjects: subjectsOf(said), sources: sourcesOf(said), origin: "recorded" }]),
          );
        else {
          const harvest = [...store]
            .toSorted(([a], [b]) => a - b)
            .map(([at, own]): HarvestedLineage => ({
              ...(refs[at] ?? refOf("episodes", "0")),
              subjects: subjectsOf(own),
              sources: sourcesOf(own),
            }));
          blocks.recordHarvest(harvest);
          rows.recordArtifacts(
            harvest.map((own) => ({ ref: own, subjects: own.subjects, sources: own.sources, origin: "declared" })),
          );
        }
        expect(known(blocks)).toEqual(known(rows));
      }
    }),
    { numRuns: 60 },
  );
}, 120_000);

test("LINEAGE-2: a block is known as a whole, and only while the ledger has lost nothing of any row", () => {
  const { ledger, file } = temporaryLedger();
  const harvest = refs.map((ref) => ({ ...ref, subjects: persons.slice(0, 1), sources: [] }));
  const count = (): unknown => {
    let blocks: unknown;
    // Beside them stands a token, which begins with nothing (`harvest-memory.ts`).
    const counting = "SELECT count(*) FROM harvested_blocks WHERE substr(digest, 1, 16) <> zeroblob(16)";
    tamper(file, (database) => (blocks = database.prepare(counting).pluck().get()));
    return blocks;
  };
  ledger.recordHarvest(harvest);
  const known = count();
  expect(known).toBeGreaterThan(0);
  ledger.recordHarvest(harvest);
  expect(count()).toBe(known);
  ledger.markErased(refs.slice(0, 1), newRequestId());
  expect(count()).toBe(0);
});

test.each([
  ["a row that is dropped", "DELETE FROM artifacts WHERE id = 1"],
  ["an edge that is cut", "DELETE FROM derivations"],
  ["an edge that is doubted", "UPDATE derivations SET origin = 2"],
  ["a row that is known less surely", "UPDATE artifacts SET known_by = 2 WHERE id = 1"],
  ["a person who is taken off", "DELETE FROM artifact_subjects"],
])("LINEAGE-2: whoever takes something back has the next harvest ask about every row: %s", (_, loss) => {
  const { ledger, file } = temporaryLedger();
  const harvest = refs.map((ref, at) => ({ ...ref, subjects: persons.slice(0, 1), sources: refs.slice(0, at) }));
  ledger.recordHarvest(harvest);
  const before = known(ledger);
  tamper(file, (database) => database.exec(loss));
  expect(known(ledger)).not.toEqual(before);
  ledger.recordHarvest(harvest);
  expect(known(ledger)).toEqual(before);
});

test.each(["sources", "subjects", "life"] as const)(
  "LINEAGE-2: what a harvest took in and a ledger lost since is taken in again: %s",
  (lost) => {
    const { ledger } = temporaryLedger();
    const [source, derived] = refs;
    if (source === undefined || derived === undefined) throw new Error("no rows");
    const harvest = [
      { ...source, subjects: [], sources: [] },
      { ...derived, subjects: persons.slice(0, 1), sources: [source] },
    ];
    ledger.recordHarvest(harvest);
    const before = known(ledger);
    if (lost === "sources") ledger.dropSources(derived, [source]);
    else if (lost === "subjects") ledger.dropSubjects(derived, persons);
    else ledger.markErased([source], newRequestId());
    expect(known(ledger)).not.toEqual(before);
    ledger.recordHarvest(harvest);
    expect(known(ledger)).toEqual(before);
  },
);
