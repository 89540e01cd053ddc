// Turns the probes' findings into survivors, suspects, what is back, and hits in containers that nobody declared.
import { createHash } from "node:crypto";
import type { ArtifactMention, Survivor } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import { artifactId, type ArtifactRef, type SurfaceId } from "../model/ids.ts";
import type { Finding, Needle } from "../model/needle.ts";
import { classifyFindings } from "../probe/classify-findings.ts";
import type { Copy } from "./find-copies.ts";
import type { Leftovers } from "./find-leftovers.ts";
import type { ReturnRule } from "./find-returns.ts";
import { isFirstHand } from "./own-provenance.ts";
import type { SurfaceRuns } from "./look-with-probes.ts";
import type { EpochScan } from "./scan-epoch.ts";

/** A likeness that a person must review. The key is for the operator's terminal only. */
export interface Suspect {
  /** Random to whoever has no key: a keyed digest of place and needle, and of what stands there. */
  readonly id: string;
  /** Keyed digest, as hex, of all that the record says, empty where it says nothing: a decision holds as long as it says this. Absent where it lies in no record. */
  readonly tag?: string;
  readonly surface?: string;
  readonly key?: string;
  readonly container: string;
  /** Absent where an earlier request erased what it is like: of that only digests are left. */
  readonly likeTo?: { readonly surface: string; readonly key: string };
  /** By what it is known to be what an earlier request erased. */
  readonly returned?: ReturnRule;
  readonly probe: Finding["probe"];
  /** What a file or folder is called, where that is the likeness. */
  readonly name?: string;
  readonly words?: number;
  readonly distance?: number;
  /** More than a likeness: a survivor that no derivation leads to. It can be confirmed and erased, not kept (VERDICT-2). */
  readonly isSurvivor?: true;
}

export interface Graded {
  readonly survivors: readonly Survivor[];
  readonly back: readonly ArtifactMention[];
  readonly suspects: readonly Suspect[];
  /** Survivors outside provenance, as edges that an operator may confirm. */
  readonly unexplained: readonly Suspect[];
  /** Hits by undeclared, quiet or exempt container. */
  readonly strayHits: ReadonlyMap<string, number>;
  /** Such containers that could not be looked into to the end. */
  readonly straysUnread: ReadonlySet<string>;
}

export function gradeFindings(
  engine: Engine,
  runs: readonly SurfaceRuns[],
  needles: readonly Needle[],
  scan: EpochScan,
  leftovers: Leftovers,
): Graded {
  const survivors = new Map<string, Survivor>();
  const back = new Map<string, ArtifactMention>();
  const suspects = new Map<string, Suspect>();
  const unexplained = new Map<string, Suspect>();
  const strayHits = new Map<string, number>();
  const straysUnread = new Set<string>();
  // A store may give a canary the number of an erased row: under that key stands nobody.
  const controls = new Set(needles.flatMap(({ fate, ref }) => (fate === "control" ? [artifactId(ref)] : [])));
  const isControl = ({ match, place: { surface, key } }: Finding): boolean =>
    match.how === "key" && surface !== undefined && key !== undefined && controls.has(artifactId({ surface, key }));
  // A look that serves several surfaces is graded once.
  for (const { run, container, surface } of new Map(runs.map((one) => [one.run, one])).values()) {
    const graded = classifyFindings(run.findings, needles);
    if (container !== undefined) {
      const hits = graded.survivors.length + graded.suspects.length;
      if (run.brokeOff === true) straysUnread.add(container);
      if (hits > 0) strayHits.set(container, (strayHits.get(container) ?? 0) + hits);
      continue;
    }
    for (const finding of graded.survivors) {
      const needle = needles[finding.needle];
      if (needle === undefined || isLawfulReuse(finding, scan, leftovers)) continue;
      if (isControl(finding)) continue;
      if (isPhraseOfDerived(engine, finding, needle, scan, leftovers)) {
        const suspect = toSuspect(engine, finding, needle);
        suspects.set(suspect.id, suspect);
        continue;
      }
      const survivor = toSurvivor(engine, finding, needle, surface, leftovers);
      const place = JSON.stringify([survivor.container, survivor.surface, survivor.key, finding.place.file]);
      if (isBack(engine, finding, scan, leftovers)) back.set(place, { ...survivor });
      else if (!survivors.has(place)) survivors.set(place, survivor);
      if (survivor.provenance === "outside" && survivor.key !== undefined && !unexplained.has(place)) {
        unexplained.set(place, { ...toSuspect(engine, finding, needle), isSurvivor: true });
      }
    }
    for (const finding of graded.suspects) {
      const needle = needles[finding.needle];
      if (needle === undefined) continue;
      const suspect = toSuspect(engine, finding, needle);
      suspects.set(suspect.id, suspect);
    }
  }
  return {
    survivors: [...survivors.values()],
    back: [...back.values()],
    suspects: [...suspects.values()],
    unexplained: [...unexplained.values()],
    strayHits,
    straysUnread,
  };
}

/** A key that the store has lawfully given to another row says nothing; its content is looked for by the other probes. */
function isLawfulReuse({ match, place }: Finding, scan: EpochScan, leftovers: Leftovers): boolean {
  if (match.how !== "key" || place.surface === undefined || place.key === undefined) return false;
  return scan.rows.has({ surface: place.surface, key: place.key }) && !isLeftover(leftovers, place.surface, place.key);
}

/**
 * Words that one derived text of the closure shares with another derived text, which was there before the erase and whose lineage ends in
 * records of first hand outside the closure: a turn of phrase of whoever writes such texts, or a lineage that lies. A person decides. Words
 * of a record of first hand are a finding against that record, and stay a survivor.
 */
