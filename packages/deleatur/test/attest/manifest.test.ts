// What a closure must be asked for, what may be left out and why, and that a hit is never thrown away.
import { describe, expect, it } from "vitest";
import { toHex } from "@deleatur/verify";
import { createEpochCommitments } from "../../src/attest/epoch-commitments.ts";
import { buildManifest, fixedQueries } from "../../src/attest/manifest.ts";
import { proveExclusions } from "../../src/attest/prove-exclusions.ts";
import type { Artifact } from "../../src/model/artifact.ts";
import { refOf } from "../ledger/temporary-ledger.ts";
import { CLOSURE, LEFT, OTHER, PERSON, scanScene, SECRETS, text } from "./receipt-scene.ts";

const KEY = new Uint8Array(32).fill(9);
type Left = Omit<Artifact, "expires">;
const scan = (options: Parameters<typeof scanScene>[2] = {}): ReturnType<typeof scanScene> =>
  scanScene(1, KEY, options);

describe("the manifest", () => {
  it("PRIVACY-1: holds names only, sorted, each once", () => {
    const { manifest } = scan().built;
    const json = JSON.stringify(manifest);
    expect(SECRETS.filter((secret) => json.includes(secret))).toEqual([]);
    const names = manifest.artifacts.map(({ name01 }) => name01);
    expect(names).toEqual(names.toSorted());
    expect(manifest.artifacts.map(({ name01Digest }) => name01Digest !== null)).toEqual(
      manifest.artifacts.map(({ surface }) => surface === "vectors"),
    );
  });

  it("tells for each artifact where it stood in the closure", () => {
    const { manifest, positions } = scan().built;
    expect(manifest.artifacts.map(({ surface }) => surface)).toEqual(positions.map((i) => CLOSURE[i]?.ref.surface));
  });

  it("refuses an artifact given twice, and identifiers for a target of records", () => {
    const { roots } = scan();
    const { names } = createEpochCommitments({ boundaryId: "b", epoch: 1, key: KEY, surfaces: [] });
    const build = (...args: readonly [typeof CLOSURE, readonly (typeof PERSON)[], "person" | "records"]): unknown =>
      buildManifest(names, roots.surfaces, ...args);
    expect(() => build([...CLOSURE, ...CLOSURE], [PERSON], "person")).toThrow(
      expect.objectContaining({ code: "CLOSURE_REPEATS" }),
    );
    expect(() => build(CLOSURE, [PERSON], "records")).toThrow(expect.objectContaining({ code: "BAD_TARGET" }));
    expect(() => build(CLOSURE, [], "person")).toThrow(expect.objectContaining({ code: "BAD_TARGET" }));
  });
});

describe("the fixed queries", () => {
  it("VERIFY-3: are the same in every covered surface but for the plain 01", () => {
    const { built, roots } = scan({ unreachable: ["transcripts"] });
    const asked = fixedQueries(built.manifest, roots.surfaces).map(({ surface, tree, queries }) => [
      surface,
      tree,
      queries.map(({ kind }) => `${kind}`).toSorted().join(""), // prettier-ignore
    ]);
    expect(asked).toEqual([
      ["episodes", 0, "12222"],
      ["episodes", 1, "334"],
      ["summaries", 0, "2222"],
      ["summaries", 1, "334"],
      ["vectors", 0, "12222"],
      ["vectors", 1, "334"],
    ]);
  });

  it("VERIFY-3: have one proof for all of each tree; what is shared is left out in that one surface", () => {
    const { built, roots, settled } = scan();
    expect(settled.stillThere).toEqual([]);
    const asked = fixedQueries(built.manifest, roots.surfaces, settled.dropped).map(({ queries }) => queries.length);
    // One content of the episode is shared with the other person's own record.
    expect(asked).toEqual([4, 3, 4, 3, 4, 3, 5, 3]);
    const groups = proveExclusions(built, roots, settled.dropped);
    expect(groups.map(({ format, proofs }) => [format, proofs.length])).toEqual(asked.map(() => ["DXM1", 1]));
  });
});

