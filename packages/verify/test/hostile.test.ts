// Hostile input: whatever comes, the verifier answers with a report, in bounds, and never with an erasure (VERIFY-2, VERIFY-4).
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CHECK_CODES,
  verifyExclusion,
  verifyNote,
  verifyReceipt,
  type VerifyOptions,
  type VerifyReport,
} from "../src/index.ts";
import { MalformedError, parseStrictJson } from "../src/decode/strict-json.ts";
import { naiveExclusion, naiveLogRoot, naivePath, naiveRoot } from "./fixture/naive-trees.ts";
import { NOW, OPERATOR, publicForm } from "./fixture/declared.ts";
import { erasurePlan, tombstonePlan } from "./fixture/plan.ts";
import { seal } from "./fixture/sealed.ts";
import { logLeafHash, logRoot, sparseRoot, utf8, verifyConsistency, verifyInclusion } from "../src/index.ts";

const OPTIONS: VerifyOptions = {
  publicKeys: [OPERATOR.publicKey],
  threshold: 1,
  scope: { boundary: JSON.stringify(publicForm()) },
  acceptSelfAttested: true,
  auditorKeys: [],
  now: NOW,
};

function refused(report: VerifyReport): boolean {
  const ran = report.checks.find(({ code }) => code === "VERIFIER")?.status === "pass";
  const all = new Set(report.checks.map(({ code }) => code)).size === CHECK_CODES.length;
  return ran && all && report.outcome.exitCode === 24;
}

const GOOD = JSON.stringify(seal(erasurePlan()));

