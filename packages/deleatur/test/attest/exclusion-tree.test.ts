// Holds the fast tree against the independent vectors, a naive reference and the verifier.
import { array, assert, constantFrom, integer, oneof, property, tuple, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bitAt,
  compareBytes,
  concatBytes,
  EMPTY,
  equalBytes,
  fromHex,
  leafHash,
  nodeHash,
  sparseRoot,
  toHex,
  type TreeNumber,
  verifyExclusion,
  verifyExclusions,
} from "@deleatur/verify";
import { buildExclusionTree } from "../../src/attest/exclusion-tree.ts";
import { UsageError } from "../../src/model/errors.ts";
import { hasSharedData, sharedText } from "../../../verify/test/shared-data.ts";

const FOLDER = "vectors/deleatur/";

interface Sets {
  readonly sets: readonly {
    readonly name: string;
    readonly inputs: { readonly tree: TreeNumber; readonly members: readonly string[] };
    readonly expected: { readonly size: number; readonly root: string };
  }[];
}

interface Proofs {
  readonly cases: readonly {
    readonly name: string;
    readonly format: string;
    readonly inputs: { readonly set: string; readonly tree: TreeNumber; readonly queries: readonly string[] };
    readonly expected: { readonly proof: string };
  }[];
}

describe.skipIf(!hasSharedData(FOLDER))("the vectors of PROOFS 2 and 3", () => {
  const { sets }: Sets = JSON.parse(sharedText(`${FOLDER}roots.json`, `{"sets":[]}`));
  const { cases }: Proofs = JSON.parse(sharedText(`${FOLDER}exclusion-valid.json`, `{"cases":[]}`));
  const singles = cases.filter((each) => each.format === "DXP1");
  const members = new Map(sets.map((set) => [set.name, set.inputs.members.map(fromHex)]));

  it.each(sets)("gives the root of the set: $name", ({ inputs, expected }) => {
    const keys = inputs.members.map(fromHex);
    const tree = buildExclusionTree([...keys.toReversed(), ...keys], inputs.tree);
    expect({ root: toHex(tree.root), size: tree.size }).toEqual(expected);
  });

  it.each(singles)("VERIFY-3: gives the proof byte for byte: $name", ({ inputs, expected }) => {
    const tree = buildExclusionTree(members.get(inputs.set) ?? [], inputs.tree);
    expect(toHex(tree.prove(fromHex(inputs.queries[0] ?? "")))).toBe(expected.proof);
  });

  it.each(cases.filter((each) => each.format === "DXM1"))(
    "VERIFY-3: gives the multiproof byte for byte: $name",
    ({ inputs, expected }) => {
      const tree = buildExclusionTree(members.get(inputs.set) ?? [], inputs.tree);
      expect(toHex(tree.proveAll(inputs.queries.map(fromHex)))).toBe(expected.proof);
    },
  );
});

/** The node over these keys at `depth`, as PROOFS §2 says it. */
function naiveNode(keys: readonly Uint8Array[], depth: number): Uint8Array {
  const [first] = keys;
  if (first === undefined) return EMPTY;
  if (keys.length === 1) return leafHash(first);
  const [left, right] = [0, 1].map((bit) =>
    naiveNode(
      keys.filter((key) => bitAt(key, depth) === bit),
      depth + 1,
    ),
  );
  return nodeHash(left ?? EMPTY, right ?? EMPTY);
}

/** The proof as PROOFS §3 says it. */
function naiveProof(
  keys: readonly Uint8Array[],
  query: Uint8Array,
  tree: TreeNumber,
  node: typeof naiveNode = naiveNode,
): Uint8Array {
  const siblings: Uint8Array[] = [];
  let rest = keys;
  for (let depth = 0; rest.length > 1; depth += 1) {
    const own = bitAt(query, depth);
    const aside = rest.filter((key) => bitAt(key, depth) !== own);
    siblings.push(node(aside, depth + 1));
    rest = rest.filter((key) => bitAt(key, depth) === own);
  }
  const bitmap = new Uint8Array(Math.ceil(siblings.length / 8));
  for (const [i, sibling] of siblings.entries())
    if (sibling !== EMPTY) bitmap[i >> 3] = (bitmap[i >> 3] ?? 0) | (128 >> (i & 7));
  const head = [0x44, 0x58, 0x50, 0x31, tree, rest.length, siblings.length >> 8, siblings.length & 255];
  const present = siblings.filter((sibling) => sibling !== EMPTY);
  return concatBytes(Uint8Array.from([...head, ...bitmap]), ...present, ...rest);
}

