// The re-ingestion probe: offers erased content, as a dry run, to every guarded insert path, and a canary that must get in (DESIGN §6).
import { toHex } from "@deleatur/verify";
import type { Evidence, ReingestOutcome } from "../attest/evidence.ts";
import type { Engine } from "../engine.ts";
import { openLedger } from "../ledger/open-ledger.ts";
import type { DenylistEntry, Ledger } from "../ledger/ledger.ts";
import type { Artifact } from "../model/artifact.ts";
import type { SurfaceDeclaration, SurfaceRole } from "../model/declaration.ts";
import { artifactKey, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";
import { type ContentDigest, contentDigests, guardWrite } from "../record/guard.ts";
import type { Guarantees } from "../surface.ts";
import { canaryText } from "./canary.ts";
import type { KeptNeedle } from "./kept-needles.ts";

export interface ReingestRun {
  readonly surface: SurfaceId;
  readonly outcome: ReingestOutcome;
  readonly controlsTaken: number;
  readonly controlsFound: number;
}

/** What one request offers. */
export interface OfferedAgain {
  readonly needles: readonly KeptNeedle[];
  readonly identifiers: readonly SubjectIdentifier[];
}

/** Whether something is offered to a store itself, and not to our guard alone. */
export function offersToStores(
  surfaces: readonly {
    readonly declaration: Pick<SurfaceDeclaration, "writers" | "role">;
    readonly guarantees: Pick<Guarantees, "scan">;
  }[],
): boolean {
  return surfaces.some(
    ({ declaration: { writers, role }, guarantees }) => writers === "trigger" && hasInsertPath({ role, guarantees }),
  );
}

/**
 * Offers through a ledger connection of its own, at every door what each of the requests erased; answers the runs of each.
 * `writers: foreign` has no door of ours to try.
 */
export async function offerAgain(
  engine: Engine,
  offers: readonly OfferedAgain[],
  signal: AbortSignal,
): Promise<readonly (readonly ReingestRun[])[]> {
  const opened = openLedger({
    file: engine.ledger.file,
    keys: engine.ledger.keys,
    clock: engine.clock,
    random: engine.random,
    boundaryId: engine.boundary.id,
    readonly: true,
  });
  const ledger = askingOnce(opened);
  try {
    const runs = offers.map((): ReingestRun[] => []);
    for (const { declaration, guarantees } of engine.surfaces) {
      const { id: surface, writers, role } = declaration;
      if (!hasInsertPath({ role, guarantees }) || writers === "foreign") {
        const outcome = hasInsertPath({ role, guarantees }) ? "not-run" : "no-path";
        for (const own of runs) own.push({ surface, outcome, controlsTaken: 0, controlsFound: 0 });
        continue;
      }
      const door: Door = writers === "sdk" ? sdkDoor(ledger) : await storeDoor(engine, surface);
      for (const [place, { needles, identifiers }] of offers.entries()) {
        const own = needles.filter(({ ref, fate }) => ref.surface === surface && fate !== "kept");
        const run = await tryDoor(engine, ledger, surface, own, identifiers, door, signal);
        runs[place]?.push({ surface, ...run });
      }
      if (writers === "trigger") await (await engine.open(surface)).purge(signal);
    }
    return runs;
  } finally {
    opened.close();
  }
}

/** Entries that are remembered: an artifact is offered in several names, and persons with all of their artifacts. */
const MOST_KNOWN = 1_000;

/** The same ledger, whose denylist is read once for offers that follow each other: nobody lifts an entry for the sake of a trial. */
function askingOnce(ledger: Ledger): Ledger {
  const known = new Map<string, readonly DenylistEntry[]>();
  return {
    ...ledger,
    findDenylist(kind, digest) {
      const id = `${kind} ${toHex(digest)}`;
      let entries = known.get(id);
      if (entries === undefined) {
        if (known.size === MOST_KNOWN) known.clear();
        entries = ledger.findDenylist(kind, digest);
        known.set(id, entries);
      }
      return entries;
    },
  };
}

/**
 * For the audit of a foreign tool of which our guard holds nothing: our doors would let everything in and show nothing about the tool's own.
 * What a trial of its insert path showed, in a copy and with a control of its own, stands for every path.
 */
export function foreignDoors(engine: Engine, trial: Evidence["trial"]): readonly ReingestRun[] {
  const isTried = trial === "refused" || trial === "held";
  return engine.surfaces.map(({ declaration: { id: surface, role }, guarantees }) => {
    if (!hasInsertPath({ role, guarantees }))
      return { surface, outcome: "no-path", controlsTaken: 0, controlsFound: 0 };
    const controls = isTried ? 1 : 0;
    return { surface, outcome: isTried ? trial : "not-run", controlsTaken: controls, controlsFound: controls };
  });
}

/** A backup and a provider's cache are written through nothing of ours. */
function hasInsertPath({
  role,
  guarantees,
}: {
  readonly role: SurfaceRole;
  readonly guarantees: Pick<Guarantees, "scan">;
}): boolean {
  return guarantees.scan !== "none" && role !== "backup";
}

type Door = (
  artifact: Artifact,
  signal: AbortSignal,
  digests: readonly ContentDigest[],
) => Promise<"refused" | "held" | "accepted" | "no-path" | "failed">;

async function tryDoor(
  engine: Engine,
  ledger: Ledger,
  surface: SurfaceId,
  needles: readonly KeptNeedle[],
  identifiers: readonly SubjectIdentifier[],
  door: Door,
  signal: AbortSignal,
): Promise<Omit<ReingestRun, "surface">> {
  const type = engine.boundary.identifiers[0] ?? "canary";
  const canary: SubjectIdentifier = { type, value: `deleatur-canary-${toHex(engine.random(8))}` };
  // Random once and counted on: nobody has such a key, and no two offers have the same.
  const prefix = `deleatur-probe-${toHex(engine.random(8))}`;
  let offers = 0;
  const newKey = (): Artifact["key"] => artifactKey(`${prefix}-${(offers += 1)}`);
  const control: Artifact = {
    surface,
    key: newKey(),
    subjects: [canary],
    sources: [],
    content: [{ type: "text", name: "text", text: canaryText(engine.random) }],
  };
  const controlAnswer = await door(control, signal, contentDigests(ledger, control.content));
  if (controlAnswer === "no-path") return { outcome: "no-path", controlsTaken: 0, controlsFound: 0 };
  const controlsFound = controlAnswer === "accepted" ? 1 : 0;
  let outcome: "refused" | "held" = "refused";
  for (const { content, ref } of needles) {
    signal.throwIfAborted();
    const digests = contentDigests(ledger, content);
    const isShared = digests.every(({ kind, digest }) =>
      ledger.findDenylist(kind, digest).every(({ shared }) => shared),
    );
    // Shared content passes for another known person, by rule (GUARD-2); for this person and for nobody named it must not.
    const whom = [identifiers, [], ...(isShared ? [] : [[canary]])];
    for (const subjects of whom) {
      // Without a word in it there is nothing to keep out but what names the person.
      if (digests.length === 0 && subjects !== identifiers) continue;
      if (subjects === identifiers && identifiers.length === 0) continue;
      const offered: Artifact = { surface: ref.surface, key: newKey(), subjects, sources: [], content };
      const answer = await door(offered, signal, digests);
      if (answer === "accepted") return { outcome: "accepted", controlsTaken: 1, controlsFound };
      // A held write is a shut door too; the weaker answer stands for all.
      if (answer === "held") outcome = "held";
      if (answer === "failed") return { outcome: "not-run", controlsTaken: 1, controlsFound };
    }
  }
  return { outcome, controlsTaken: 1, controlsFound };
}

function sdkDoor(ledger: Ledger): Door {
  const outcomes = { pass: "accepted", refuse: "refused", hold: "held" } as const;
  return ({ surface, key, subjects, content }, _signal, digests) => {
    // Digested by the trial's own ledger once, not for each of those in whose name it is offered.
    const { answer } = guardWrite(ledger, { ref: { surface, key }, subjects, content }, () => digests);
    return Promise.resolve(outcomes[answer]);
  };
}

async function storeDoor(engine: Engine, id: SurfaceId): Promise<Door> {
  const surface = await engine.open(id);
  return async (artifact, signal) => {
    const { outcome } = await surface.offer(artifact, signal);
    return outcome === "no-insert-path" ? "no-path" : outcome;
  };
}
