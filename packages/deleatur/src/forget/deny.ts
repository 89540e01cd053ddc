// Writes the denylist entries of the requests of a run, before the first delete (GUARD-1): identifiers, records, content.
import type { KeptNeedle } from "../examine/kept-needles.ts";
import type { Engine } from "../engine.ts";
import type { DenylistOrder, GramOfRuns, Ledger } from "../ledger/ledger.ts";
import type { RequestId, SubjectIdentifier } from "../model/ids.ts";
import { roundedCount } from "../audit/rounded-count.ts";
import { utcTime } from "../model/utc-time.ts";
import { contentDigests, contentTag, readAsText, recordDigest } from "../record/guard.ts";
import type { Replacement } from "./prepare-rewrites.ts";
import type { Survey } from "./survey.ts";
import type { Target } from "./target.ts";

export interface Denied {
  /** How many entries the request has. */
  readonly entries: number;
  /** Texts that are guarded as a whole and not, or not wholly, inside larger ones, because the request had too many runs. */
  readonly textsCutOff: number;
}

export interface DenyOrder {
  readonly request: RequestId;
  readonly target: Target;
  /** Given and mapped identifiers; none for records. */
  readonly identifiers: readonly SubjectIdentifier[];
  readonly needles: readonly KeptNeedle[];
  readonly survey: Survey;
}

/** Adds the entries of each, in one transaction: their keys fall anywhere, and each request by itself would write the same pages again. The same again adds none. */
export function denyReturns(engine: Engine, orders: readonly DenyOrder[]): ReadonlyMap<RequestId, Denied> {
  const { ledger } = engine;
  const filed = orders.map((order) => {
    const owners = order.identifiers.map((identifier) => ledger.identifierDigest(identifier));
    return { ...order, owners, runs: openRuns(ledger, order.survey.sharedRuns, engine.maxRuns) };
  });
  ledger.transaction(() => {
    for (const { request, target, owners, needles, survey } of filed) {
      ledger.addDenylist(request, entriesOf(engine, owners, needles, survey));
      ledger.noteErased(request, erasedOf(ledger, needles));
      if (target.kind === "records") ledger.noteRecordOwners(request, target.refs);
      // Given anew in each round: what is filed later stands as long.
      if (engine.boundary.guardSeconds !== undefined) ledger.giveTerm(request, engine.boundary.guardSeconds);
    }
    ledger.putFingerprints(
      filed.map(({ request, owners, needles, runs }) => ({ request, owners, grams: runs.of(needles) })),
    );
    for (const { request, runs } of filed) {
      const count = roundedCount(runs.textsCutOff());
      if (runs.textsCutOff() > 0)
        ledger.append({ type: "entries-limited", at: utcTime(engine.clock()), request, count });
    }
  });
  ledger.settleFilter();
  return new Map(
    filed.map(({ request, runs }) => [
      request,
      { entries: ledger.denylistCount(request), textsCutOff: runs.textsCutOff() },
    ]),
  );
}

function entriesOf(
  engine: Engine,
  owners: readonly Uint8Array[],
  needles: readonly KeptNeedle[],
  survey: Survey,
): readonly DenylistOrder[] {
  const { ledger } = engine;
  const orders: DenylistOrder[] = owners.map((digest) => ({ kind: "identifier", digest, shared: false, owners }));
  for (const { ref, fate, content } of needles) {
    if (fate === "kept") continue;
    // A reusable key may lawfully be given again (C22), a rewritten record keeps its key: neither is kept out by key.
    if (fate === "erased" && engine.bound(ref.surface).declaration.keys === "unique")
      orders.push({ kind: "record", digest: recordDigest(ledger, ref), shared: false, owners });
    for (const { kind, digest, distinctive } of contentDigests(ledger, readAsText(content))) {
      const shared = !distinctive || survey.shared.has(Buffer.from(digest).toString("hex"));
      orders.push({ kind, digest, shared, owners });
    }
  }
  return orders;
}

function erasedOf(ledger: Ledger, needles: readonly KeptNeedle[]): Parameters<Ledger["noteErased"]>[1] {
  return needles.flatMap(({ ref, fate, content }) => {
    if (fate === "kept") return [];
    const tag = contentTag(ledger, content);
    // A shared record that stays whole was read without its content: it is not erased, and may come again.
    if (fate === "rewritten" && tag === undefined) return [];
    return [{ ref, fate, ...(tag === undefined ? {} : { tag }) }];
  });
}

/** The most that any round of a request cut off. */
export function textsCutOff(ledger: Ledger, request: RequestId): number {
  const counts = ledger.steps(request).flatMap(({ name, detail }) => {
    // The detail is our own journal's.
    const denied = name.endsWith("/denylist") ? (detail as Denied | undefined) : undefined;
    return denied === undefined ? [] : [denied.textsCutOff];
  });
  return Math.max(0, ...counts);
}

/** The runs of all that is erased or rewritten, each once, without those that others have too, up to `most`; counts the texts that this cuts off. */
function openRuns(
  ledger: Ledger,
  sharedRuns: ReadonlySet<number>,
  most: number,
): { of(needles: readonly KeptNeedle[]): Generator<GramOfRuns>; textsCutOff(): number } {
  const seen = new Set<number>();
  let cutOff = 0;
  function* ofText(text: string): Generator<GramOfRuns> {
    let isCutOff = false;
    const isLeftOut = (run: number): boolean => {
      if (sharedRuns.has(run) || seen.has(run)) return true;
      isCutOff ||= seen.size >= most;
      if (!isCutOff) seen.add(run);
      return isCutOff;
    };
    yield* ledger.runGrams(ledger.hashWords(text), { isLeftOut });
    if (isCutOff) cutOff += 1;
  }
  return {
    *of(needles) {
      for (const { fate, content } of needles) {
        if (fate === "kept") continue;
        for (const field of readAsText(content)) if (field.type === "text") yield* ofText(field.text);
      }
    },
    textsCutOff: () => cutOff,
  };
}

/** What replaces a shared text is others': its words may come again. */
export function allowReplaced(engine: Engine, request: RequestId, replacements: Iterable<Replacement>): void {
  const { ledger } = engine;
  for (const replacement of replacements) {
    if (replacement.outcome !== "ready") continue;
    for (const field of readAsText(replacement.artifact.content))
      if (field.type === "text") ledger.dropRuns(ledger.runGrams(ledger.hashWords(field.text)), request);
  }
}