/** A 4-bit value as a 32-byte key, its bits at these depths: far apart there are chains of EMPTY siblings between them. */
function spread(value: number, depths: readonly number[]): Uint8Array {
  const key = new Uint8Array(32);
  for (const [i, bit] of depths.entries())
    if (((value >> (3 - i)) & 1) === 1) key[bit >> 3] = (key[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return key;
}

const VALUES = Array.from({ length: 16 }, (_, value) => value);

/** How many answers about the subset differ from the reference's. `reference` remembers its nodes from subset to subset. */
function disagreements(
  subset: number,
  tree: TreeNumber,
  space: readonly Uint8Array[],
  reference: typeof naiveNode,
): number {
  const isMember = (value: number): boolean => ((subset >> value) & 1) === 1;
  const keys = space.filter((_, value) => isMember(value));
  const built = buildExclusionTree(keys, tree);
  let count = equalBytes(built.root, reference(keys, 0)) && built.size === keys.length ? 0 : 1;
  for (const [value, key] of space.entries()) {
    const query = key.subarray(0, tree === 0 ? 32 : 16);
    if (built.has(query) !== isMember(value)) count += 1;
    if (isMember(value)) continue;
    if (!equalBytes(built.prove(query), naiveProof(keys, query, tree, reference))) count += 1;
  }
  return count;
}

function remember(node: typeof naiveNode): typeof naiveNode {
  const known = new Map<number, Uint8Array>();
  return (keys, depth) => {
    // The keys of this space differ in the first four bits only, and a set of them has one mask.
    let id = depth << 16;
    for (const key of keys) id |= 1 << ((key[0] ?? 0) >> 4);
    const hash = known.get(id) ?? node(keys, depth);
    known.set(id, hash);
    return hash;
  };
}

describe("a 4-bit key space", () => {
  it("VERIFY-3: every subset and every query agrees with the naive reference", { timeout: 300_000 }, () => {
    const space = VALUES.map((value) => spread(value, [0, 1, 2, 3]));
    const reference = remember(naiveNode);
    let count = 0;
    for (let subset = 0; subset < 1 << 16; subset += 1) count += disagreements(subset, 0, space, reference);
    expect(count).toBe(0);
  });

  it.each([0, 1] as const)("VERIFY-3: long chains of EMPTY agree with the naive reference, tree %i", (tree) => {
    const space = VALUES.map((value) => spread(value, [0, 9, 100, 127]));
    let count = 0;
    for (let subset = 1; subset < 1 << 16; subset += 2_521) count += disagreements(subset, tree, space, naiveNode);
    expect(count).toBe(0);
  });
});

describe("random sets", () => {
  const key = uint8Array({ minLength: 32, maxLength: 32 });
  // Few bytes vary, so that long prefixes are shared.
  const nearKey = tuple(integer({ min: 0, max: 31 }), integer({ min: 0, max: 255 })).map(([at, byte]) =>
    new Uint8Array(32).fill(byte, at, at + 1),
  );

  it("PRIVACY-1: insert then delete, in any order, equals never inserted", () => {
    assert(
      property(array(oneof(key, nearKey)), key, (others, gone) => {
        const members = others.filter((other) => !equalBytes(other, gone));
        const after = [gone, ...members].toReversed().filter((each) => !equalBytes(each, gone));
        expect(toHex(buildExclusionTree(after, 0).root)).toBe(toHex(sparseRoot(members)));
      }),
    );
  });

  it("VERIFY-3: every absent query has the one proof, which verifies, and no member has any", () => {
    const some = array(oneof(key, nearKey), { maxLength: 60 });
    assert(
      property(some, oneof(key, nearKey), constantFrom<TreeNumber>(0, 1), (keys, whole, tree) => {
        const built = buildExclusionTree(keys, tree);
        const query = whole.subarray(0, tree === 0 ? 32 : 16);
        const isMember = keys.some((each) => equalBytes(each.subarray(0, query.length), query));
        expect([toHex(built.root), built.has(query)]).toEqual([toHex(sparseRoot(keys)), isMember]);
        const proof = proofOrCode(() => built.prove(query));
        const expected = isMember ? "NOT_EXCLUDED" : naiveProof(distinct(keys), query, tree);
        expect(proof).toEqual(expected);
        expect(typeof proof === "string" || verifyExclusion(tree, built.root, query, proof).ok).toBe(true);
      }),
    );
  });

  it("VERIFY-3: many absent queries have one proof, which verifies for them alone", () => {
    const some = array(oneof(key, nearKey), { maxLength: 60 });
    const wanted = array(oneof(key, nearKey), { minLength: 2, maxLength: 20 });
    assert(
      property(some, wanted, constantFrom<TreeNumber>(0, 1), (keys, whole, tree) => {
        const built = buildExclusionTree(keys, tree);
        const width = tree === 0 ? 32 : 16;
        const queries = distinct(whole.map((query) => query.slice(0, width))).toSorted(compareBytes);
        const [absent, present] = [false, true].map((isIn) => queries.filter((query) => built.has(query) === isIn));
        for (const query of present ?? [])
          expect(proofOrCode(() => built.proveAll([...(absent ?? []), query].toSorted(compareBytes)))).toBe(
            "NOT_EXCLUDED",
          );
        if (absent === undefined || absent.length === 0) return;
        const proof = built.proveAll(absent);
        expect(verifyExclusions(tree, built.root, absent, proof)).toEqual({ ok: true });
        // For a member among them nothing can be proven, whatever is sent.
        for (const member of keys.map((each) => each.slice(0, width))) {
          const asked = distinct([...absent, member]).toSorted(compareBytes);
          expect(verifyExclusions(tree, built.root, asked, proof).ok).toBe(false);
        }
      }),
    );
  });

  it("refuses a key or a query of the wrong width", () => {
    expect(() => buildExclusionTree([new Uint8Array(31)], 0)).toThrow(UsageError);
    expect(() => buildExclusionTree([], 1).prove(new Uint8Array(32))).toThrow(UsageError);
    const [low, high] = [new Uint8Array(32), new Uint8Array(32).fill(1)];
    for (const queries of [[], [high, low], [low, low], [low.subarray(0, 16)]])
      expect(() => buildExclusionTree([], 0).proveAll(queries)).toThrow(UsageError);
  });
});

function proofOrCode(act: () => Uint8Array): Uint8Array | string {
  try {
    return act();
  } catch (error) {
    if (error instanceof UsageError) return error.code;
    throw error;
  }
}

function distinct(keys: readonly Uint8Array[]): readonly Uint8Array[] {
  return [...new Map(keys.map((key) => [toHex(key), key])).values()];
}