describe("the verifier on hostile input (VERIFY-4)", () => {
  it("refuses any bytes and any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.string({ unit: "binary" }), fc.json()), (source) => {
        expect(refused(verifyReceipt(source, OPTIONS))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses a good receipt with any stretch of its text replaced, or says why it is the same", () => {
    fc.assert(
      fc.property(fc.nat(GOOD.length - 1), fc.nat(8), fc.string({ maxLength: 6 }), (at, length, put) => {
        const bent = GOOD.slice(0, at) + put + GOOD.slice(at + length);
        const report = verifyReceipt(bent, OPTIONS);
        // Only the unauthenticated key hint may differ.
        const isSame =
          JSON.stringify(parseOr(bent)) === GOOD || withoutHint(parseOr(bent)) === withoutHint(JSON.parse(GOOD));
        expect(isSame || refused(report)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("refuses a good receipt with any value in it replaced by any other", () => {
    const paths = pathsOf(JSON.parse(GOOD), []);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), (path, value) => {
        const bent: unknown = JSON.parse(GOOD);
        // A key id is a hint and a time-stamp token is carried unjudged: no check rests on either.
        const isUnjudged = path.at(-1) === "keyid" || path.at(-1) === "timestamp";
        const isSame = JSON.stringify(replaceAt(bent, path, value)) === JSON.stringify(value) || isUnjudged;
        const report = verifyReceipt(JSON.stringify(bent), OPTIONS);
        // Without its epoch keys a receipt is a sealed one: the exclusions cannot be checked, and it says no more than that.
        const isSealed = path.join(".") === "epochKeys" && value === null && report.outcome.exitCode === 23;
        expect(isSame || isSealed || refused(report)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("never makes an erasure of a tombstone by any replaced stretch (VERIFY-2)", () => {
    const tombstone = JSON.stringify(seal(tombstonePlan()));
    fc.assert(
      fc.property(fc.nat(tombstone.length - 1), fc.constantFrom("", "1", "A", "erasure", "null"), (at, put) => {
        const { outcome } = verifyReceipt(tombstone.slice(0, at) + put + tombstone.slice(at + put.length), OPTIONS);
        expect([20, 24]).toContain(outcome.exitCode);
      }),
      { numRuns: 300 },
    );
  });

  it("refuses what is too large before it looks at it, and what is nested too deep", () => {
    const large = verifyReceipt(GOOD, { ...OPTIONS, limits: { maxBytes: GOOD.length - 1 } });
    expect(large.checks.filter(({ status }) => status === "fail").map(({ code }) => code)).toEqual(["SIZE"]);
    expect(refused(verifyReceipt("[".repeat(1_000_000), OPTIONS))).toBe(true);
    expect(refused(verifyReceipt('{"a":'.repeat(100_000), OPTIONS))).toBe(true);
    expect(refused(verifyReceipt(`[${"0,".repeat(2_000_000)}0]`, OPTIONS))).toBe(true);
  });

  it("says nothing of the content in its messages", () => {
    const report = verifyReceipt(
      GOOD.replace('"mediaType":"application', '"secret-of-a-person":1,"mediaType":"ann@example.org'),
      OPTIONS,
    );
    expect(JSON.stringify(report)).not.toMatch(/secret-of-a-person|ann@example/);
  });
});

const JSON_LETTER = fc.constantFrom(...Array.from('{}[]",:\\ue0123456789.-+Etruefalsn \n\u0001'));

describe("the strict JSON parser", () => {
  it("reads what JSON.parse reads, where no member stands twice", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(plain(parseStrictJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses whatever JSON.parse refuses, and throws nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: JSON_LETTER }), (text) => {
        const mine = attempt(() => parseStrictJson(text));
        expect(mine === "refused" || attempt(() => JSON.parse(text)) !== "refused").toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '"\\ud800"',
    "1e999",
    "-",
    "01",
    "1.",
    "\ufeff1",
    "[1,]",
    '{"a":1,}',
    "nul",
    "'a'",
    "NaN",
    "",
  ])("refuses %j", (text) => expect(() => parseStrictJson(text)).toThrow(MalformedError));

  it("keeps __proto__ a member like any other", () => {
    const value = parseStrictJson('{"__proto__":{"polluted":true}}');
    expect(Object.keys(value ?? {})).toEqual(["__proto__"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("proofs against naive references (VERIFY-3)", () => {
  const keys = fc.uniqueArray(fc.uint8Array({ minLength: 32, maxLength: 32 }), {
    maxLength: 24,
    selector: (key) => key.join(),
  });

  it("agree on roots, accept the honest proof of an absent key and no proof of a present one", () => {
    fc.assert(
      fc.property(keys, fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(255), (set, query, stopAt) => {
        const root = sparseRoot(set);
        expect(root).toEqual(naiveRoot(set));
        const isAbsent = !set.some((key) => key.join() === query.join());
        expect(verifyExclusion(0, root, query, naiveExclusion(0, set, query)).ok).toBe(isAbsent);
        for (const present of set)
          expect(verifyExclusion(0, root, present, naiveExclusion(0, set, query, stopAt)).ok).toBe(false);
        for (const present of set)
          expect(verifyExclusion(0, root, present, naiveExclusion(0, set, present, stopAt)).ok).toBe(false);
      }),
    );
  });

  it("cover all subsets of four-bit keys and all queries, in both trees", () => {
    let wrong = 0;
    for (let subset = 0; subset < 1 << 16; subset += 97) {
      const set = Array.from({ length: 16 }, (_, n) => n)
        .filter((n) => ((subset >> n) & 1) === 1)
        .map(key);
      const root = sparseRoot(set);
      for (let n = 0; n < 16; n += 1) {
        const isAbsent = ((subset >> n) & 1) === 0;
        if (verifyExclusion(0, root, key(n), naiveExclusion(0, set, key(n))).ok !== isAbsent) wrong += 1;
        if (
          verifyExclusion(1, root, key(n).subarray(0, 16), naiveExclusion(1, set, key(n).subarray(0, 16))).ok !==
          isAbsent
        )
          wrong += 1;
      }
    }
    expect(wrong).toBe(0);
  });

  it("answer any bytes, as notes do", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.uint8Array({ maxLength: 40 }), (proof, query) => {
        expect(verifyExclusion(0, new Uint8Array(32).fill(1), query, proof).ok).toBe(false);
        expect(verifyNote(proof, [{ name: "a", publicKey: OPERATOR.publicKey }]).ok).toBe(false);
      }),
    );
  });

  it("of the log agree with RFC 6962's recursion at every size", () => {
    const entries = Array.from({ length: 40 }, (_, i) => utf8(`entry ${i}`));
    let wrong = 0;
    for (let size = 1; size <= entries.length; size += 1) {
      const tree = entries.slice(0, size);
      const root = naiveLogRoot(tree);
      expect(logRoot(tree)).toEqual(root);
      for (const [i, entry] of tree.entries()) {
        const path = naivePath(i, tree);
        if (!verifyInclusion(logLeafHash(entry), i, size, path, root)) wrong += 1;
        if (verifyInclusion(logLeafHash(entry), i, size, [...path, root], root)) wrong += 1;
        if (size > 1 && verifyInclusion(logLeafHash(entry), i, size, path.slice(1), root)) wrong += 1;
        if (verifyInclusion(logLeafHash(entry), (i + 1) % size, size, path, root) && size > 1) wrong += 1;
      }
      if (!verifyConsistency(size, size, [], root, root)) wrong += 1;
    }
    expect(wrong).toBe(0);
  });
});

function key(n: number): Uint8Array {
  return new Uint8Array(32).fill(n << 4, 0, 1);
}

function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (error instanceof MalformedError || error instanceof SyntaxError) return "refused";
    throw error;
  }
}

function parseOr(text: string): unknown {
  return attempt(() => JSON.parse(text));
}

function withoutHint(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (name === "keyid" ? "" : inner));
}

/** With ordinary prototypes again, for comparison. */
function plain(value: unknown): unknown {
  return structuredClone(value) ?? null;
}

function pathsOf(value: unknown, path: readonly string[]): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))].filter(
    (each) => each.length > 0,
  );
}

/** Puts a value at a path and returns what stood there. */
function replaceAt(root: unknown, path: readonly string[], value: unknown): unknown {
  let holder: unknown = root;
  for (const name of path.slice(0, -1))
    holder = typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;
  if (typeof holder !== "object" || holder === null) return value;
  const last = path.at(-1) ?? "";
  const before: unknown = Reflect.get(holder, last);
  Reflect.set(holder, last, value);
  return before;
}
