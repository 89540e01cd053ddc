// The vectors of PROOFS §2 and §3 from an independent implementation: every name, token, root, commitment and single proof.
import { describe, expect, it } from "vitest";
import {
  artifactDigest,
  artifactNameValue,
  boundaryDigest,
  boundaryRoot,
  canonicalJson,
  compareUtf8,
  concatBytes,
  epochKey,
  fieldDigest,
  fromHex,
  horizonRoot,
  identifierNameValue,
  keyCommit,
  lineageKey,
  lp,
  nameKey,
  nameOf,
  parentNameValue,
  sparseRoot,
  surfaceCommitment,
  toHex,
  tokenOf,
  uncoveredRoot,
  utf8,
  verifyExclusion,
  verifyExclusions,
  type CommitmentAlg,
  type NameKind,
  type TreeNumber,
  type UncoveredReason,
} from "../src/index.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { hasSharedData, sharedText } from "./shared-data.ts";

interface Field {
  readonly text?: string;
  readonly bytes?: string;
  readonly vector?: readonly number[];
}
interface NameInputs {
  readonly kind: NameKind;
  readonly surface?: string;
  readonly key?: string;
  readonly artifactDigest?: string;
  readonly reusable?: boolean;
  readonly field?: Field;
  readonly content?: readonly Field[];
  readonly type?: string;
  readonly identifier?: string;
}

function digestOf(field: Field): Uint8Array {
  if (field.text !== undefined) return fieldDigest(0, utf8(field.text));
  if (field.bytes !== undefined) return fieldDigest(1, fromHex(field.bytes));
  const vector = field.vector ?? [];
  const view = new DataView(new ArrayBuffer(4 * vector.length));
  for (const [i, value] of vector.entries()) view.setFloat32(4 * i, value, true);
  return fieldDigest(2, new Uint8Array(view.buffer));
}

function valueOf(inputs: NameInputs): Uint8Array {
  const { surface = "", key = "", type = "", identifier = "" } = inputs;
  switch (inputs.kind) {
    case 1:
      return inputs.content === undefined
        ? artifactNameValue(surface, key)
        : artifactNameValue(surface, key, artifactDigest(inputs.content.map(digestOf)));
    case 2:
      return digestOf(inputs.field ?? {});
    case 3:
      return parentNameValue(surface, key);
    case 4:
      return identifierNameValue(type, identifier);
    default:
      return inputs.kind satisfies never;
  }
}

const FOLDER = "vectors/deleatur/";

function hexSet(tokens: readonly Uint8Array[]): readonly string[] {
  return [...new Set(tokens.map(toHex))].toSorted();
}

/** What a function gives, or `refused` where it throws a RangeError. */
function outcomeOf<Value>(act: () => Value): Value | "refused" {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) return "refused";
    throw error;
  }
}

