// Commits to what one epoch's scans saw (PROOFS §2): both trees, C_s and B. A surface that nobody scanned, bounded or gave up is no success: it stops the epoch.
import {
  boundaryRoot,
  compareUtf8,
  epochKey,
  type Horizon,
  horizonRoot,
  keyCommit,
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
import type { SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import { createEpochNaming, type EpochNaming, type NameWriter } from "./epoch-naming.ts";
import { type ExclusionTree, exclusionTreeOf } from "./exclusion-tree.ts";
import { HASH_BYTES } from "./fast-hash.ts";
import { digestOfField } from "./field-digest.ts";
import { type HashedKeys, hashSortedKeys } from "./hash-sorted-keys.ts";
import { sortKeys } from "./sort-keys.ts";
import { createTokenBuffer, type TokenBuffer } from "./token-buffer.ts";
import { SurfaceTokens } from "./surface-tokens.ts";
import { hashOnThread, isThreadWorthIt } from "./tree-thread.ts";

export interface EpochOptions {
  readonly boundaryId: string;
  readonly epoch: number;
  /** X_e: 32 random bytes of this epoch alone. */
  readonly key: Uint8Array;
  readonly surfaces: readonly Pick<SurfaceDeclaration, "id" | "role" | "keys">[];
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
  /** All that the surface has was added: its trees are hashed on another thread, where that is worth it, until they are waited for. */
  hashAhead(surface: SurfaceId): void;
  hashedAhead(): Promise<void>;
  /** Hashes what was not hashed ahead. @throws UsageError EPOCH_OPEN where a surface is neither covered, expiring nor uncovered */
  finish(): EpochRoots;
}

type State =
  | { readonly as: "open" | "covered" }
  | { readonly as: "expiring"; readonly horizon: Horizon }
  | { readonly as: "uncovered"; readonly reason: UncoveredReason };

const TREES = ["membership", "lineage"] as const;

interface HashedAhead {
  readonly keys: HashedKeys;
  readonly bytes: number;
}

interface OpenSurface {
  readonly declaration: EpochOptions["surfaces"][number];
  readonly key: Uint8Array;
  readonly tokens: SurfaceTokens;
  readonly membership: TokenBuffer;
  readonly lineage: TokenBuffer;
  /** Tokens of the persons met so far, by type and value. */
  readonly persons: Map<string, Map<string, Uint8Array>>;
  /** Trees that were hashed ahead, of so many bytes of tokens. */
  readonly hashed: { membership?: HashedAhead; lineage?: HashedAhead };
  state: State;
}

export function createEpochCommitments(options: EpochOptions): EpochCommitments {
  const { boundaryId, epoch } = options;
  const names = createEpochNaming(options.key, boundaryId, epoch);
  const surfaces = new Map<string, OpenSurface>();
  for (const declaration of options.surfaces) {
    const key = epochKey(options.key, boundaryId, declaration.id, epoch);
    const buffers = { membership: createTokenBuffer(), lineage: createTokenBuffer() };
    surfaces.set(declaration.id, {
      declaration,
      key,
      tokens: new SurfaceTokens(key),
      ...buffers,
      persons: new Map(),
      hashed: {},
      state: { as: "open" },
    });
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
    hashAhead(id) {
      ahead.push(hashAhead(open(id)));
    },
    async hashedAhead() {
      await Promise.all(ahead);
    },
    addArtifact(id, artifact, digests = artifact.content.map(digestOfField)) {
      addArtifact(open(id), names, artifact, digests);
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
      surface.membership.clear();
      surface.lineage.clear();
      surface.state = { as: "uncovered", reason };
    },
    finish: () => finishEpoch(boundaryId, epoch, [...surfaces.values()]),
  };
}

/** The plain token of the artifact that is being added. */
const PLAIN = new Uint8Array(HASH_BYTES);
/** The token of one of its sources or persons. */
const SOURCE = new Uint8Array(HASH_BYTES);

function addArtifact(
  surface: OpenSurface,
  { writer }: EpochNaming,
  artifact: ArtifactToCommit,
  digests: readonly string[],
): void {
  const { declaration, tokens, membership, lineage } = surface;
  const { name, nameAt } = tokens;
  const ref = { surface: declaration.id, key: artifact.key };
  writer.artifact(ref.surface, ref.key, name, nameAt);
  tokens.into(1, PLAIN, 0);
  lay(PLAIN, HASH_BYTES, membership, membership.next(), 0);
  if (declaration.keys === "reusable") {
    writer.whole(ref, artifact.content, digests, name, nameAt);
    tokens.add(1, membership);
  }
  for (const [at, field] of artifact.content.entries()) {
    writer.field(field, digests[at] ?? "", name, nameAt);
    tokens.add(2, membership);
  }
  for (const source of artifact.sources) {
    writer.parent(source, name, nameAt);
    tokens.into(3, SOURCE, 0);
    addEdge(lineage, SOURCE);
  }
  for (const subject of artifact.subjects) addEdge(lineage, personToken(surface, writer, subject));
}

/** The key of one lineage leaf (PROOFS §2): 16 bytes of the source's token (kind 3 or 4), then 16 of the derived artifact's plain kind 1 token. */
function addEdge(lineage: TokenBuffer, source: Uint8Array): void {
  const at = lineage.next();
  lay(source, HASH_BYTES / 2, lineage, at, 0);
  lay(PLAIN, HASH_BYTES / 2, lineage, at, HASH_BYTES / 2);
}

function lay(token: Uint8Array, length: number, { bytes }: TokenBuffer, at: number, within: number): void {
  for (let i = 0; i < length; i += 1) bytes[at + within + i] = token[i] ?? 0;
}

/** Few persons stand on many artifacts. */
function personToken({ tokens, persons }: OpenSurface, writer: NameWriter, subject: SubjectIdentifier): Uint8Array {
  const known = persons.get(subject.type) ?? new Map<string, Uint8Array>();
  persons.set(subject.type, known);
  let token = known.get(subject.value);
  if (token === undefined) {
    token = new Uint8Array(HASH_BYTES);
    writer.identifier(subject, tokens.name, tokens.nameAt);
    tokens.into(4, token, 0);
    known.set(subject.value, token);
  }
  return token;
}

/** What is not answered is left to `finish`. */
async function hashAhead(surface: OpenSurface): Promise<void> {
  const bytes = TREES.map((tree) => surface[tree].added().length);
  if (!isThreadWorthIt(bytes.reduce((sum, own) => sum + own, 0))) return;
  const hashed = await hashOnThread(TREES.map((tree) => surface[tree].share()));
  for (const [place, tree] of TREES.entries()) {
    const found = hashed.get(place);
    if (found === undefined) continue;
    const { keys, ...hashes } = found;
    if (surface[tree].added().length !== bytes[place]) continue;
    // What was shared is not needed any more: the sorted keys are the same set.
    surface[tree].standIn(keys);
    surface.hashed[tree] = { keys: hashSortedKeys(keys, hashes), bytes: keys.length };
  }
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

/** As they were hashed ahead, unless something was added since. */
function keysOf(surface: OpenSurface, tree: (typeof TREES)[number]): HashedKeys {
  const tokens = surface[tree].added();
  const ahead = surface.hashed[tree];
  return ahead?.bytes === tokens.length ? ahead.keys : hashSortedKeys(sortKeys(tokens));
}

function commit(boundary: string, epoch: number, surface: OpenSurface): CommittedSurface {
  const { declaration, key, tokens, state } = surface;
  const { id, keys } = declaration;
  const commitTo = (alg: 1 | 2 | 3, membershipRoot: Uint8Array, lineageRoot: Uint8Array): CommittedPart => {
    const parts = { alg, boundary, surface: id, epoch, keyCommit: keyCommit(key), membershipRoot, lineageRoot };
    return { id, keys, keyCommit: toHex(parts.keyCommit), commitment: toHex(surfaceCommitment(parts)) };
  };
  switch (state.as) {
    case "covered": {
      const membership = exclusionTreeOf(keysOf(surface, "membership"), 0);
      const lineage = exclusionTreeOf(keysOf(surface, "lineage"), 1);
      const token = (kind: NameKind, name: Uint8Array): Uint8Array => tokens.of(kind, name);
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
