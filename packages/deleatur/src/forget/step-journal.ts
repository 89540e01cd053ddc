// Runs the steps of a request under its journal: what is finished is not done again, what was cut off is (DESIGN §3.2).
import type { Engine } from "../engine.ts";
import type { RequestStep } from "../ledger/request-record.ts";
import type { RequestId } from "../model/ids.ts";

/** One round is one pass over all steps; a resumed request that had come to its end begins the next. */
export interface StepJournal {
  readonly round: number;
  isFinished(name: string): boolean;
  /** Journals that a step begins whose act serves several requests; `step` then ends it. */
  begin(name: string): void;
  /** Runs a step unless it is finished; answers its journalled detail (JSON without personal data). */
  step<Detail>(name: string, act: () => Promise<Detail> | Detail): Promise<Detail>;
}

const LAST = "end";

export function openStepJournal(engine: Engine, request: RequestId): StepJournal {
  const { ledger } = engine;
  const round = countEndedRounds(engine, request) + 1;
  const known = (name: string): RequestStep | undefined =>
    ledger.steps(request).find((step) => step.name === `${round}/${name}`);
  const begun = new Set<string>();
  const begin = (name: string): void => {
    ledger.startStep(request, `${round}/${name}`);
    engine.report({ request, step: name, phase: "started" });
    begun.add(name);
  };
  return {
    round,
    isFinished: (name) => known(name)?.state === "finished",
    begin,
    async step(name, act) {
      const key = `${round}/${name}`;
      // The journalled detail is what the same step answered when it was finished.
      const before = known(name);
      if (before?.state === "finished") return before.detail as Awaited<ReturnType<typeof act>>;
      if (!begun.has(name)) begin(name);
      const detail = await act();
      ledger.finishStep(request, key, detail ?? null);
      engine.report({ request, step: name, phase: "finished" });
      return detail;
    },
  };
}

export function countEndedRounds({ ledger }: Engine, request: RequestId): number {
  return ledger.steps(request).filter(({ name, state }) => name.endsWith(`/${LAST}`) && state === "finished").length;
}

/** Marks the end of a round, so that a resume begins the next one. */
export function endRound(engine: Engine, request: RequestId, round: number): void {
  engine.ledger.startStep(request, `${round}/${LAST}`);
  engine.ledger.finishStep(request, `${round}/${LAST}`);
}
