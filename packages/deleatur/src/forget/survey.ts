// Surveys all that is outside the closure before anything is erased: the baseline of bystanders, and which content others also have.
import { openBaseline } from "../examine/baseline.ts";
import type { KeptNeedle } from "../examine/kept-needles.ts";
import { hasOwnProvenance } from "../examine/own-provenance.ts";
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ContentField } from "../model/artifact.ts";
import { artifactId, type RequestId, type SurfaceId } from "../model/ids.ts";
import { contentDigests } from "../record/guard.ts";
import { normaliseWords } from "../probe/normalise-words.ts";
import { scanAll } from "../record/harvest.ts";
import { identifierSet, type Plan } from "./plan.ts";

const BASELINE = "baseline";
const BYSTANDERS = "bystanders";

export interface Survey {
  /** Hex digests (as the guard's) of closure content that another person's record also has. */
  readonly shared: ReadonlySet<string>;
  /** Runs of words (as `runValues`) that others also have: they are nobody's own and never an entry. */
  readonly sharedRuns: ReadonlySet<number>;
}

/**
 * Scans once. The baseline of the first round stands for the whole request; what a later round draws into the closure leaves it. Bystanders are
 * taken anew each round: what their own application changed between two rounds is no loss of ours.
 */
export async function surveySurvivors(
  engine: Engine,
  request: RequestId,
  plan: Plan,
  needles: readonly KeptNeedle[],
  signal: AbortSignal,
): Promise<Survey> {
  const { ledger } = engine;
  const sealed = ledger.getSealed(request, BASELINE);
  const baseline = openBaseline(ledger, sealed);
  for (const { ref } of plan.items) baseline.remove(ref);
  // Those of a surface that the last round could not read are still owed a look.
  const owed = openBaseline(ledger, ledger.getSealed(request, BYSTANDERS));
  const bystanders = openBaseline(ledger);
  for (const surface of owed.entries.keys()) bystanders.replace(surface, owed);
  const inClosure = new Set(plan.items.map(({ ref }) => artifactId(ref)));
  const wanted = new Set(
    needles.flatMap(({ content }) => contentDigests(ledger, content).map(({ digest }) => hex(digest))),
  );
  const wantedRuns = new Set<number>();
  for (const { content, fate } of needles)
    if (fate !== "kept") for (const run of runsOf(ledger, content)) wantedRuns.add(run);
  const isOwn = identifierSet(plan.identifiers);
  const shared = new Set<string>();
  const sharedRuns = new Set<number>();
  await scanAll(
    engine,
    "survey",
    (artifact) => {
      if (inClosure.has(artifactId(artifact))) return;
      if (sealed === undefined) baseline.add(artifact);
      if (!owed.entries.has(artifact.surface)) bystanders.add(artifact);
      const isTheirs = hasOwnProvenance(engine.bound(artifact.surface).declaration.role, artifact.subjects, isOwn);
      // A text that was made from others' only: its frame and its words are not the person's, and a leftover is for the probes to find.
      if (wantedRuns.size > 0 && (isTheirs || artifact.sources.length > 0))
        for (const run of runsOf(ledger, artifact.content)) if (wantedRuns.has(run)) sharedRuns.add(run);
      if (!isTheirs) return;
      for (const { digest } of contentDigests(ledger, artifact.content))
        if (wanted.has(hex(digest))) shared.add(hex(digest));
    },
    signal,
  );
  ledger.putSealed(request, BASELINE, baseline.bytes());
  ledger.putSealed(request, BYSTANDERS, bystanders.bytes());
  return { shared, sharedRuns };
}

/** After a round: what was looked at is settled, what could not be read is owed to the next. */
export function settleBystanders({ ledger }: Engine, request: RequestId, unread: ReadonlyMap<SurfaceId, string>): void {
  const bystanders = openBaseline(ledger, ledger.getSealed(request, BYSTANDERS));
  for (const surface of bystanders.entries.keys()) if (!unread.has(surface)) bystanders.replace(surface);
  ledger.putSealed(request, BYSTANDERS, bystanders.bytes());
}

function* runsOf(ledger: Ledger, content: readonly ContentField[]): Generator<number> {
  for (const field of content) if (field.type === "text") yield* ledger.runValues(normaliseWords(field.text));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