describe.skipIf(!hasSharedData(FOLDER))("names and tokens", () => {
  interface Keys {
    readonly lp: readonly {
      readonly name: string;
      readonly inputs: { readonly repeat?: string; readonly times?: number; readonly utf16?: string };
      readonly expected: { readonly sha256OfLp?: string; readonly lp?: string; readonly refused?: boolean };
    }[];
    readonly cases: readonly {
      readonly name: string;
      readonly inputs: {
        readonly X_e: string;
        readonly boundary: string;
        readonly surfaces: readonly string[];
        readonly epoch: string;
      };
      readonly expected: {
        readonly N_e: string;
        readonly K_se: Record<string, string>;
        readonly keyCommit: Record<string, string>;
      };
      readonly names: readonly {
        readonly inputs: NameInputs;
        readonly expected: { readonly value: string; readonly name: string; readonly tokens: Record<string, string> };
      }[];
      readonly lineage: readonly {
        readonly inputs: { readonly surface: string; readonly source: string; readonly artifact: string };
        readonly expected: string;
      }[];
    }[];
  }
  const keys: Keys = JSON.parse(sharedText(`${FOLDER}keys.json`, `{"lp":[],"cases":[]}`));

  it.each(keys.cases)("follow from the epoch secret: $name", ({ inputs, expected, names, lineage }) => {
    const epoch = BigInt(inputs.epoch);
    const secret = fromHex(inputs.X_e);
    const nameSecret = nameKey(secret, inputs.boundary, epoch);
    expect(toHex(nameSecret)).toBe(expected.N_e);
    const surfaceKeys = new Map<string, Uint8Array>();
    for (const surface of inputs.surfaces) {
      const key = epochKey(secret, inputs.boundary, surface, epoch);
      surfaceKeys.set(surface, key);
      expect(toHex(key)).toBe(expected.K_se[surface]);
      expect(toHex(keyCommit(key))).toBe(expected.keyCommit[surface]);
    }
    for (const each of names) {
      const value = valueOf(each.inputs);
      expect(toHex(value)).toBe(each.expected.value);
      const name = nameOf(nameSecret, each.inputs.kind, value);
      expect(toHex(name)).toBe(each.expected.name);
      for (const [surface, key] of surfaceKeys)
        expect(toHex(tokenOf(key, each.inputs.kind, name))).toBe(each.expected.tokens[surface]);
    }
    const [surface = ""] = inputs.surfaces;
    for (const each of lineage) {
      const key = surfaceKeys.get(each.inputs.surface) ?? new Uint8Array();
      const tokenFor = (kind: NameKind, value: Uint8Array): Uint8Array =>
        tokenOf(key, kind, nameOf(nameSecret, kind, value));
      const source = each.inputs.source.startsWith("03")
        ? tokenFor(3, parentNameValue(surface, "e-1"))
        : tokenFor(4, identifierNameValue("account", "42"));
      expect(toHex(lineageKey(source, tokenFor(1, artifactNameValue(surface, "42"))))).toBe(each.expected);
    }
  });

  it.each(keys.lp)("length-prefix text or refuse it: $name", ({ inputs, expected }) => {
    const text =
      inputs.utf16 === undefined
        ? (inputs.repeat ?? "").repeat(inputs.times ?? 0)
        : String.fromCharCode(Number.parseInt(inputs.utf16, 16));
    const bytes = outcomeOf(() => lp(text));
    const got = bytes === "refused" ? { refused: true } : { lp: toHex(bytes), sha256OfLp: toHex(sha256(bytes)) };
    expect(got).toMatchObject(expected.refused === true ? { refused: true } : expected);
  });
});

describe.skipIf(!hasSharedData(FOLDER))("roots", () => {
  interface Roots {
    readonly sets: readonly {
      readonly name: string;
      readonly inputs: { readonly members: readonly string[] };
      readonly expected: { readonly root: string };
    }[];
    readonly surfaces: readonly {
      readonly name: string;
      readonly inputs: {
        readonly X_e: string;
        readonly boundary: string;
        readonly epoch: string;
        readonly surface: string;
        readonly reusable: boolean;
        readonly artifacts: readonly {
          readonly key: string;
          readonly content: readonly Field[];
          readonly sources: readonly (readonly [string, string])[];
          readonly subjects: readonly (readonly [string, string])[];
        }[];
      };
      readonly expected: Record<
        "membership" | "lineage",
        { readonly members: readonly string[]; readonly root: string }
      >;
    }[];
  }
  const roots: Roots = JSON.parse(sharedText(`${FOLDER}roots.json`, `{"sets":[],"surfaces":[]}`));

  it.each(roots.sets)("depend on the set alone: $name", ({ inputs, expected }) => {
    const members = inputs.members.map(fromHex);
    expect(toHex(sparseRoot(members))).toBe(expected.root);
    expect(toHex(sparseRoot([...members.toReversed(), ...members]))).toBe(expected.root);
  });

  it.each(roots.surfaces)("follow from a surface's artifacts: $name", ({ inputs, expected }) => {
    const secret = fromHex(inputs.X_e);
    const names = nameKey(secret, inputs.boundary, BigInt(inputs.epoch));
    const key = epochKey(secret, inputs.boundary, inputs.surface, BigInt(inputs.epoch));
    const token = (kind: NameKind, value: Uint8Array): Uint8Array => tokenOf(key, kind, nameOf(names, kind, value));
    const membership: Uint8Array[] = [];
    const lineage: Uint8Array[] = [];
    for (const artifact of inputs.artifacts) {
      const plain = token(1, artifactNameValue(inputs.surface, artifact.key));
      const digests = artifact.content.map(digestOf);
      membership.push(plain, ...digests.map((digest) => token(2, digest)));
      if (inputs.reusable)
        membership.push(token(1, artifactNameValue(inputs.surface, artifact.key, artifactDigest(digests))));
      for (const [surface, source] of artifact.sources)
        lineage.push(lineageKey(token(3, parentNameValue(surface, source)), plain));
      for (const [type, id] of artifact.subjects)
        lineage.push(lineageKey(token(4, identifierNameValue(type, id)), plain));
    }
    expect(hexSet(membership)).toEqual(expected.membership.members);
    expect(toHex(sparseRoot(membership))).toBe(expected.membership.root);
    expect(hexSet(lineage)).toEqual(expected.lineage.members);
    expect(toHex(sparseRoot(lineage))).toBe(expected.lineage.root);
  });
});

