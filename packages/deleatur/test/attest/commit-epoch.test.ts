// Holds the commitments of an epoch against the independent vectors, and shows what stops an epoch.
import { describe, expect, it } from "vitest";
import {
  fromHex,
  horizonRoot,
  nameKey,
  nameOf,
  artifactNameValue,
  identifierNameValue,
  parentNameValue,
  fieldDigest,
  keyCommit,
  epochKey,
  surfaceCommitment,
  toHex,
  uncoveredRoot,
  utf8,
} from "@deleatur/verify";
import { createEpochCommitments, type EpochCommitments } from "../../src/attest/epoch-commitments.ts";
import type { ContentField } from "../../src/model/artifact.ts";
import type { SurfaceRole } from "../../src/model/declaration.ts";
import { StoreError, UsageError } from "../../src/model/errors.ts";
import { artifactKey, surfaceId, type SurfaceId } from "../../src/model/ids.ts";
import { hasSharedData, sharedText } from "../../../verify/test/shared-data.ts";

const FOLDER = "vectors/deleatur/";

interface Field {
  readonly text?: string;
  readonly bytes?: string;
  readonly vector?: readonly number[];
}

interface Surfaces {
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
    readonly expected: Record<"membership" | "lineage", { readonly members: readonly string[]; readonly root: string }>;
  }[];
}

const surfaceOf = surfaceId;
const keyOf = artifactKey;

function fieldOf({ text, bytes, vector }: Field): ContentField {
  if (text !== undefined) return { type: "text", name: "any", text };
  if (bytes !== undefined) return { type: "bytes", name: "any", bytes: fromHex(bytes) };
  return { type: "vector", name: "any", vector: Float32Array.from(vector ?? []) };
}

describe.skipIf(!hasSharedData(FOLDER))("the vectors of PROOFS 2", () => {
  const file: Surfaces = JSON.parse(sharedText(`${FOLDER}roots.json`, `{"surfaces":[]}`));

  it.each(file.surfaces)("both roots follow from what was scanned: $name", ({ inputs, expected }) => {
    const epoch = Number(inputs.epoch);
    expect(Number.isSafeInteger(epoch)).toBe(true);
    const id = surfaceOf(inputs.surface);
    const commitments = createEpochCommitments({
      boundaryId: inputs.boundary,
      epoch,
      key: fromHex(inputs.X_e),
      surfaces: [{ id, role: "primary", keys: inputs.reusable ? "reusable" : "unique" }],
    });
    for (const artifact of [...inputs.artifacts, ...inputs.artifacts.toReversed()]) {
      commitments.addArtifact(id, {
        key: keyOf(artifact.key),
        content: artifact.content.map(fieldOf),
        sources: artifact.sources.map(([surface, key]) => ({ surface: surfaceOf(surface), key: keyOf(key) })),
        subjects: artifact.subjects.map(([type, value]) => ({ type, value })),
      });
    }
    commitments.setCovered(id);
    const roots = commitments.finish();
    const { membership, lineage } = roots.tree(id);
    expect([toHex(membership.root), toHex(lineage.root)]).toEqual([expected.membership.root, expected.lineage.root]);
    expect([membership.size, lineage.size]).toEqual([
      new Set(expected.membership.members).size,
      new Set(expected.lineage.members).size,
    ]);
  });
});

const KEY = new Uint8Array(32).fill(7);
const [episodes, cache, vault] = [surfaceOf("episodes"), surfaceOf("cache"), surfaceOf("vault")];
const ROLES: readonly (readonly [SurfaceId, SurfaceRole])[] = [
  [vault, "backup"],
  [episodes, "primary"],
  [cache, "cache"],
];

function begin(): EpochCommitments {
  const surfaces = ROLES.map(([id, role]) => ({ id, role, keys: "unique" as const }));
  return createEpochCommitments({ boundaryId: "agent", epoch: 3, key: KEY, surfaces });
}

