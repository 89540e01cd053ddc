// `requests`: every request with its status, when it came in, when it is due and the days that are left; one request in full by its id.
import type { Command } from "commander";
import { type ListedRequest, listRequests } from "../../audit/list-requests.ts";
import { recordedOutcome } from "../../forget/recorded-outcome.ts";
import { requestId } from "../../model/ids.ts";
import type { Deleatur } from "../../open-deleatur.ts";
import { outcomeJson, outcomeText } from "../print/outcome-report.ts";
import { table } from "../print/table.ts";
import { stateWords, verdictWords } from "../print/words.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

export function addRequests(program: Command, run: RunVerb): void {
  program
    .command("requests [request]")
    .description("list the requests: status, received, due, days left; or show one")
    .action((request: string | undefined, _flags: unknown, command: Command) =>
      run(command, (context) => requests(request, context)),
    );
}

async function requests(request: string | undefined, context: VerbContext): Promise<VerbResult> {
  const memory = await context.openMemory();
  if (request !== undefined) {
    const outcome = recordedOutcome(memory.engine, requestId(request));
    return { text: outcomeText(outcome, context), json: outcomeJson(outcome, context), exitCode: 0 };
  }
  const all = listRequests(memory.engine);
  const rows = all.map((one) => row(memory, one));
  return {
    text:
      all.length === 0 ? "No requests." : table(["request", "status", "received", "due", "days left", "result"], rows),
    json: { requests: all.map(requestJson) },
    exitCode: 0,
  };
}

function row({ engine }: Deleatur, { record, daysLeft }: ListedRequest): readonly string[] {
  const { id, state, why, until, received, due, verdict } = record;
  const locations = recordedOutcome(engine, id).surfaces.length;
  return [
    id,
    stateWords(state, why, until),
    received?.slice(0, 10) ?? "",
    due.slice(0, 10),
    daysLeft === undefined ? "" : String(daysLeft),
    verdict === undefined ? "" : verdictWords(verdict, locations),
  ];
}

function requestJson({ record, daysLeft }: ListedRequest): Readonly<Record<string, unknown>> {
  const { id, target, state, why, until, received, due, opened, closed, verdict, attestation, receipt } = record;
  return {
    request: id,
    target,
    state,
    why: why ?? null,
    until: until ?? null,
    received: received ?? null,
    due,
    daysLeft: daysLeft ?? null,
    opened,
    closed: closed ?? null,
    verdict: verdict ?? null,
    attestation: attestation ?? null,
    receipt: receipt ?? null,
  };
}
