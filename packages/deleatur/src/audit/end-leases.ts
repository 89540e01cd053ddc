// `participants --gone`: ends leases whose process an operator knows to be gone. It must not end one whose process is seen to live.
import type { Engine } from "../engine.ts";
import { currentWriter } from "../ledger/process-identity.ts";
import { UsageError } from "../model/errors.ts";

/** Answers how many ended. A process that was not gone joins again by itself, and lets go of what was erased meanwhile. @throws UsageError PARTICIPANT_UNKNOWN, PARTICIPANT_ALIVE */
export function endLeases({ ledger }: Engine, ids: readonly string[]): number {
  const { host } = currentWriter();
  return ledger.transaction(() => {
    const open = new Map(ledger.participants().map((participant) => [participant.id, participant]));
    for (const id of ids) {
      const participant = open.get(id);
      if (participant === undefined)
        throw new UsageError("PARTICIPANT_UNKNOWN", "there is no such lease, see `deleatur participants`");
      // The dead of this host are not listed any more.
      if (participant.process.host === host) {
        throw new UsageError("PARTICIPANT_ALIVE", "the process of this lease lives on this host", {
          cure: "let it run, so that it can answer, or end it",
        });
      }
    }
    return ids.filter((id) => ledger.endParticipant(id)).length;
  });
}
