// One epoch: a fresh scan of every surface under one number. It commits to what is there, compares bystanders, and learns what explains a likeness.
import { fieldDigest, toHex } from "@deleatur/verify";
import { createEpochCommitments, type EpochCommitments } from "../attest/epoch-commitments.ts";
import type { Engine } from "../engine.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import type { Explanation } from "../model/needle.ts";
import { utcTime } from "../model/utc-time.ts";
import { type ControlChoice, createControlChooser } from "../probe/choose-controls.ts";
import { createRunFilter } from "../probe/run-filter.ts";
import { type HarvestedRow, recordHarvest, scanAll } from "../record/harvest.ts";
import type { Baseline } from "./baseline.ts";
import type { KeptNeedle } from "./kept-needles.ts";
import { hasOwnProvenance } from "./own-provenance.ts";
import { toNeedles } from "./to-needles.ts";

export interface EpochInput {
  readonly needles: readonly KeptNeedle[];
  readonly isOwn: (identifier: SubjectIdentifier) => boolean;
  /** Every artifact known to belong to the closure. */
  readonly closure: ReadonlySet<string>;
  /** Absent where nobody took one before (an audit without a ticket): then nothing is explained and no bystander counted. */
  readonly baseline: Baseline | undefined;
  /** The same as it stood before this round's erase: by it losses are counted. */
  readonly bystanders: Baseline | undefined;
  /** New content that Deleatur itself stored: it explains likeness to the old text that it replaced. */
  readonly replaced: readonly Artifact[];
}

/** A scanned artifact, without its content. */
export interface ScannedRow extends HarvestedRow {
  /** Hex digests (PROOFS §2, kind 02) of its fields that closure content also has. */
  readonly closureFields: readonly string[];
  /** Against the baseline; undefined where there is none. */
  readonly before: "unchanged" | "changed" | "new" | undefined;
}

export interface EpochScan {
  readonly epoch: number;
  readonly begun: string;
  readonly finished: string;
  readonly logSizeAtScan: number;
  readonly commitments: EpochCommitments;
  readonly rows: ReadonlyMap<string, ScannedRow>;
  readonly unread: ReadonlyMap<SurfaceId, string>;
  /** What explains likeness to erased needles, and to rewritten ones. */
  readonly explained: { readonly erased: Explanation; readonly rewritten: Explanation };
  /** True where every artifact of the surface that holds this closure field (hex digest) is another person's. */
  isShared(surface: string, digest: string): boolean;
  readonly bystanders: { readonly checked: number; readonly intact: number; readonly changed: number };
  readonly controls: ControlChoice;
  /** Surfaces with a row that neither the SDK recorded nor a harvest before this scan had met: somebody writes past the SDK (DESIGN §4). */
  readonly unrecorded: ReadonlySet<SurfaceId>;
}

