// `find`: everything that is known about a person or record, content included. It prints personal data: for the operator's own eyes.
import type { Command } from "commander";
import { type Found, shownContent } from "../../audit/find-person.ts";
import { artifactId } from "../../model/ids.ts";
import { groupBy } from "../../model/group-by.ts";
import { count } from "../print/words.ts";
import { readTarget, type TargetFlags } from "../subject-input.ts";
import type { VerbResult } from "../terminal.ts";
import type { Paint, RunVerb, VerbContext } from "../verb.ts";
import { addTargetOptions } from "./target-options.ts";

const PARTIAL = 20;

export function addFind(program: Command, run: RunVerb): void {
  addTargetOptions(
    program
      .command("find")
      .description("find a person: every record about them and everything derived from it, with its content"),
  ).action((flags: TargetFlags, command: Command) => run(command, (context) => find(flags, context)));
}

async function find(flags: TargetFlags, context: VerbContext): Promise<VerbResult> {
  const target = await readTarget(flags, context.terminal);
  const memory = await context.openMemory();
  const found = await memory.find(target, context.terminal.signal);
  return {
    text: foundText(found, context.paint),
    json: {
      artifacts: found.artifacts,
      held: found.held.map(({ id, since, until, artifact }) => ({
        id,
        since,
        until,
        artifact: artifactId(artifact),
        content: shownContent(artifact),
      })),
      identifiersUnknown: found.identifiersUnknown,
      surfaces: found.unread.map(({ surface, why }) => ({ surface, state: "uncovered", why })),
    },
    exitCode: found.unread.length === 0 ? 0 : PARTIAL,
  };
}

function foundText({ artifacts, held, unread, identifiersUnknown }: Found, paint: Paint): string {
  const places = groupBy(artifacts, ({ label }) => label);
  return [
    ...unread.map(({ surface, why }) => paint.yellow(`not read, so more may be there: ${surface} (${why})`)),
    ...identifiersUnknown.map(({ surface, type }) => `${surface} knows people by ${type}, which was not given`),
    artifacts.length === 0
      ? "Nothing was found."
      : `${count(artifacts.length, "record")} in ${count(places.size, "data location")}`,
    ...[...places].flatMap(([label, members]) => [
      "",
      paint.bold(label),
      ...members.flatMap(({ artifact, depth, sources, content }) => [
        `  ${artifact}${depth === 0 ? "" : paint.dim(` from ${sources.slice(0, 5).join(", ")}${sources.length > 5 ? ", …" : ""}`)}`,
        ...Object.entries(content).map(([name, text]) => `    ${name}: ${text.replaceAll(/\s+/g, " ")}`),
      ]),
    ]),
    ...(held.length === 0 ? [] : ["", `${count(held.length, "held write")}, not stored: see \`deleatur review\``]),
    ...held.flatMap(({ id, artifact }) => [
      `  ${id}  ${artifactId(artifact)}`,
      ...Object.entries(shownContent(artifact)).map(([name, text]) => `    ${name}: ${text.replaceAll(/\s+/g, " ")}`),
    ]),
  ].join("\n");
}
