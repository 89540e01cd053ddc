// Every verb that is built, in the order of DESIGN §8: the order in which `--help` lists them.
import type { Command } from "commander";
import type { RunVerb } from "../verb.ts";
import { addAttest } from "./attest.ts";
import { addAudit } from "./audit.ts";
import { addCheck } from "./check.ts";
import { addConformance } from "./conformance.ts";
import { addDemo } from "./demo.ts";
import { addFind } from "./find.ts";
import { addForget } from "./forget.ts";
import { addHold } from "./hold.ts";
import { addInit } from "./init.ts";
import { addIntents } from "./intents.ts";
import { addKeys } from "./keys.ts";
import { addLetter } from "./letter.ts";
import { addLift } from "./lift.ts";
import { addLog } from "./log.ts";
import { addParticipants } from "./participants.ts";
import { addReplay } from "./replay.ts";
import { addRequests } from "./requests.ts";
import { addReview } from "./review.ts";
import { addRisks } from "./risks.ts";
import { addScan } from "./scan.ts";
import { addVerify } from "./verify.ts";
import { addWatch } from "./watch.ts";

const VERBS: readonly ((program: Command, run: RunVerb) => void)[] = [
  addInit,
  addCheck,
  addScan,
  addFind,
  addForget,
  addRequests,
  addReview,
  addAudit,
  addVerify,
  addAttest,
  addLetter,
  addHold,
  addLift,
  addReplay,
  addWatch,
  addRisks,
  addLog,
  addIntents,
  addParticipants,
  addKeys,
  addConformance,
  addDemo,
];

export function addVerbs(program: Command, run: RunVerb): void {
  for (const addVerb of VERBS) addVerb(program, run);
}
