// Renews the claims of requests while they are carried. It must not end the process: a ledger that is locked or full at that moment is asked again in time.
import type { Engine } from "../engine.ts";
import type { Writer } from "../ledger/ledger.ts";
import { LedgerError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";

/** A process that is known dead loses its claims at once; one on another host when this has passed. */
export const CLAIM_MS = 30_000;

/** Until the answer is called. What hinders a renewal is reported; the run itself notices whatever stays. */
export function keepClaims(
  { ledger, report }: Pick<Engine, "ledger" | "report">,
  ids: readonly RequestId[],
  owner: Writer,
): () => void {
  const renewal = setInterval(() => {
    for (const request of ids) {
      try {
        ledger.claimRequest(request, owner, CLAIM_MS);
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        report({ request, step: "claim", phase: "progress" });
      }
    }
  }, CLAIM_MS / 3);
  renewal.unref();
  return () => clearInterval(renewal);
}
