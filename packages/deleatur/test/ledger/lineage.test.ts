// Lineage in the ledger: pointers, origins, upserts, erasure by digest, holds.
import { describe, expect, test } from "vitest";
import type { ArtifactRef, SubjectIdentifier } from "../../src/model/ids.ts";
import { newRequestId, refOf, temporaryLedger } from "./temporary-ledger.ts";

const account = { type: "account", value: "42" };
const email = { type: "email", value: "s@example.org" };
const episode = refOf("episodes", "e1");
const other = refOf("episodes", "e2");
const summary = refOf("summaries", "s1");

const sourcesOf = (at: number): ArtifactRef[] => [episode, other].slice(0, at % 3);

describe("recordArtifacts", () => {
  test("LINEAGE-2: a derived artifact carries pointers to all its sources", () => {
    const { ledger } = temporaryLedger();
    ledger.recordArtifacts([
      { ref: episode, subjects: [account], sources: [], origin: "recorded" },
      { ref: summary, subjects: [account, email], sources: [episode, other], origin: "recorded" },
    ]);
    const sources = ledger.sourcesOf(summary);
    expect(sources.map(({ ref }) => ref?.key)).toEqual(expect.arrayContaining(["e1", "e2"]));
    expect(sources).toHaveLength(2);
    expect(ledger.subjectsOf(summary)).toHaveLength(2);
    expect(ledger.artifactsAbout([email])).toEqual([summary]);
    expect(ledger.artifactsAbout([account])).toHaveLength(2);
  });

  test("LINEAGE-2: asked of many at once, each answers its own sources by its place", () => {
    const { ledger } = temporaryLedger();
    const many = Array.from({ length: 1_200 }, (_, at) => refOf("summaries", `m${at}`));
    ledger.recordArtifacts(
      many.map((ref, at) => ({
        ref,
        subjects: [],
        sources: sourcesOf(at),
        origin: at < 600 ? "recorded" : "declared",
      })),
    );
    const asked = [refOf("summaries", "nowhere"), ...many];
    const told = ledger.sourcesOfEach(asked);
    expect(told.map((sources) => new Set(sources.map(({ ref }) => ref?.key)))).toEqual([
      new Set(),
      ...many.map((_, at) => new Set(sourcesOf(at).map(({ key }) => key))),
    ]);
    expect(told).toEqual(asked.map((ref) => ledger.sourcesOf(ref)));
    expect([told[600]?.[0]?.origin, told[602]?.[0]?.origin]).toEqual(["recorded", "declared"]);
  });

  test("LINEAGE-4: every edge says where it comes from, and the better origin stands", () => {
    const { ledger } = temporaryLedger();
    const record = { ref: summary, subjects: [], sources: [episode] };
    ledger.recordArtifacts([{ ...record, origin: "inferred" }]);
    expect(ledger.sourcesOf(summary)[0]?.origin).toBe("inferred");
    ledger.recordArtifacts([{ ...record, origin: "recorded" }]);
    ledger.recordArtifacts([{ ...record, origin: "declared" }]);
    expect(ledger.sourcesOf(summary)[0]?.origin).toBe("recorded");
    expect(ledger.artifact(summary)?.knownBy).toBe("recorded");
  });

  test("what a store does not say of an artifact is told beside what it says, once", () => {
    const { ledger } = temporaryLedger();
    const third = refOf("episodes", "e3");
    const known = (ref: ArtifactRef, ...sources: ArtifactRef[]) =>
      ledger.knownBeside([{ ...ref, subjects: [account], sources }])[0];
    expect(known(summary, episode)).toEqual({ isRecorded: false, isCurrent: false, further: [] });
    ledger.recordArtifacts([{ ref: summary, subjects: [account], sources: [episode, other], origin: "recorded" }]);
    expect(known(summary, episode)).toEqual({ isRecorded: true, isCurrent: true, further: [other] });
    expect(known(summary, other, episode, third)).toEqual({ isRecorded: true, isCurrent: false, further: [] });
    // Named as a source and never met itself.
    expect(known(other)).toEqual({ isRecorded: false, isCurrent: false, further: [] });
  });

  test("LINEAGE-4: a row is news to the ledger as long as anything that it says is", () => {
    const { ledger } = temporaryLedger();
    const isCurrent = (subjects: readonly SubjectIdentifier[], ...sources: ArtifactRef[]) =>
      ledger.knownBeside([
        { ...other, subjects: [], sources: [] },
        { ...summary, subjects, sources },
      ])[1]?.isCurrent;
    ledger.recordArtifacts([{ ref: summary, subjects: [account], sources: [episode], origin: "inferred" }]);
    expect(isCurrent([account], episode), "inferred only").toBe(false);
    ledger.recordArtifacts([{ ref: summary, subjects: [account], sources: [episode], origin: "declared" }]);
    expect(isCurrent([account], episode)).toBe(true);
    expect(isCurrent([]), "less than is known").toBe(true);
    expect(isCurrent([account, email], episode), "another person").toBe(false);
    ledger.recordArtifacts([{ ref: summary, subjects: [email], sources: [other], origin: "inferred" }]);
    expect(isCurrent([account, email], episode)).toBe(true);
    expect(isCurrent([account], episode, other), "an inferred edge that the store names").toBe(false);
    ledger.recordArtifacts([{ ref: summary, subjects: [account], sources: [episode, other], origin: "declared" }]);
    expect(ledger.sourcesOf(summary).map(({ origin }) => origin)).toEqual(["declared", "declared"]);
    ledger.markErased([summary], newRequestId());
    expect(isCurrent([account], episode, other), "erased").toBe(false);
    ledger.recordArtifacts([{ ref: summary, subjects: [account], sources: [episode, other], origin: "declared" }]);
    expect(isCurrent([account], episode, other)).toBe(true);
    expect(ledger.artifact(summary)?.state).toBe("live");
  });

  test("LINEAGE-4: an inferred edge is confirmed by an operator and then counts as declared", () => {
    const { ledger } = temporaryLedger();
    ledger.recordArtifacts([{ ref: summary, subjects: [], sources: [episode], origin: "inferred" }]);
    expect(ledger.inferredEdges()).toEqual([{ derived: summary, source: episode }]);
    ledger.confirmEdge(summary, episode);
    expect(ledger.inferredEdges()).toEqual([]);
    expect(ledger.closure([episode])[1]?.origins).toEqual(["declared"]);
    expect(() => ledger.confirmEdge(episode, summary)).toThrow("no such derivation");
  });

  test("changes nothing when the same list is recorded again", () => {
    const { ledger } = temporaryLedger();
    const list = [
      { ref: summary, subjects: [account], sources: [episode], origin: "recorded", contentDigest: new Uint8Array(32) },
    ] as const;
    ledger.recordArtifacts(list);
    const before = [ledger.counts(), ledger.artifact(summary), ledger.sourcesOf(summary)];
    ledger.recordArtifacts(list);
    expect([ledger.counts(), ledger.artifact(summary), ledger.sourcesOf(summary)]).toEqual(before);
  });

  test("does not count a source that was only named, and knows it no better", () => {
    const { ledger } = temporaryLedger();
    ledger.recordArtifacts([{ ref: summary, subjects: [], sources: [episode], origin: "recorded" }]);
    expect(ledger.counts()).toEqual({ artifacts: 1, derivations: 1, perSurface: { summaries: 1 } });
    expect(ledger.artifact(episode)).toBeUndefined();
  });

  test("keeps keys apart that concatenate alike", () => {
    const { ledger } = temporaryLedger();
    ledger.recordArtifacts([{ ref: refOf("a", "b/c"), subjects: [], sources: [], origin: "recorded" }]);
    expect(ledger.artifact(refOf("a.b", "c"))).toBeUndefined();
    expect(ledger.keyedDigest("d", "a", "bc")).not.toEqual(ledger.keyedDigest("d", "ab", "c"));
    expect(ledger.keyedDigest("d", "a")).not.toEqual(ledger.keyedDigest("e", "a"));
  });
});

