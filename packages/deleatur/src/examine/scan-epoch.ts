// One epoch: a fresh scan of every surface under one number, for all requests that it serves. It commits to what is there and lets each of them see it.
import { createEpochCommitments, type EpochCommitments } from "../attest/epoch-commitments.ts";
import { digestOfField } from "../attest/field-digest.ts";
import type { Engine } from "../engine.ts";
import type { Artifact } from "../model/artifact.ts";
import { artifactId, type ArtifactRef, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import type { Explanation } from "../model/needle.ts";
import { expiresSoon, outlivesTtl } from "../model/time-to-live.ts";
import { utcTime } from "../model/utc-time.ts";
import { type ControlChoice, createControlChooser } from "../probe/choose-controls.ts";
import { type HarvestedRow, recordRows, scanParts } from "../record/harvest.ts";
import type { Baseline } from "./baseline.ts";
import { type ByRef, createByRef } from "./by-ref.ts";
import type { Copy } from "./find-copies.ts";
import { openSights } from "./epoch-sight.ts";
import type { KeptNeedle } from "./kept-needles.ts";

/** What one request asks of the scan; several requests are served by one. */
export interface EpochInput {
  readonly needles: readonly KeptNeedle[];
  readonly isOwn: (identifier: SubjectIdentifier) => boolean;
  /** Whose the named records were; none for a person. */
  readonly owners: readonly SubjectIdentifier[];
  /** Every artifact known to belong to the closure. */
  readonly closure: ReadonlySet<string>;
  /** Absent where nobody took one before (an audit without a ticket): then nothing is explained and no bystander counted. */
  readonly baseline: Baseline | undefined;
  /** The same as it stood before this round's erase alone: by it losses are counted. */
  readonly bystanders: Baseline | undefined;
  /** New content that Deleatur itself stored: it explains likeness to the old text that it replaced. */
  readonly replaced: readonly Artifact[];
}

/** The epoch itself: the same for every request that it serves. */
export interface SharedScan {
  readonly epoch: number;
  readonly begun: string;
  readonly finished: string;
  readonly logSizeAtScan: number;
  readonly commitments: EpochCommitments;
  readonly rows: Omit<ByRef<HarvestedRow>, "set">;
  /** Of these, the rows for which their store names no source. */
  readonly sourceless: readonly HarvestedRow[];
  readonly unread: ReadonlyMap<SurfaceId, string>;
  /** What is outside every closure, and unchanged for all that the epoch serves. */
  readonly controls: ControlChoice;
  /** Surfaces with a row that neither the SDK recorded nor a harvest before this scan had met: somebody writes past the SDK (DESIGN §4). */
  readonly unrecorded: ReadonlySet<SurfaceId>;
  /** Surfaces with a record that outlives the time to live that is declared for them (ATTEST-5). */
  readonly unbounded: ReadonlySet<SurfaceId>;
}

/** The epoch as one request sees it. */
export interface EpochScan extends SharedScan {
  /** What explains likeness to erased needles, and to rewritten ones. */
  readonly explained: { readonly erased: Explanation; readonly rewritten: Explanation };
  /** Hex digests (PROOFS §2, kind 02) of the artifact's fields that closure content also has. */
  closureFieldsOf(id: string): readonly string[];
  /** Against the baseline; undefined where there is none. */
  beforeOf(id: string): "unchanged" | "changed" | "new" | undefined;
  /** True where every artifact of the surface that holds this closure field (hex digest) is another person's. */
  isShared(surface: string, digest: string): boolean;
  readonly bystanders: { readonly checked: number; readonly intact: number; readonly changed: number };
  /** What was named stands there again, in other records of the same person. */
  readonly copies: readonly Copy[];
}

/** Scans all surfaces under a new epoch; the ledger takes in the lineage that it meets. Answers a sight of it for each input. `isCommitted`: its roots will be asked for. */
export async function scanEpoch(
  engine: Engine,
  inputs: readonly EpochInput[],
  isCommitted: boolean,
  signal: AbortSignal,
): Promise<readonly EpochScan[]> {
  const { ledger, boundary } = engine;
  const begun = utcTime(engine.clock());
  const logSizeAtScan = ledger.logSize();
  const { epoch, key } = ledger.newEpoch();
  const commitments = createEpochCommitments({
    boundaryId: boundary.id,
    epoch,
    key,
    surfaces: boundary.surfaces,
    isAhead: isCommitted,
  });
  const scannable = engine.surfaces.flatMap(({ declaration, guarantees }) =>
    guarantees.scan === "none" ? [] : [declaration.id],
  );
  const chooser = createControlChooser(scannable, randomNumbers(engine));
  const sights = openSights(engine, inputs);
  const rows = createByRef<HarvestedRow>();
  const harvested: HarvestedRow[] = [];
  const sourceless: HarvestedRow[] = [];
  const strange: ArtifactRef[] = [];
  const unbounded = new Set<SurfaceId>();

  const unread = await scanParts(
    engine,
    "epoch",
    (part) => {
      const now = engine.clock();
      const known = ledger.knownBeside(part);
      for (const [place, artifact] of part.entries()) {
        // Edges of the store's own columns and of the ledger; erased sources that only a digest is left of cannot be named here.
        const { isRecorded = false, isCurrent = false, further = [] } = known[place] ?? {};
        const seen = further.length === 0 ? artifact : { ...artifact, sources: [...artifact.sources, ...further] };
        const digests = artifact.content.map(digestOfField);
        commitments.addArtifact(artifact.surface, seen, digests);
        const row = rowOf(seen, rows);
        rows.set(artifact, row);
        if (!isRecorded) strange.push(row);
        // Only what the store itself says is declared by it: an inferred edge of the ledger stays inferred.
        if (!isCurrent) harvested.push({ ...row, sources: artifact.sources });
        if (artifact.sources.length === 0) sourceless.push(row);
        if (outlivesTtl(engine.bound(artifact.surface).declaration, artifact.expires, now))
          unbounded.add(artifact.surface);
        // A control must still be there when the last of the eyes has looked.
        if (sights.see(seen, digests) && !expiresSoon(artifact.expires, now)) chooser.offer(artifact);
      }
    },
    signal,
    (surface) => commitments.endSurface(surface),
  ).finally(() => commitments.endAll());
  // A write of the SDK that is on its way has its intent; one that was committed meanwhile is recorded by now.
  const intended = new Set(ledger.openIntents().map(({ ref }) => artifactId(ref)));
  const unrecorded = new Set(
    strange
      .filter((ref) => ledger.artifact(ref) === undefined && !intended.has(artifactId(ref)))
      .map((ref) => ref.surface),
  );
  recordRows(engine, harvested);
  const shared: SharedScan = {
    epoch,
    begun,
    finished: utcTime(engine.clock()),
    logSizeAtScan,
    commitments,
    rows,
    sourceless,
    unread,
    controls: chooser.choose(),
    unrecorded,
    unbounded,
  };
  return sights.close(shared, scannable);
}

/** All but the content, as small as it can be, since it is kept to the end: lists without the room that a reader's have left over, and a source that was read before it once only. */
function rowOf({ surface, key, subjects, sources }: Artifact, rows: Pick<ByRef<HarvestedRow>, "get">): HarvestedRow {
  return { surface, key, subjects: subjects.slice(), sources: sources.map((source) => rows.get(source) ?? source) };
}

/** Numbers for the choice of controls: chance is drawn for many at once. */
function randomNumbers(engine: Engine): () => number {
  let drawn = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = Buffer.from(engine.random(RANDOM_BYTES));
      at = 0;
    }
    at += 4;
    return drawn.readUInt32BE(at - 4) / 2 ** 32;
  };
}

const RANDOM_BYTES = 4_096;