describe("what may be left out", () => {
  it("content that another person's surviving record also has, where it stands", () => {
    expect(scan().settled.dropped).toEqual([{ kind: 2, surface: "episodes", name: expect.any(String), why: "shared" }]);
  });

  it("C22: the key and the parent of a retaken key, its digest asked instead", () => {
    const taken: Left = { ...refOf("vectors", "zz-vector-1"), subjects: [OTHER], sources: [refOf("episodes", "e2")], content: [] }; // prettier-ignore
    const child: Left = {
      ...refOf("summaries", "s9"),
      subjects: [],
      sources: [taken],
      content: [text("of the new row")],
    };
    const { settled, built, roots } = scan({ left: [...LEFT, taken, child] });
    expect(settled.stillThere).toEqual([]);
    expect(settled.dropped.map(({ kind, surface, why }) => [kind, surface, why])).toEqual([
      [1, "vectors", "reused"],
      [2, "episodes", "shared"],
      [3, "summaries", "reused"],
    ]);
    const digest = built.manifest.artifacts.find(({ surface }) => surface === "vectors")?.name01Digest;
    const asked = fixedQueries(built.manifest, roots.surfaces, settled.dropped);
    const inVectors = asked.find(({ surface, tree }) => surface === "vectors" && tree === 0)?.queries;
    expect(inVectors?.find(({ kind }) => kind === 1)?.name).toBe(digest);
  });
});

describe("what is still there", () => {
  const survivors: readonly (readonly [string, Left, object])[] = [
    ["the erased record under its own key", { ...refOf("episodes", "zz-episode-1"), subjects: [OTHER], sources: [], content: [] }, { surface: "episodes", kind: 1, artifacts: [1] }], // prettier-ignore
    ["old content in another surface, without any provenance", { ...refOf("transcripts", "t1"), subjects: [], sources: [], content: [text("the parcel with the green ribbon")] }, { surface: "transcripts", kind: 2, artifacts: [1] }], // prettier-ignore
    ["old content of a rewritten record", { ...refOf("summaries", "s3"), subjects: [], sources: [], content: [text("both of them like green ribbons")] }, { surface: "summaries", kind: 2, artifacts: [2] }], // prettier-ignore
    ["a record derived from the erased one", { ...refOf("summaries", "s4"), subjects: [], sources: [refOf("episodes", "zz-episode-1")], content: [] }, { surface: "summaries", kind: 3, artifacts: [1] }], // prettier-ignore
    ["a record about the person", { ...refOf("transcripts", "t2"), subjects: [PERSON], sources: [], content: [] }, { surface: "transcripts", kind: 4, artifacts: [] }], // prettier-ignore
    ["the same vector under the retaken key", { ...refOf("vectors", "zz-vector-1"), subjects: [OTHER], sources: [], content: CLOSURE[0]?.content ?? [] }, { surface: "vectors", kind: 1, artifacts: [0] }], // prettier-ignore
    ["a record derived from a reusable key that nobody took again", { ...refOf("summaries", "s5"), subjects: [], sources: [refOf("vectors", "zz-vector-1")], content: [] }, { surface: "summaries", kind: 3, artifacts: [0] }], // prettier-ignore
  ];

  it.each(survivors)("VERDICT-2: %s is named, and gets no proof", (_, survivor, finding) => {
    const { settled, built, roots } = scan({ left: [...LEFT, survivor] });
    expect(settled.stillThere).toContainEqual(finding);
    expect(() => proveExclusions(built, roots, settled.dropped)).toThrow(
      expect.objectContaining({ code: "NOT_EXCLUDED" }),
    );
  });

  it("names come out differently in every epoch and every surface", () => {
    const { built, roots } = scan();
    const { built: later } = scanScene(2, KEY);
    expect(built.manifest.artifacts[0]?.name01).not.toBe(later.manifest.artifacts[0]?.name01);
    const name = Buffer.from(built.manifest.artifacts[0]?.name01 ?? "", "hex");
    expect(toHex(roots.tree("episodes").token(1, name))).not.toBe(toHex(roots.tree("vectors").token(1, name)));
  });
});
