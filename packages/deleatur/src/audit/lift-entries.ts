// `lift`: takes do-not-store entries away after a lawful return, by a named and logged act (GUARD-3). It never lifts what it was not told to.
import type { Engine } from "../engine.ts";
import type { Ledger, LiftSelector } from "../ledger/ledger.ts";
import { UsageError } from "../model/errors.ts";
import { parseIdentifier, type RequestId, requestId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";
import { contentDigests } from "../record/guard.ts";
import { type NamedAct, namedAct } from "./named-act.ts";
import { roundedCount } from "./rounded-count.ts";

export interface LiftOrder extends NamedAct {
  /** All entries of one request, those on content included. */
  readonly request?: string;
  /** The person's identifiers: entries on content outlive this (GUARD-2). */
  readonly subject?: readonly string[];
  /** Texts that may be stored again, such as boilerplate: alone and inside larger ones. Without a request, by whomever they are asked to be forgotten later. */
  readonly texts?: readonly string[];
}

/** Answers how many entries were lifted. @throws UsageError NOTHING_SELECTED | NOTHING_LIFTED */
export function liftEntries(engine: Engine, order: LiftOrder): number {
  const { ledger } = engine;
  const act = namedAct(order);
  const request = order.request === undefined ? undefined : requestId(order.request);
  const selector: LiftSelector = {
    ...(order.subject === undefined ? {} : { identifiers: order.subject.map(parseIdentifier) }),
    ...(order.texts === undefined ? {} : { ids: order.texts.flatMap((text) => entriesOn(engine, text)) }),
  };
  return ledger.transaction(() => {
    let total = 0;
    let isFound = false;
    for (const one of request === undefined ? [undefined] : [request, ...standInsToLift(ledger, request, selector)]) {
      const lifted = ledger.liftDenylist({ ...selector, ...(one === undefined ? {} : { request: one }) });
      const isNews = lifted + liftRuns(engine, order, one) > 0;
      isFound ||= isNews;
      total += lifted;
      if (isNews || one === request) logLift(engine, act, one, lifted);
    }
    if (!isFound) {
      throw new UsageError("NOTHING_LIFTED", "no do-not-store entry matches, nothing was lifted", {
        cure: "check the request, the identifiers or the texts",
      });
    }
    return total;
  });
}

/**
 * Replays enter again what this request had entered: what they have of it goes with it. One that stands for others as well waits until nothing of
 * theirs would be lifted by the same selector: what it has may be theirs.
 */
export function standInsToLift(
  ledger: Ledger,
  request: RequestId,
  selector: Omit<LiftSelector, "request"> = {},
): readonly RequestId[] {
  return ledger
    .standInsOf(request)
    .filter(({ others }) => !others.some((other) => ledger.hasDenylist({ ...selector, request: other })))
    .map((one) => one.request);
}

export function logLift(
  { ledger, clock }: Engine,
  { role, reason, ...rest }: NamedAct & { readonly expired?: true },
  request: RequestId | undefined,
  count: number,
): void {
  ledger.append({
    type: "denylist-lifted",
    at: utcTime(clock()),
    ...(request === undefined ? {} : { request }),
    ...rest,
    role,
    reason,
    count: roundedCount(count),
  });
}

/** Runs of words go with the request, or with the texts, that are named. A text that is let in for good is no entry of a later request either. */
function liftRuns({ ledger }: Engine, { subject, texts }: LiftOrder, request: RequestId | undefined): number {
  if (subject !== undefined) return 0;
  if (texts === undefined) {
    if (request === undefined) return 0;
    // All of it: what a restore brings back of this request is not erased again.
    ledger.liftRequest(request);
    return ledger.dropFingerprints(request);
  }
  let count = 0;
  for (const text of texts) {
    const words = ledger.hashWords(text);
    count += ledger.dropRuns(ledger.runGrams(words), request);
    if (request === undefined) {
      const digests = contentDigests(ledger, [{ type: "text", name: "text", text }]).map(({ digest }) => digest);
      ledger.allowText(digests, ledger.runGrams(words));
    }
  }
  return count;
}

function entriesOn({ ledger }: Engine, text: string): readonly string[] {
  return contentDigests(ledger, [{ type: "text", name: "text", text }]).flatMap(({ kind, digest }) =>
    ledger.findDenylist(kind, digest).map(({ id }) => id),
  );
}