/** Scans all surfaces under a new epoch; the ledger takes in the lineage that it meets. */
export async function scanEpoch(engine: Engine, input: EpochInput, signal: AbortSignal): Promise<EpochScan> {
  const { ledger, boundary } = engine;
  const begun = utcTime(engine.clock());
  const logSizeAtScan = ledger.logSize();
  const { epoch, key } = ledger.newEpoch();
  const commitments = createEpochCommitments({ boundaryId: boundary.id, epoch, key, surfaces: boundary.surfaces });
  const scannable = engine.surfaces.flatMap(({ declaration, guarantees }) =>
    guarantees.scan === "none" ? [] : [declaration.id],
  );
  const chooser = createControlChooser(scannable, randomNumbers(engine));
  const needles = toNeedles(input.needles);
  const explained = { erased: createRunFilter(needles), rewritten: createRunFilter(needles) };
  for (const { content } of input.replaced) for (const field of content) explained.rewritten.add(field);
  const wanted = new Set(input.needles.flatMap(({ content }) => content.map(digestOfField)));
  const replaced = new Map(input.replaced.map((one) => [artifactId(one), one.content.map(digestOfField).join()]));
  const rows = new Map<string, ScannedRow>();
  const strange: ArtifactRef[] = [];
  const holders = new Map<string, { lawful: number; other: number }>();
  const countHolder = (surface: string, digest: string, isLawful: boolean): void => {
    const held = holders.get(`${surface} ${digest}`) ?? { lawful: 0, other: 0 };
    if (isLawful) held.lawful += 1;
    else held.other += 1;
    holders.set(`${surface} ${digest}`, held);
  };
  let [intact, changed] = [0, 0];

  const unread = await scanAll(
    engine,
    "epoch",
    (artifact) => {
      const id = artifactId(artifact);
      const { surface, key: artifactKey, subjects } = artifact;
      const sources = allSources(engine, artifact);
      commitments.addArtifact(surface, { ...artifact, sources });
      const closureFields = artifact.content.map(digestOfField).filter((digest) => wanted.has(digest));
      if (ledger.artifact({ surface, key: artifactKey }) === undefined) strange.push({ surface, key: artifactKey });
      const before = input.baseline?.compare(artifact);
      rows.set(id, { surface, key: artifactKey, subjects, sources, closureFields, before });
      if (!input.closure.has(id)) {
        const standing = input.bystanders?.compare(artifact);
        if (standing === "changed") changed += 1;
        if (standing === "unchanged") intact += 1;
      }
      if (input.closure.has(id) || before !== "unchanged") {
        // What Deleatur itself wrote there survives, and is as good a control as any.
        if (replaced.get(id) === artifact.content.map(digestOfField).join()) chooser.offer(artifact);
        for (const digest of closureFields) countHolder(surface, digest, false);
        return;
      }
      chooser.offer(artifact);
      const isIndependent = hasOwnProvenance(engine.bound(surface).declaration.role, subjects, input.isOwn);
      const isOthers =
        isIndependent || (sources.length > 0 && !sources.some((source) => input.closure.has(artifactId(source))));
      for (const field of artifact.content) {
        // The vector of another's record is that record's own: two people who say the same have the same embedding.
        if (!isIndependent && !(isOthers && field.type === "vector")) continue;
        explained.erased.add(field);
        explained.rewritten.add(field);
      }
      for (const digest of closureFields) countHolder(surface, digest, isOthers);
    },
    signal,
  );
  // A write of the SDK that is on its way has its intent; one that was committed meanwhile is recorded by now.
  const intended = new Set(ledger.openIntents().map(({ ref }) => artifactId(ref)));
  const unrecorded = new Set(
    strange
      .filter((ref) => ledger.artifact(ref) === undefined && !intended.has(artifactId(ref)))
      .map((ref) => ref.surface),
  );
  recordHarvest(engine, { rows: [...rows.values()], unread });
  return {
    epoch,
    begun,
    finished: utcTime(engine.clock()),
    logSizeAtScan,
    commitments,
    rows,
    unread,
    explained,
    isShared(surface, digest) {
      const held = holders.get(`${surface} ${digest}`);
      return held !== undefined && held.lawful > 0 && held.other === 0;
    },
    // What nobody could read is neither intact nor lost: it is counted by the round that reads it again.
    bystanders: { checked: countRead(input.bystanders, scannable, unread), intact, changed },
    controls: chooser.choose(),
    unrecorded,
  };
}

function countRead(
  bystanders: Baseline | undefined,
  scannable: readonly SurfaceId[],
  unread: ReadonlyMap<SurfaceId, string>,
): number {
  const read = scannable.filter((surface) => !unread.has(surface));
  return read.reduce((sum, surface) => sum + (bystanders?.sizeOf(surface) ?? 0), 0);
}

/** Edges of the store's own columns and of the ledger; erased sources that only a digest is left of cannot be named here. */
function allSources(engine: Engine, artifact: Artifact): readonly ArtifactRef[] {
  const sources = new Map(artifact.sources.map((source) => [artifactId(source), source]));
  for (const { ref } of engine.ledger.sourcesOf(artifact)) if (ref !== undefined) sources.set(artifactId(ref), ref);
  return [...sources.values()];
}

/** Hex of the 02 digest of a field (PROOFS §2). */
export function digestOfField(field: ContentField): string {
  switch (field.type) {
    case "text":
      return toHex(fieldDigest(0, new TextEncoder().encode(field.text)));
    case "bytes":
      return toHex(fieldDigest(1, field.bytes));
    case "vector": {
      const { buffer, byteOffset, byteLength } = field.vector;
      return toHex(fieldDigest(2, new Uint8Array(buffer, byteOffset, byteLength)));
    }
  }
}

function randomNumbers(engine: Engine): () => number {
  return () => Buffer.from(engine.random(4)).readUInt32BE(0) / 2 ** 32;
}