function isPhraseOfDerived(
  engine: Engine,
  { match, place: { surface, key } }: Finding,
  needle: Needle,
  scan: EpochScan,
  leftovers: Leftovers,
): boolean {
  if (match.how !== "run" || surface === undefined || key === undefined) return false;
  if (isFirstHand(engine.bound(needle.ref.surface).declaration.role)) return false;
  const isGrounded = (ref: ArtifactRef, onTheWay: ReadonlySet<string>): boolean => {
    const id = artifactId(ref);
    const row = scan.rows.get(ref);
    if (row === undefined || leftovers.reached.has(id) || onTheWay.has(id)) return false;
    if (isFirstHand(engine.bound(ref.surface).declaration.role)) return true;
    const way = new Set([...onTheWay, id]);
    return row.sources.length > 0 && row.sources.every((source) => isGrounded(source, way));
  };
  const ref: ArtifactRef = { surface, key };
  return (
    !isFirstHand(engine.bound(surface).declaration.role) &&
    scan.beforeOf(artifactId(ref)) === "unchanged" &&
    isGrounded(ref, new Set())
  );
}

function isLeftover(leftovers: Leftovers, surface: string, key: string): boolean {
  const all = [...leftovers.back, ...leftovers.primaryHolds, ...leftovers.survivors];
  return all.some((mention) => mention.surface === surface && mention.key === key);
}

/** Whole content of the closure, in a primary surface, under a key that is new since the baseline: it came back (DESIGN §7). */
function isBack(engine: Engine, { match, place }: Finding, scan: EpochScan, leftovers: Leftovers): boolean {
  if (match.how !== "exact" || place.surface === undefined || place.key === undefined) return false;
  if (engine.bound(place.surface).declaration.role !== "primary") return false;
  const ref: ArtifactRef = { surface: place.surface, key: place.key };
  const id = artifactId(ref);
  const before = scan.beforeOf(id);
  return scan.rows.has(ref) && before !== "unchanged" && before !== "changed" && !leftovers.reached.has(id);
}

function toSurvivor(
  engine: Engine,
  finding: Finding,
  needle: Needle,
  looker: SurfaceId | undefined,
  leftovers: Leftovers,
): Survivor {
  const { place, probe, depth, match } = finding;
  // Bytes in a file stand in no row: they count against the needle's own surface, or the one whose store was read.
  const surface = place.surface ?? sameStore(engine, needle.ref.surface, looker);
  const isReached =
    place.key === undefined ||
    leftovers.reached.has(artifactId({ surface: surface ?? needle.ref.surface, key: place.key }));
  return {
    container: place.container,
    ...(surface === undefined ? {} : { surface }),
    ...(place.key === undefined ? {} : { key: place.key }),
    probe,
    depth,
    ...(match.how === "name" ? { isName: true as const } : {}),
    provenance: isReached ? "reached" : "outside",
    contentKeyed: place.key !== undefined && isContentKeyed(place.key, needle),
  };
}

function sameStore(engine: Engine, own: SurfaceId, looker: SurfaceId | undefined): SurfaceId | undefined {
  if (looker === undefined) return own;
  const isSame = engine.bound(own).declaration.store === engine.bound(looker).declaration.store;
  return isSame ? own : looker;
}

/** Keyed by the digest of its own content: identical text would find it again (REPLAY-2). */
function isContentKeyed(key: string, needle: Needle): boolean {
  const lower = key.toLowerCase();
  return needle.content.some((field) => {
    if (field.type === "vector") return false;
    const bytes = field.type === "text" ? Buffer.from(field.text, "utf8") : field.bytes;
    return ["sha256", "sha1", "md5"].some((algorithm) => {
      const digest = createHash(algorithm).update(bytes).digest();
      return lower.includes(digest.toString("hex")) || key.includes(digest.toString("base64url"));
    });
  });
}

/** Exact copies under the same person's name are for a person to decide, but where a probe has found more in the same place. */
export function gradeCopies(
  engine: Engine,
  copies: readonly Copy[],
  found: readonly ArtifactMention[],
): readonly Suspect[] {
  const known = new Set(found.map(({ surface, key }) => JSON.stringify([surface, key])));
  return copies.flatMap(({ ref: { surface, key }, likeTo }): readonly Suspect[] =>
    known.has(JSON.stringify([surface, key]))
      ? []
      : [
          {
            id: suspectId(engine, { container: surface, surface, key }, likeTo, undefined),
            surface,
            key,
            container: surface,
            likeTo,
            probe: "exact",
          },
        ],
  );
}

function suspectId(
  { ledger }: Engine,
  { container, surface, key }: Finding["place"],
  likeTo: ArtifactRef,
  name: string | undefined,
): string {
  const place = [container, surface ?? "", key ?? ""];
  const digest = ledger.keyedDigest(
    "suspect",
    ...place,
    likeTo.surface,
    likeTo.key,
    ...(name === undefined ? [] : [name]),
  );
  return Buffer.from(digest.subarray(0, 8)).toString("hex");
}

function toSuspect(engine: Engine, { place, probe, match }: Finding, needle: Needle): Suspect {
  const name = match.how === "name" ? place.file : undefined;
  return {
    id: suspectId(engine, place, needle.ref, name),
    ...(place.surface === undefined ? {} : { surface: place.surface }),
    ...(place.key === undefined ? {} : { key: place.key }),
    container: place.container,
    likeTo: needle.ref,
    probe,
    ...(name === undefined ? {} : { name }),
    ...(match.how === "run" ? { words: match.words } : {}),
    ...(match.how === "vector" ? { distance: match.distance } : {}),
  };
}
