// `risks --due`: runs the confirming audit of every request with a risk that is due. What it shows closes the risk; nothing else does (RISK-1).
import type { Engine } from "../engine.ts";
import { resumeRequests, settledValue } from "../forget/resume-requests.ts";
import type { RequestOutcome } from "../forget/outcome.ts";

/** `now`: purge at once, whatever lock it takes. The outcome of each request that had something due, oldest deadline first. */
export async function confirmDueRisks(
  engine: Engine,
  now: boolean,
  signal: AbortSignal,
): Promise<readonly RequestOutcome[]> {
  const { ledger } = engine;
  const due = ledger.risks().filter(({ overdue, closed }) => overdue && closed === undefined);
  const orders = [...new Set(due.map((risk) => risk.request))].map((id) => ({
    id,
    // The downgrade to a tombstone was a named act already; a confirming audit repeats it, and takes none by itself.
    options: { allowTombstone: ledger.request(id)?.attestation === "tombstone", now },
  }));
  const ends = await resumeRequests(engine, orders, signal);
  return orders.map(({ id }) => settledValue(ends.get(id)));
}