describe.skipIf(!hasSharedData(FOLDER))("commitments", () => {
  interface Commitments {
    readonly commitments: readonly {
      readonly name: string;
      readonly inputs: {
        readonly alg: CommitmentAlg;
        readonly boundary: string;
        readonly surface: string;
        readonly epoch: string;
        readonly K_se: string;
        readonly membershipRoot?: string;
        readonly lineageRoot?: string;
        readonly until?: string;
        readonly basis?: string;
        readonly reason?: UncoveredReason;
      };
      readonly expected: {
        readonly keyCommit: string;
        readonly membershipRoot: string;
        readonly lineageRoot: string;
        readonly C_s: string;
      };
    }[];
    readonly boundaries: readonly {
      readonly name: string;
      readonly inputs: { readonly surfaces: readonly { readonly surface: string; readonly C_s: string }[] };
      readonly expected: { readonly order?: readonly string[]; readonly B?: string; readonly refused?: boolean };
    }[];
    readonly boundaryDigests: readonly {
      readonly name: string;
      readonly inputs: { readonly json: string };
      readonly expected: { readonly jcs: string; readonly digest: string };
    }[];
  }
  const file: Commitments = JSON.parse(
    sharedText(`${FOLDER}commitments.json`, `{"commitments":[],"boundaries":[],"boundaryDigests":[]}`),
  );

  it.each(file.commitments)("bind key, roots and state of a surface: $name", ({ inputs, expected }) => {
    const commit = keyCommit(fromHex(inputs.K_se));
    expect(toHex(commit)).toBe(expected.keyCommit);
    const stated =
      inputs.alg === 2
        ? horizonRoot(BigInt(inputs.until ?? "0"), inputs.basis ?? "")
        : inputs.alg === 3
          ? uncoveredRoot(inputs.reason ?? "BLIND")
          : undefined;
    const membershipRoot = stated ?? fromHex(inputs.membershipRoot ?? "");
    const lineageRoot = stated ?? fromHex(inputs.lineageRoot ?? "");
    expect(toHex(membershipRoot)).toBe(expected.membershipRoot);
    expect(toHex(lineageRoot)).toBe(expected.lineageRoot);
    const { alg, boundary, surface } = inputs;
    const parts = {
      alg,
      boundary,
      surface,
      epoch: BigInt(inputs.epoch),
      keyCommit: commit,
      membershipRoot,
      lineageRoot,
    };
    expect(toHex(surfaceCommitment(parts))).toBe(expected.C_s);
  });

  it.each(file.boundaries)("join into B or are refused: $name", ({ inputs, expected }) => {
    const surfaces = inputs.surfaces.map(({ surface, C_s }) => ({ id: surface, commitment: fromHex(C_s) }));
    const root = outcomeOf(() => boundaryRoot(surfaces));
    expect(root === "refused" ? undefined : toHex(root)).toBe(expected.B);
    expect(root === "refused").toBe(expected.refused === true);
    const order = surfaces.map((surface) => surface.id).toSorted(compareUtf8);
    expect(order).toEqual(expected.order ?? order);
  });

  it.each(file.boundaryDigests)("digest the public form: $name", ({ inputs, expected }) => {
    const form: unknown = JSON.parse(inputs.json);
    expect(toHex(utf8(canonicalJson(form)))).toBe(expected.jcs);
    expect(toHex(boundaryDigest(form))).toBe(expected.digest);
  });
});