describe("markErased", () => {
  test("keeps digest and edges only, and knows the artifact as erased", () => {
    const { ledger } = temporaryLedger();
    const contentDigest = new Uint8Array(32).fill(7);
    ledger.recordArtifacts([
      { ref: episode, subjects: [account], sources: [], origin: "recorded", contentDigest },
      { ref: summary, subjects: [], sources: [episode], origin: "recorded" },
    ]);
    ledger.markErased([episode], newRequestId());
    expect(ledger.artifact(episode)).toMatchObject({ state: "erased" });
    expect(ledger.subjectsOf(episode)).toEqual([]);
    expect(ledger.artifactsAbout([account])).toEqual([]);
    expect(ledger.sourcesOf(summary)).toEqual([{ digest: expect.any(String), origin: "recorded" }]);
    expect(ledger.wasErased([episode, summary])).toEqual([true, false]);
    expect(ledger.wasErasedWith(episode, contentDigest)).toBe(true);
    expect(ledger.wasErasedWith(episode, new Uint8Array(32))).toBe(false);
  });

  test("knows an artifact as erased that was never recorded", () => {
    const { ledger } = temporaryLedger();
    ledger.markErased([episode], newRequestId());
    expect(ledger.artifact(episode)?.state).toBe("erased");
  });

  test("lets a lawful row take an erased key again, without the old row's sources", () => {
    const { ledger } = temporaryLedger();
    const row = refOf("episodes", "7");
    ledger.recordArtifacts([{ ref: row, subjects: [account], sources: [episode], origin: "declared" }]);
    ledger.markErased([row], newRequestId());
    ledger.recordArtifacts([{ ref: row, subjects: [email], sources: [], origin: "declared" }]);
    expect(ledger.artifact(row)?.state).toBe("live");
    expect(ledger.subjectsOf(row)).toEqual([email]);
    expect(ledger.closure([episode]).map(({ ref }) => ref)).toEqual([episode]);
    expect(ledger.wasErased([row])).toEqual([true]);
  });

  test("keeps another person's identifier that the erased artifact shared", () => {
    const { ledger } = temporaryLedger();
    ledger.recordArtifacts([
      { ref: episode, subjects: [account, email], sources: [], origin: "recorded" },
      { ref: other, subjects: [email], sources: [], origin: "recorded" },
    ]);
    ledger.markErased([episode], newRequestId());
    expect(ledger.subjectsOf(other)).toEqual([email]);
  });
});

test("a rewritten artifact loses the sources and persons that are gone, and keeps the others", () => {
  const { ledger } = temporaryLedger();
  ledger.recordArtifacts([{ ref: summary, subjects: [account, email], sources: [episode, other], origin: "recorded" }]);
  ledger.dropSources(summary, [episode]);
  ledger.dropSubjects(summary, [account]);
  expect(ledger.sourcesOf(summary).map(({ ref }) => ref)).toEqual([other]);
  expect(ledger.subjectsOf(summary)).toEqual([email]);
});

test("a held artifact is kept until its hold is released", () => {
  const { ledger } = temporaryLedger();
  ledger.recordArtifacts([{ ref: episode, subjects: [account], sources: [], origin: "recorded" }]);
  ledger.placeHold([episode], "Art. 17(3)(e)", "2027-01-01");
  expect(ledger.artifact(episode)?.state).toBe("kept");
  expect(ledger.closure([episode])[0]?.state).toBe("kept");
  expect(ledger.holds()).toMatchObject([{ ref: episode, ground: "Art. 17(3)(e)", until: "2027-01-01" }]);
  expect(ledger.releaseHold([episode])).toBe(1);
  expect(ledger.artifact(episode)?.state).toBe("live");
});