describe("an epoch", () => {
  it("ATTEST-1: commits to every surface in order, each with its state", () => {
    const commitments = begin();
    const until = new Date("2026-11-02T14:02:11.400Z");
    commitments.setCovered(episodes);
    commitments.setExpiring(cache, { until, basis: "contract" });
    commitments.setUncovered(vault, "UNREACHABLE");
    const roots = commitments.finish();
    expect(roots.surfaces.map(({ id, alg }) => [id, alg])).toEqual([["cache", 2], ["episodes", 1], ["vault", 3]]); // prettier-ignore
    const rootsOf = [
      horizonRoot(Math.ceil(until.getTime() / 1_000), "contract"),
      new Uint8Array(32),
      uncoveredRoot("UNREACHABLE"),
    ];
    const expected = roots.surfaces.map(({ id, alg }, i) => {
      const root = rootsOf[i] ?? KEY;
      const commit = keyCommit(epochKey(KEY, "agent", id, 3));
      const parts = { alg, boundary: "agent", surface: id, epoch: 3, keyCommit: commit };
      return toHex(surfaceCommitment({ ...parts, membershipRoot: root, lineageRoot: root }));
    });
    expect(roots.surfaces.map(({ commitment }) => commitment)).toEqual(expected);
    expect(Object.keys(roots.epochKeys)).toEqual(["cache", "episodes", "vault"]);
  });

  it("CLAIM-5: a surface that nobody scanned is not taken for an empty one", () => {
    const commitments = begin();
    commitments.setUncovered(vault, "BLIND");
    commitments.setCovered(episodes);
    expect(() => commitments.finish()).toThrow(expect.objectContaining({ code: "EPOCH_OPEN" }));
  });

  it("VERDICT-4: a surface that was given up keeps nothing of what was read, and is not covered again", () => {
    const [given, never] = [begin(), begin()];
    given.addArtifact(vault, { key: keyOf("k"), content: [], sources: [], subjects: [] });
    for (const commitments of [given, never]) {
      commitments.setUncovered(vault, "BLIND");
      commitments.setCovered(episodes);
      commitments.setCovered(cache);
    }
    expect(toHex(given.finish().B)).toBe(toHex(never.finish().B));
    expect(() => given.setCovered(vault)).toThrow(UsageError);
    expect(() => given.finish().tree(vault)).toThrow(UsageError);
  });

  it("ATTEST-5: only a cache or a backup may be left to expire", () => {
    expect(() => begin().setExpiring(episodes, { until: new Date(0), basis: "none" })).toThrow(UsageError);
  });

  it("names as the verifier's own primitives do", () => {
    const { names } = begin();
    const key = nameKey(KEY, "agent", 3);
    const ref = { surface: episodes, key: keyOf("ключ") };
    const long = "long enough to outgrow the first buffer ".repeat(40);
    expect([
      names.artifact(ref),
      names.parent(ref),
      names.identifier({ type: "account", value: long }),
      names.field({ type: "text", name: "text", text: "" }),
    ]).toEqual([
      nameOf(key, 1, artifactNameValue("episodes", "ключ")),
      nameOf(key, 3, parentNameValue("episodes", "ключ")),
      nameOf(key, 4, identifierNameValue("account", long)),
      nameOf(key, 2, fieldDigest(0, utf8(""))),
    ]);
  });

  it("PRIVACY-1: refuses what cannot be named, and does not repeat it", () => {
    const commitments = begin();
    const key = keyOf("ж".repeat(40_000));
    const add = (): void => commitments.addArtifact(episodes, { key, content: [], sources: [], subjects: [] });
    expect(add).toThrow(StoreError);
    expect(add).toThrow(/^(?!.*ж).*$/);
    const broken: ContentField = { type: "text", name: "text", text: "\ud800" };
    expect(() => commitments.names.field(broken)).toThrow(StoreError);
  });
});
