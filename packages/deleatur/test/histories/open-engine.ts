// Opens the engine over a history's memory as its application does, in this process or in one that is to be killed. It judges nothing.
import { type Deleatur, openDeleatur, type OpenOptions } from "../../src/open-deleatur.ts";
import { type Declared, historyBoundary } from "./boundary.ts";
import type { Moments } from "./moments.ts";

/** How long a process may be silent: one that sleeps is waited for no longer. */
const ANSWER_MS = 400;

export async function openEngine(
  directory: string,
  declared: Declared,
  options: Pick<OpenOptions, "clock" | "random" | "report">,
  moments: Moments | undefined,
): Promise<Deleatur> {
  const memory = await openDeleatur(historyBoundary(directory, declared), {
    ...options,
    environment: {},
    answerMs: ANSWER_MS,
    report: (event) => {
      options.report?.(event);
      moments?.report(event);
    },
  });
  // The engine reads `ledger` anew each time; only this test puts another in its place.
  if (moments !== undefined) Object.assign(memory.engine, { ledger: moments.watch(memory.engine.ledger) });
  memory.registerRederive("summarise", (sources) =>
    Promise.resolve(
      sources
        .flatMap(({ content }) => content.flatMap((field) => (field.type === "text" ? [field.text] : [])))
        .join(" and "),
    ),
  );
  return memory;
}
