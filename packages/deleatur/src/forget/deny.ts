// Writes the denylist entries of a request, before the first delete (GUARD-1): identifiers, records, content.
import type { KeptNeedle } from "../examine/kept-needles.ts";
import type { Engine } from "../engine.ts";
import type { DenylistOrder, GramOfRuns, Ledger } from "../ledger/ledger.ts";
import type { RequestId, SubjectIdentifier } from "../model/ids.ts";
import { contentDigests, contentTag, recordDigest } from "../record/guard.ts";
import { discardHeldOf } from "../record/hold-write.ts";
import { identifierSet } from "./plan.ts";
import type { Replacement } from "./prepare-rewrites.ts";
import type { Survey } from "./survey.ts";

/** Runs of one request that are kept out inside larger texts, about as many words as eight novels have: one person must not block everybody (GUARD-2). */
const MAX_RUNS = 1_000_000;

/** Adds the entries; the same again adds none. Answers how many entries the request has. */
export function denyReturn(
  engine: Engine,
  request: RequestId,
  identifiers: readonly SubjectIdentifier[],
  needles: readonly KeptNeedle[],
  survey: Survey,
): number {
  const { ledger } = engine;
  const owners = identifiers.map((identifier) => ledger.identifierDigest(identifier));
  const orders: DenylistOrder[] = owners.map((digest) => ({ kind: "identifier", digest, shared: false, owners }));
  for (const { ref, fate, content } of needles) {
    if (fate === "kept") continue;
    // A reusable key may lawfully be given again (C22), a rewritten record keeps its key: neither is kept out by key.
    if (fate === "erased" && engine.bound(ref.surface).declaration.keys === "unique") {
      orders.push({ kind: "record", digest: recordDigest(ledger, ref), shared: false, owners });
    }
    for (const { kind, digest, distinctive } of contentDigests(ledger, content)) {
      const shared = !distinctive || survey.shared.has(Buffer.from(digest).toString("hex"));
      orders.push({ kind, digest, shared, owners });
    }
  }
  ledger.transaction(() => {
    discardHeldOf(engine, identifierSet(identifiers));
    ledger.addDenylist(request, orders);
    ledger.noteErased(
      request,
      needles.flatMap(({ ref, fate, content }) => {
        if (fate === "kept") return [];
        const tag = contentTag(ledger, content);
        // A shared record that stays whole was read without its content: it is not erased, and may come again.
        if (fate === "rewritten" && tag === undefined) return [];
        return [{ ref, fate, ...(tag === undefined ? {} : { tag }) }];
      }),
    );
    ledger.putFingerprints([{ request, owners, grams: gramsOf(ledger, needles, survey.sharedRuns) }]);
  });
  ledger.settleFilter();
  return ledger.denylistCount(request);
}

/** The runs of all that is erased or rewritten, each once, without those that others have too. */
function* gramsOf(
  ledger: Ledger,
  needles: readonly KeptNeedle[],
  sharedRuns: ReadonlySet<number>,
): Generator<GramOfRuns> {
  const seen = new Set<number>();
  const isLeftOut = (run: number): boolean => {
    if (seen.size >= MAX_RUNS || sharedRuns.has(run) || seen.has(run)) return true;
    seen.add(run);
    return false;
  };
  for (const { fate, content } of needles) {
    if (fate === "kept") continue;
    for (const field of content)
      if (field.type === "text") yield* ledger.runGrams(ledger.hashWords(field.text), { isLeftOut });
  }
}

/** What replaces a shared text is others': its words may come again. */
export function allowReplaced(engine: Engine, request: RequestId, replacements: Iterable<Replacement>): void {
  const { ledger } = engine;
  for (const replacement of replacements) {
    if (replacement.outcome !== "ready") continue;
    for (const field of replacement.artifact.content)
      if (field.type === "text") ledger.dropRuns(ledger.runGrams(ledger.hashWords(field.text)), request);
  }
}
