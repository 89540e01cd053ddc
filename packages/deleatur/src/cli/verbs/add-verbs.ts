// Every verb that is built, in the order of the flow: the order in which `--help` lists them.
import type { Command } from "commander";
import type { RunVerb } from "../verb.ts";
import { addCheck } from "./check.ts";
import { addDemo } from "./demo.ts";
import { addForget } from "./forget.ts";
import { addInit } from "./init.ts";
import { addRequests } from "./requests.ts";
import { addVerify } from "./verify.ts";

export function addVerbs(program: Command, run: RunVerb): void {
  const verbs = [addInit, addCheck, addForget, addRequests, addVerify, addDemo];
  for (const add of verbs) add(program, run);
}
