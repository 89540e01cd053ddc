// The closure against a naive reference, over random graphs with cycles and three kinds of edges.
import { assert, constantFrom, integer, property, record as recordOf, uniqueArray } from "fast-check";
import { describe, expect, test } from "vitest";
import type { EdgeOrigin } from "../../src/model/artifact.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { newRequestId, refOf, temporaryLedger } from "./temporary-ledger.ts";

interface Edge {
  readonly source: number;
  readonly derived: number;
  readonly origin: EdgeOrigin;
}

type Node = (index: number) => ReturnType<typeof refOf>;

const node: Node = (index) => refOf("surface", `n${index}`);

function record(ledger: Ledger, edges: readonly Edge[], at: Node = node): void {
  ledger.recordArtifacts(
    edges.map(({ source, derived, origin }) => ({ ref: at(derived), subjects: [], sources: [at(source)], origin })),
  );
}

/** Nodes of a surface of their own, so that many graphs fit into one ledger. */
let graphs = 0;
function freshNodes(): Node {
  graphs += 1;
  const surface = `surface-${graphs}`;
  return (index) => refOf(surface, `n${index}`);
}

/** Repeats over all edges until nothing new is reached; answers the depth of each. */
function naiveDepths(edges: readonly Edge[], from: readonly number[]): Map<number, number> {
  const depths = new Map(from.map((index) => [index, 0]));
  for (let changed = true; changed;) {
    changed = false;
    for (const { source, derived } of edges) {
      const depth = depths.get(source);
      if (depth !== undefined && depth + 1 < (depths.get(derived) ?? Infinity)) {
        depths.set(derived, depth + 1);
        changed = true;
      }
    }
  }
  return depths;
}

const size = 12;
const index = integer({ min: 0, max: size - 1 });
const edge = recordOf({
  source: index,
  derived: index,
  origin: constantFrom<EdgeOrigin>("recorded", "declared", "inferred"),
});
const graph = uniqueArray(edge, { maxLength: 40, selector: ({ source, derived }) => source * size + derived });

test("derivedFrom knows of every artifact what the closure knows, and of an erased one that it is none", () => {
  const { ledger } = temporaryLedger();
  assert(
    property(graph, uniqueArray(index, { minLength: 1, maxLength: 3 }), index, (edges, from, gone) => {
      const at = freshNodes();
      record(ledger, edges, at);
      ledger.markErased([at(gone)], newRequestId());
      const derived = ledger.derivedFrom(from.map(at));
      const reached = new Set(
        ledger
          .closure(from.map(at))
          .filter(({ state }) => state !== "erased")
          .map(({ ref }) => ref.key),
      );
      const named = new Set(edges.flatMap(({ source, derived: to }) => [source, to]));
      for (const one of named) expect(derived.has(at(one))).toBe(one !== gone && reached.has(at(one).key));
    }),
    { numRuns: 60 },
  );
});

describe("closure", () => {
  test("LINEAGE-4: equals a naive reference, and names inferred only where no other path leads", () => {
    const { ledger } = temporaryLedger();
    assert(
      property(graph, uniqueArray(index, { minLength: 1, maxLength: 3 }), (edges, from) => {
        const node = freshNodes();
        record(ledger, edges, node);
        const found = ledger.closure(from.map((start) => node(start)));
        const depths = new Map(found.map(({ ref, depth }) => [ref.key, depth]));
        const expected = naiveDepths(edges, from);
        expect(depths).toEqual(new Map([...expected].map(([at, depth]) => [node(at).key, depth])));
        expect(found).toHaveLength(expected.size);
        const sure = naiveDepths(
          edges.filter(({ origin }) => origin !== "inferred"),
          from,
        );
        const surelyRecorded = naiveDepths(
          edges.filter(({ origin }) => origin === "recorded"),
          from,
        );
        for (const at of expected.keys()) {
          const origins = found.find(({ ref }) => ref.key === node(at).key)?.origins ?? [];
          expect(origins.includes("inferred")).toBe(!sure.has(at));
          // A path of recorded edges alone is the best there is.
          const best = from.includes(at) ? [] : ["recorded"];
          expect(surelyRecorded.has(at) ? origins : best).toEqual(best);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("puts sources before what is derived from them where there is no cycle", () => {
    expect.hasAssertions();
    const acyclic = graph.map((edges) => edges.filter(({ source, derived }) => source < derived));
    const { ledger } = temporaryLedger();
    assert(
      property(acyclic, (edges) => {
        const node = freshNodes();
        record(ledger, edges, node);
        const order = ledger.closure([node(0), node(1)]).map(({ ref }) => ref.key);
        const misplaced = edges.filter(({ source, derived }) => {
          const [first, second] = [order.indexOf(node(source).key), order.indexOf(node(derived).key)];
          return first >= 0 && second >= 0 && first >= second;
        });
        expect(misplaced).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("walks through what is erased already, whose own key is known no more", () => {
    const { ledger } = temporaryLedger();
    record(ledger, [
      { source: 0, derived: 1, origin: "recorded" },
      { source: 1, derived: 2, origin: "recorded" },
    ]);
    ledger.markErased([node(1)], newRequestId());
    expect(ledger.closure([node(0)]).map(({ ref, depth }) => [ref.key, depth])).toEqual([
      ["n0", 0],
      ["n2", 2],
    ]);
  });

  test("follows a chain of 3,000 and a fan of 12,000, more than one part of a frontier", () => {
    const { ledger } = temporaryLedger();
    record(
      ledger,
      Array.from({ length: 3000 }, (_, at) => ({ source: at, derived: at + 1, origin: "recorded" as const })),
    );
    record(
      ledger,
      Array.from({ length: 12_000 }, (_, at) => ({ source: 3000, derived: 4000 + at, origin: "declared" as const })),
    );
    const found = ledger.closure([node(0)]);
    expect(found).toHaveLength(15_001);
    expect(found.at(-1)?.depth).toBe(3001);
  });
});