interface ProofCases {
  readonly cases: readonly {
    readonly name: string;
    readonly format: string;
    readonly inputs: {
      readonly tree: TreeNumber;
      readonly root: string;
      readonly queries: readonly string[];
      readonly proof?: string;
    };
    readonly expected: { readonly accepted: boolean; readonly proof?: string; readonly reason?: string };
  }[];
}

const ofFormat = (file: ProofCases, format: string): ProofCases["cases"] =>
  file.cases.filter((each) => each.format === format);
const VALID: ProofCases = JSON.parse(sharedText(`${FOLDER}exclusion-valid.json`, `{"cases":[]}`));
const INVALID: ProofCases = JSON.parse(sharedText(`${FOLDER}exclusion-invalid.json`, `{"cases":[]}`));

function run(inputs: ProofCases["cases"][number]["inputs"], proof: string): ReturnType<typeof verifyExclusion> {
  return verifyExclusion(inputs.tree, fromHex(inputs.root), fromHex(inputs.queries[0] ?? ""), fromHex(proof));
}

describe.skipIf(!hasSharedData(FOLDER))("single exclusion proofs (VERIFY-3)", () => {
  const valid = ofFormat(VALID, "DXP1");
  const invalid = ofFormat(INVALID, "DXP1");
  it.each(valid)("accept $name", ({ inputs, expected }) => {
    expect(inputs.queries).toHaveLength(1);
    expect(run(inputs, expected.proof ?? "")).toEqual({ ok: true });
  });

  it.each(invalid)("reject $name", ({ inputs }) => {
    expect(inputs.queries).toHaveLength(1);
    expect(run(inputs, inputs.proof ?? "").ok).toBe(false);
  });

  it("reject flipped bits, every lost byte and every byte more", () => {
    let accepted = 0;
    for (const { inputs, expected } of valid) {
      const proof = fromHex(expected.proof ?? "");
      const bad = [proof.subarray(0, -1), concatBytes(proof, Uint8Array.of(0))];
      // Long proofs fold hundreds of levels: of them a few hundred bits are enough, 37 being prime to every field.
      const stride = proof.length > 100 ? 37 : 1;
      for (let bit = 0; bit < 8 * proof.length; bit += stride) {
        const flipped = proof.slice();
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        bad.push(flipped);
      }
      const [root, query] = [fromHex(inputs.root), fromHex(inputs.queries[0] ?? "")];
      for (const each of bad) if (verifyExclusion(inputs.tree, root, query, each).ok) accepted += 1;
    }
    expect(accepted).toBe(0);
  });
});

function runMany({ tree, root, queries }: ProofCases["cases"][number]["inputs"], proof: string): unknown {
  return verifyExclusions(tree, fromHex(root), queries.map(fromHex), fromHex(proof));
}

describe.skipIf(!hasSharedData(FOLDER))("multiproofs (VERIFY-3)", () => {
  const valid = ofFormat(VALID, "DXM1");

  it("has cases", () => {
    expect([valid.length, ofFormat(INVALID, "DXM1").length]).toEqual([28, 53]);
  });

  it.each(valid)("accept $name", ({ inputs, expected }) => {
    expect(runMany(inputs, expected.proof ?? "")).toEqual({ ok: true });
  });

  it.each(ofFormat(INVALID, "DXM1"))("reject $name, for the reason that the vector gives", ({ inputs, expected }) => {
    expect(runMany(inputs, inputs.proof ?? "")).toEqual({ ok: false, reason: expected.reason });
  });

  it("reject flipped bits, every lost byte and every byte more", () => {
    const accepted: string[] = [];
    for (const { name, inputs, expected } of valid) {
      const proof = fromHex(expected.proof ?? "");
      const bad = [proof.subarray(0, -1), concatBytes(proof, Uint8Array.of(0))];
      const stride = proof.length > 200 ? 37 : 1;
      for (let bit = 0; bit < 8 * proof.length; bit += stride) {
        const flipped = proof.slice();
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        bad.push(flipped);
      }
      const queries = inputs.queries.map(fromHex);
      for (const each of bad)
        if (verifyExclusions(inputs.tree, fromHex(inputs.root), queries, each).ok) accepted.push(name);
    }
    expect(accepted).toEqual([]);
  });
});
