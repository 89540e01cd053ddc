// Commits to what one epoch's scans saw (PROOFS §2): both trees, C_s and B. A surface that nobody scanned, bounded or gave up is no success: it stops the epoch.
import {
  boundaryRoot,
  compareUtf8,
  epochKey,
  type Horizon,
  horizonRoot,
  keyCommit,
  nameKey,
  type NameKind,
  surfaceCommitment,
  toBase64,
  toHex,
  type UncoveredReason,
  uncoveredRoot,
} from "@deleatur/verify";
import type { Artifact } from "../model/artifact.ts";
import type { SurfaceDeclaration } from "../model/declaration.ts";
import { UsageError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";
import { createEpochNaming, type EpochNaming } from "./epoch-naming.ts";
import { type ExclusionTree, exclusionTreeOf } from "./exclusion-tree.ts";
import { digestOfField } from "./field-digest.ts";
import { openSurfaceKeys, type SurfaceKeys } from "./surface-keys.ts";
import { surfaceTokens } from "./surface-tokens.ts";
import { canHaveThread, startTreeThread, type TreeThread } from "./tree-thread.ts";

export interface EpochOptions {
  readonly boundaryId: string;
  readonly epoch: number;
  /** X_e: 32 random bytes of this epoch alone. */
  readonly key: Uint8Array;
  readonly surfaces: readonly Pick<SurfaceDeclaration, "id" | "role" | "keys">[];
  /** Whether what is added is hashed on another thread while more is, where that is worth it: for who waits for `hashedAhead`. */
  readonly isAhead?: boolean;
}

export interface SurfaceTrees {
  readonly membership: ExclusionTree;
  readonly lineage: ExclusionTree;
  /** The 32-byte token of a name in this surface. */
  token(kind: NameKind, name: Uint8Array): Uint8Array;
}

interface CommittedPart {
  readonly id: SurfaceId;
  readonly keys: "unique" | "reusable";
  readonly keyCommit: string;
  readonly commitment: string;
}

/** One surface of an epoch, as it stands in a statement. */
export type CommittedSurface = CommittedPart &
  (
    | {
        readonly alg: 1;
        readonly roots: { readonly membership: string; readonly lineage: string };
        readonly trees: SurfaceTrees;
      }
    | { readonly alg: 2; readonly horizon: Horizon }
    | { readonly alg: 3; readonly uncovered: { readonly reason: UncoveredReason } }
  );

/** The whole epoch. It holds keys: nothing of it but what a receipt carries may leave the process. */
export interface EpochRoots {
  readonly boundaryId: string;
  readonly epoch: number;
  /** B, 32 bytes. */
  readonly B: Uint8Array;
  /** Sorted by the UTF-8 bytes of their ids. */
  readonly surfaces: readonly CommittedSurface[];
  /** For an open receipt: base64 by surface. */
  readonly epochKeys: { readonly [surface: string]: string };
  /** The trees of a covered surface. @throws UsageError NOT_COVERED */
  tree(surface: string): SurfaceTrees;
}

type ArtifactToCommit = Pick<Artifact, "key" | "content" | "sources" | "subjects">;

export interface EpochCommitments {
  readonly names: EpochNaming;
  /** Adds one scanned artifact, its content fields in declared order; `digests` are the fields' (`digestOfField`), where they were made before. The same artifact again changes nothing. @throws StoreError NOT_NAMEABLE, UsageError */
  addArtifact(surface: SurfaceId, artifact: ArtifactToCommit, digests?: readonly string[]): void;
  /** Every artifact of the surface has been added: it is covered, also when there was none. @throws UsageError */
  setCovered(surface: SurfaceId): void;
  /** Nothing to scan: its copies expire by themselves (caches and backups only). @throws UsageError */
  setExpiring(surface: SurfaceId, horizon: { readonly until: Date; readonly basis: string }): void;
  /** Given up; what was added before is dropped. @throws UsageError */
  setUncovered(surface: SurfaceId, reason: UncoveredReason): void;
  /** All that the surface has was added: what was begun ahead of it can be ended. */
  endSurface(surface: SurfaceId): void;
  /** Nothing more is added to any. */
  endAll(): void;
  hashedAhead(): Promise<void>;
  /** Hashes what was not hashed ahead. @throws UsageError EPOCH_OPEN where a surface is neither covered, expiring nor uncovered */
  finish(): EpochRoots;
}

type State =
  | { readonly as: "open" | "covered" }
  | { readonly as: "expiring"; readonly horizon: Horizon }
  | { readonly as: "uncovered"; readonly reason: UncoveredReason };

interface OpenSurface {
  readonly declaration: EpochOptions["surfaces"][number];
  readonly key: Uint8Array;
  readonly keys: SurfaceKeys;
  state: State;
}

export function createEpochCommitments(options: EpochOptions): EpochCommitments {
  const { boundaryId, epoch } = options;
  const names = createEpochNaming(options.key, boundaryId, epoch);
  const surfaces = new Map<string, OpenSurface>();
  const nameSecret = nameKey(options.key, boundaryId, epoch);
  let thread: TreeThread | undefined;
  const isAhead = options.isAhead === true && canHaveThread();
  const startThread = (): TreeThread => (thread ??= startTreeThread());
  for (const declaration of options.surfaces) {
    const key = epochKey(options.key, boundaryId, declaration.id, epoch);
    const keys = openSurfaceKeys(declaration, { names: nameSecret, surface: key }, isAhead ? startThread : undefined);
    surfaces.set(declaration.id, { declaration, key, keys, state: { as: "open" } });
  }
  const open = (id: SurfaceId): OpenSurface => {
    const surface = surfaces.get(id);
    if (surface === undefined) {
      throw new UsageError("SURFACE_UNKNOWN", "the epoch has no surface of this name", { place: { surface: id } });
    }
    if (surface.state.as !== "open" && surface.state.as !== "covered") {
      throw new UsageError("SURFACE_SETTLED", "the surface is already expiring or uncovered in this epoch", {
        place: { surface: id },
      });
    }
    return surface;
  };
  const ahead: Promise<void>[] = [];
  return {
    names,
    endSurface(id) {
      ahead.push(open(id).keys.end());
    },
    endAll() {
      thread?.end();
    },
    async hashedAhead() {
      await Promise.all(ahead);
    },
    addArtifact(id, artifact, digests = artifact.content.map(digestOfField)) {
      open(id).keys.add(artifact, digests);
    },
    setCovered(id) {
      open(id).state = { as: "covered" };
    },
    setExpiring(id, { until, basis }) {
      const surface = open(id);
      if (surface.declaration.role !== "cache" && surface.declaration.role !== "backup") {
        throw new UsageError("NOT_EXPIRING", "only a cache or a backup may be left to expire", {
          place: { surface: id },
        });
      }
      surface.state = { as: "expiring", horizon: { until: Math.ceil(until.getTime() / 1_000), basis } };
    },
    setUncovered(id, reason) {
      const surface = open(id);
      surface.keys.clear();
      surface.state = { as: "uncovered", reason };
    },
    finish: () => finishEpoch(boundaryId, epoch, [...surfaces.values()]),
  };
}

function finishEpoch(boundaryId: string, epoch: number, surfaces: readonly OpenSurface[]): EpochRoots {
  const sorted = surfaces.toSorted((a, b) => compareUtf8(a.declaration.id, b.declaration.id));
  const committed = sorted.map((surface) => commit(boundaryId, epoch, surface));
  const bytes = committed.map(({ id, commitment }) => ({ id, commitment: Buffer.from(commitment, "hex") }));
  return {
    boundaryId,
    epoch,
    B: boundaryRoot(bytes),
    surfaces: committed,
    epochKeys: Object.fromEntries(sorted.map(({ declaration, key }) => [declaration.id, toBase64(key)])),
    tree(id) {
      const surface = committed.find((each) => each.id === id);
      if (surface?.alg === 1) return surface.trees;
      throw new UsageError("NOT_COVERED", "the epoch did not cover this surface", { place: { surface: id } });
    },
  };
}

function commit(boundary: string, epoch: number, surface: OpenSurface): CommittedSurface {
  const { declaration, key, state } = surface;
  const { id, keys } = declaration;
  const commitTo = (alg: 1 | 2 | 3, membershipRoot: Uint8Array, lineageRoot: Uint8Array): CommittedPart => {
    const parts = { alg, boundary, surface: id, epoch, keyCommit: keyCommit(key), membershipRoot, lineageRoot };
    return { id, keys, keyCommit: toHex(parts.keyCommit), commitment: toHex(surfaceCommitment(parts)) };
  };
  switch (state.as) {
    case "covered": {
      const trees = surface.keys.trees();
      const membership = exclusionTreeOf(trees.membership, 0);
      const lineage = exclusionTreeOf(trees.lineage, 1);
      const token = surfaceTokens(key);
      const roots = { membership: toHex(membership.root), lineage: toHex(lineage.root) };
      return { ...commitTo(1, membership.root, lineage.root), alg: 1, roots, trees: { membership, lineage, token } };
    }
    case "expiring": {
      const root = horizonRoot(state.horizon.until, state.horizon.basis);
      return { ...commitTo(2, root, root), alg: 2, horizon: state.horizon };
    }
    case "uncovered": {
      const root = uncoveredRoot(state.reason);
      return { ...commitTo(3, root, root), alg: 3, uncovered: { reason: state.reason } };
    }
    case "open":
      throw new UsageError("EPOCH_OPEN", "a surface was neither scanned to its end, nor left to expire, nor given up", {
        place: { surface: id },
      });
    default:
      return state satisfies never;
  }
}
