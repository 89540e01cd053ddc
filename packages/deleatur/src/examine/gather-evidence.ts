// Gathers the evidence about one target or several: an epoch scan, the census, the probes and the re-ingestion trial, put together as the judge takes it.
import { toHex } from "@deleatur/verify";
import type {
  ArtifactMention,
  Evidence,
  KeptArtifact,
  ProbeEvidence,
  SurfaceEvidence,
  Survivor,
  UndeclaredContainer,
} from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import type { RequestItem } from "../ledger/request-record.ts";
import type { Artifact, Purged } from "../model/artifact.ts";
import { artifactId, type ArtifactRef, type RequestId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import type { Needle } from "../model/needle.ts";
import { artifactDigester } from "./artifact-digests.ts";
import { findEarlierReturns, gradeReturns } from "./earlier-returns.ts";
import type { Returns } from "./find-returns.ts";
import { plantCanaries } from "./plant-canaries.ts";
import { gradeCopies, type Graded, gradeFindings, type Suspect } from "./grade-findings.ts";
import type { KeptNeedle } from "./kept-needles.ts";
import { foreignDoors, offerAgain, offersToStores, type ReingestRun } from "./offer-again.ts";
import { type EpochInput, type EpochScan, scanEpoch } from "./scan-epoch.ts";
import { isWatched } from "./is-watched.ts";
import { ledgerEvidence } from "./ledger-evidence.ts";
import { findLeftovers } from "./find-leftovers.ts";
import { joinNeedles, runsOf } from "./join-needles.ts";
import { lookWithProbes, type SurfaceRuns } from "./look-with-probes.ts";
import { lineageOfSurfaces, surfaceEvidence, type SurfaceLineage } from "./surface-evidence.ts";
import { bindToContent } from "./suspects.ts";
import { type Census, takeCensus, unlistedStores } from "./take-census.ts";

/** What is asked about. */
export interface Inquiry {
  readonly target: "person" | "records";
  /** Given and mapped identifiers; empty for records. */
  readonly identifiers: readonly SubjectIdentifier[];
  /** Whose the named records were; none for a person. */
  readonly owners: readonly SubjectIdentifier[];
  readonly needles: readonly KeptNeedle[];
  /** The closure with what became of each artifact. */
  readonly items: readonly RequestItem[];
  /** Bystanders that the rounds before this one lost. */
  readonly lostBefore: number;
  /** What other requests have erased or rewritten since: keyed ids as the baselines hold them. */
  readonly taken: ReadonlyMap<SurfaceId, ReadonlySet<string>>;
  readonly replaced: readonly Artifact[];
  /** Absent where nothing was purged by us (an audit of a foreign tool). */
  readonly purge: ReadonlyMap<SurfaceId, Purged> | undefined;
  /** From when copies in caches out of reach begin to expire. */
  readonly horizonFrom: Date;
  readonly before: Evidence["before"];
  readonly identifiersUnknown: readonly { readonly surface: SurfaceId; readonly type: string }[];
  readonly unresolvedIntents: number;
  readonly claim: Evidence["claim"];
  readonly trial: Evidence["trial"];
  readonly denylist: Evidence["denylist"];
  readonly lossByPolicy: number;
  /** Suspects that a named role has reviewed, by their id. */
  readonly reviewed: ReadonlySet<string>;
  /** The request that asks, and those that run beside it: what others denied was denied earlier. */
  readonly running: ReadonlySet<RequestId>;
  /** By `replay`: the ledger has taken in already what its anchor knew, and this very target is looked at anew. */
  readonly isReplay?: boolean;
}

export interface Gathered {
  readonly evidence: Evidence;
  readonly scan: EpochScan;
  readonly census: Census;
  readonly runs: readonly SurfaceRuns[];
  readonly reingest: readonly ReingestRun[];
  readonly suspects: readonly Suspect[];
  /** Survivors outside provenance, for review as edges (VERDICT-2). */
  readonly unexplained: readonly Suspect[];
}

/** What stood before, for one inquiry; as large as the stores are many. */
export type StoodBefore = Pick<EpochInput, "baseline" | "bystanders">;

/**
 * One epoch, one census, one look of every probe and one trial of every door for all of them; what was seen is attributed to each. `openBefore`: what stood before, for each inquiry in
 * its place; it is opened for the scan, and goes with it. `isCommitted`: the epoch's roots will be asked for.
 */
export async function gatherEvidence(
  engine: Engine,
  inquiries: readonly Inquiry[],
  openBefore: () => readonly StoodBefore[],
  isCommitted: boolean,
  signal: AbortSignal,
): Promise<readonly Gathered[]> {
  const scans = await scanFor(engine, inquiries, openBefore(), isCommitted, signal);
  const [epoch] = scans;
  if (epoch === undefined) return [];
  const census = await takeCensus(engine, signal);
  const canaries = await plantCanaries(
    engine,
    epoch,
    inquiries.flatMap(({ needles }) => needles),
    new Set(inquiries.flatMap(refusingSurfaces)),
    signal,
  );
  const asked = joinNeedles(inquiries, scans, [...epoch.controls.controls, ...canaries.planted]);
  let runs: readonly SurfaceRuns[];
  let doors: Awaited<ReturnType<typeof tryDoors>> | undefined;
  const meanwhile = async (): Promise<void> => {
    // What is offered to a store may leave bytes in it, and is offered when all eyes have looked.
    if (!offersToStores(engine.surfaces)) doors = await tryDoors(engine, inquiries, signal);
  };
  try {
    runs = await lookWithProbes(engine, asked.needles, asked.groupOf, census, meanwhile, signal);
  } finally {
    await canaries.remove();
  }
  const running = new Set(inquiries.flatMap((inquiry) => [...inquiry.running]));
  const returns = await findEarlierReturns(engine, inquiries, running, signal);
  const tried = doors ?? (await tryDoors(engine, inquiries, signal));
  const lineage = lineageOfSurfaces(engine, epoch);
  const gathered: Gathered[] = [];
  for (const [place, inquiry] of inquiries.entries()) {
    const scan = withUnread(scans[place] ?? epoch, returns[place]);
    const seen = {
      scan,
      census,
      runs: runsOf(runs, asked, place),
      reingest: tried[place] ?? [],
      lineage,
      returns: returns[place],
    };
    gathered.push(await putTogether(engine, inquiry, seen, asked.needles, signal));
  }
  return gathered;
}

function scanFor(
  engine: Engine,
  inquiries: readonly Inquiry[],
  before: readonly StoodBefore[],
  isCommitted: boolean,
  signal: AbortSignal,
): Promise<readonly EpochScan[]> {
  const inputs = inquiries.map((inquiry, place): EpochInput => ({
    needles: inquiry.needles,
    owners: inquiry.owners,
    replaced: inquiry.replaced,
    isOwn: ownedBy(inquiry),
    closure: closureOf(inquiry),
    baseline: before[place]?.baseline,
    bystanders: before[place]?.bystanders,
  }));
  return scanEpoch(engine, inputs, isCommitted, signal);
}

/** What the look for what is back could not read was not seen, whoever else has read it. */
function withUnread(scan: EpochScan, returns: Returns | undefined): EpochScan {
  const missed = [...(returns?.surfaces ?? [])].flatMap(([surface, { unread }]) =>
    unread === undefined || scan.unread.has(surface) ? [] : [[surface, unread] as const],
  );
  return missed.length === 0 ? scan : { ...scan, unread: new Map([...scan.unread, ...missed]) };
}

/** Where an erase was refused. */
function refusingSurfaces({ items }: Inquiry): readonly SurfaceId[] {
  return items.flatMap(({ ref, outcome }) => (outcome === "failed" ? [ref.surface] : []));
}

function ownedBy({ identifiers }: Inquiry): (tag: SubjectIdentifier) => boolean {
  return ({ type, value }) => identifiers.some((own) => own.type === type && own.value === value);
}

function closureOf({ items }: Inquiry): ReadonlySet<string> {
  return new Set(items.map(({ ref }) => artifactId(ref)));
}

/** The doors of those whose entries our guard holds are tried in one pass; of a foreign tool only its own trial counts. */
async function tryDoors(
  engine: Engine,
  inquiries: readonly Inquiry[],
  signal: AbortSignal,
): Promise<readonly (readonly ReingestRun[])[]> {
  const isGuarded = ({ claim, denylist }: Inquiry): boolean =>
    claim === "none" || (denylist !== "unknown" && denylist.entries > 0);
  const guarded = inquiries.filter(isGuarded);
  engine.report({ step: "trial", phase: "started" });
  const offered = guarded.length === 0 ? [] : await offerAgain(engine, guarded, signal);
  engine.report({ step: "trial", phase: "finished" });
  return inquiries.map((inquiry) => offered[guarded.indexOf(inquiry)] ?? foreignDoors(engine, inquiry.trial));
}

interface Seen extends Pick<Gathered, "scan" | "census" | "runs" | "reingest"> {
  readonly lineage: SurfaceLineage;
  readonly returns: Returns | undefined;
}

async function putTogether(
  engine: Engine,
  inquiry: Inquiry,
  { scan, census, runs, reingest, lineage, returns }: Seen,
  needles: readonly Needle[],
  signal: AbortSignal,
): Promise<Gathered> {
  const leftovers = findLeftovers(engine, inquiry, scan, ownedBy(inquiry));
  const graded = gradeFindings(engine, runs, needles, scan, leftovers);
  const earlier = gradeReturns(engine, returns, leftovers.reached, inquiry.reviewed);
  const found = [...graded.suspects, ...gradeCopies(engine, scan.copies, [...graded.survivors, ...graded.back])];
  const suspects = await bindToContent(engine, found, signal);
  const likenesses = suspects.filter(({ id }) => !inquiry.reviewed.has(id));
  const open = [...likenesses, ...earlier.suspects];
  const overDeleted = countOverDeleted(engine, inquiry, scan);
  const lost = Math.max(0, scan.bystanders.checked - scan.bystanders.intact) + overDeleted + inquiry.lostBefore;

  const anchored = ledgerEvidence(engine.ledger.anchorState());
  const surfaces: SurfaceEvidence[] = engine.surfaces.map((bound) =>
    surfaceEvidence(bound, {
      inquiry,
      isWatched: isWatched(engine, bound.declaration.id),
      scan,
      lineage,
      probes: probesOf(runs, reingest, bound.declaration.id),
      reingest: reingest.find(({ surface }) => surface === bound.declaration.id)?.outcome ?? "not-run",
    }),
  );
  const evidence: Evidence = {
    at: engine.clock(),
    target: inquiry.target,
    before: inquiry.before,
    claim: inquiry.claim,
    trial: inquiry.trial,
    surfaces,
    back: joinMentions([...leftovers.back, ...graded.back, ...earlier.back]),
    primaryHolds: leftovers.primaryHolds,
    survivors: mergeSurvivors([...leftovers.survivors, ...earlier.survivors], graded.survivors),
    suspects: {
      open: open.length,
      reviewed: suspects.length - likenesses.length + earlier.reviewed,
    },
    denylist: inquiry.denylist,
    census: {
      undeclared: [
        ...strays(engine, census, graded),
        ...unlistedStores(engine, census, scan.unread).map((store) => ({ container: store, hits: 0 })),
        ...[...leftovers.undeclared].map(([container, hits]) => ({ container, hits })),
      ],
      shared: census.shared.map(({ container, surfaces }) => ({ container, surfaces })),
    },
    intents: { unresolved: inquiry.unresolvedIntents },
    identifiersUnknown: groupTypes(inquiry.identifiersUnknown),
    ledger: inquiry.isReplay === true && anchored === "rolled-back" ? "sound" : anchored,
    bystanders: {
      checked: scan.bystanders.checked + overDeleted + inquiry.lostBefore,
      intact: scan.bystanders.intact,
      lost: lost + inquiry.lossByPolicy,
      lostByPolicy: inquiry.lossByPolicy,
    },
    kept: keptArtifacts(engine, inquiry.items),
    beyondBoundary: [],
    waiting: [],
  };
  const unexplained = [...graded.unexplained, ...earlier.unexplained];
  return { evidence, scan, census, runs, reingest, suspects: open, unexplained };
}

/** Containers that nobody declared, and of quiet and exempt ones those that a probe hit or could not look into. */
function strays(
  { ledger }: Engine,
  { report }: Census,
  { strayHits, straysUnread }: Graded,
): readonly UndeclaredContainer[] {
  const names = new Set([...report.undeclared.map(({ name }) => name), ...strayHits.keys(), ...straysUnread]);
  const files = new Map(
    report.containers.flatMap(({ store, container }) => (container.kind === "file" ? [[container.name, store]] : [])),
  );
  return [...names].map((container): UndeclaredContainer => {
    const store = files.get(container);
    return {
      container,
      hits: strayHits.get(container) ?? 0,
      ...(straysUnread.has(container) ? { isUnread: true as const } : {}),
      // The ledger's key is needed to tell a name by it.
      ...(store === undefined
        ? {}
        : { signedAs: `${store}.#${toHex(ledger.keyedDigest("container", container).subarray(0, 8))}` }),
    };
  });
}

/** One mention a place. */
function joinMentions(mentions: readonly ArtifactMention[]): readonly ArtifactMention[] {
  return [...new Map(mentions.map((one) => [JSON.stringify([one.surface, one.key]), one])).values()];
}

/** Artifacts that others have a part in and that should have stayed without this person's part, but are gone (C07). */
function countOverDeleted(engine: Engine, { items, taken }: Inquiry, scan: EpochScan): number {
  return items.filter(
    ({ ref, action, outcome }) =>
      action === "rewrite" &&
      outcome !== "absent" &&
      engine.bound(ref.surface).declaration.role !== "index" &&
      !scan.unread.has(ref.surface) &&
      !scan.rows.has(ref) &&
      taken.get(ref.surface)?.has(artifactDigester(engine.ledger).idOf(ref)) !== true,
  ).length;
}

function probesOf(
  runs: readonly SurfaceRuns[],
  reingest: readonly ReingestRun[],
  surface: SurfaceId,
): readonly ProbeEvidence[] {
  const looked = runs.filter((run) => run.surface === surface).map(({ evidence }) => evidence);
  const offered = reingest
    .filter((run) => run.surface === surface && run.outcome !== "no-path")
    .map(({ outcome, controlsTaken, controlsFound }): ProbeEvidence => ({
      name: "re-ingest",
      depth: "api",
      status: outcome === "not-run" ? "not-run" : "ran",
      controls: { taken: controlsTaken, found: controlsFound },
    }));
  return [...looked, ...offered];
}

/** One survivor a place; what a probe saw stands before what only the scan saw. */
function mergeSurvivors(scanned: readonly Survivor[], probed: readonly Survivor[]): readonly Survivor[] {
  const byPlace = new Map<string, Survivor>();
  for (const survivor of [...probed, ...scanned]) {
    // The scan names the surface, a probe the table behind it: the same artifact is one survivor.
    const { container, surface, key, isName } = survivor;
    const place = JSON.stringify(surface === undefined || key === undefined ? [container, isName] : [surface, key]);
    const known = byPlace.get(place);
    if (known === undefined) byPlace.set(place, survivor);
    else if (known.provenance !== "reached" && survivor.provenance === "reached") {
      byPlace.set(place, { ...known, provenance: "reached" });
    }
  }
  return [...byPlace.values()];
}

function groupTypes(
  unknown: readonly { readonly surface: SurfaceId; readonly type: string }[],
): readonly { readonly surface: string; readonly types: readonly string[] }[] {
  const bySurface = new Map<string, string[]>();
  for (const { surface, type } of unknown) bySurface.set(surface, [...(bySurface.get(surface) ?? []), type].toSorted());
  return [...bySurface].map(([surface, types]) => ({ surface, types }));
}

function keptArtifacts(engine: Engine, items: readonly RequestItem[]): readonly KeptArtifact[] {
  const holds = new Map(engine.ledger.holds().map((hold) => [artifactId(hold.ref), hold]));
  const groundOf = (ref: ArtifactRef): { readonly ground: string; readonly until: string } | undefined =>
    holds.get(artifactId(ref)) ?? engine.bound(ref.surface).declaration.keep;
  return items.flatMap(({ ref, action }): readonly KeptArtifact[] => {
    if (action !== "keep") return [];
    // A full-text entry is kept under the ground of its record.
    const sources = engine.ledger.sourcesOf(ref).flatMap(({ ref: source }) => (source === undefined ? [] : [source]));
    const [ground] = [ref, ...sources].flatMap((one) => groundOf(one) ?? []);
    if (ground === undefined) return [];
    return [{ surface: ref.surface, key: ref.key, ground: ground.ground, until: new Date(ground.until) }];
  });
}
