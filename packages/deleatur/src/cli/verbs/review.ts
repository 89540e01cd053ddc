// `review`: likenesses and held writes that a person must decide, with what they say; and the decision itself, by a role and with a reason code.
import { type Command, Option } from "commander";
import { bracketRun } from "../../audit/bracket-run.ts";
import { listRequests } from "../../audit/list-requests.ts";
import { shownContent } from "../../audit/find-person.ts";
import { readSuspect } from "../../audit/review-suspects.ts";
import type { Suspect } from "../../examine/grade-findings.ts";
import { UsageError } from "../../model/errors.ts";
import { artifactId } from "../../model/ids.ts";
import type { Deleatur } from "../../open-deleatur.ts";
import type { HeldWrite } from "../../record/hold-write.ts";
import { count } from "../print/words.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface ReviewFlags {
  readonly keep?: readonly string[];
  readonly erase?: readonly string[];
  readonly release?: readonly string[];
  readonly discard?: readonly string[];
  readonly role?: string;
  readonly reason?: string;
}

export function addReview(program: Command, run: RunVerb): void {
  program
    .command("review [request]")
    .description("review likenesses: list what a person must decide, with its content, and take the decision")
    .addOption(new Option("--keep <id...>", "it is lawful to keep these").conflicts("erase"))
    .option("--erase <id...>", "they are about the person: `forget --resume` erases or rewrites them")
    .addOption(
      new Option("--release <id...>", "held writes may be written again, once; shows them").conflicts([
        "keep",
        "erase",
      ]),
    )
    .addOption(new Option("--discard <id...>", "held writes are dropped").conflicts(["keep", "erase", "release"]))
    .option("--role <role>", "who decides, for example privacy-officer; logged")
    .option("--reason <code>", "why, for example NOT_ABOUT_THE_PERSON; logged")
    .action((request: string | undefined, flags: ReviewFlags, command: Command) =>
      run(command, (context) => review(request, flags, context)),
    );
}

async function review(request: string | undefined, flags: ReviewFlags, context: VerbContext): Promise<VerbResult> {
  const held = flags.release ?? flags.discard;
  if (held !== undefined) return decideOnHeld(held, flags, context);
  const suspects = flags.keep ?? flags.erase;
  if (suspects === undefined) return list(request, context);
  const { role, reason } = flags;
  if (request === undefined || role === undefined || reason === undefined) {
    throw new UsageError("DECISION_INCOMPLETE", "a decision names its request, who decides and why", {
      cure: "deleatur review REQUEST --keep ID --role ROLE --reason CODE",
    });
  }
  const memory = await context.openMemory();
  const decision = flags.keep === undefined ? "erased" : "kept";
  await bracketRun(
    memory.engine,
    "review",
    () => allOrNone(memory, suspects, (suspect) => memory.review(request, { suspect, decision, role, reason })),
    context.terminal.signal,
  );
  const open = memory.suspects(request).length;
  const next = `deleatur forget --resume ${request}`;
  return {
    text: `Decided and logged. ${open === 0 ? `Nothing is left to decide: ${next}` : `${open} left to decide.`}`,
    json: { request, suspects: { open }, decision: { suspects, decision, role, reason } },
    exitCode: 0,
  };
}

/** One unknown id among many decides nothing. */
function allOrNone(memory: Deleatur, ids: readonly string[], decide: (id: string) => void): void {
  memory.engine.ledger.transaction(() => {
    for (const id of new Set(ids)) decide(id);
  });
}

async function decideOnHeld(ids: readonly string[], flags: ReviewFlags, context: VerbContext): Promise<VerbResult> {
  const { role, reason } = flags;
  if (role === undefined || reason === undefined) {
    throw new UsageError("DECISION_INCOMPLETE", "a decision names who decides and why", {
      cure: "deleatur review --release ID --role ROLE --reason CODE",
    });
  }
  const memory = await context.openMemory();
  const decision = flags.release === undefined ? "discarded" : "released";
  const writes = decision === "released" ? memory.held().filter(({ id }) => ids.includes(id)) : [];
  await bracketRun(
    memory.engine,
    "review",
    () => allOrNone(memory, ids, (held) => memory.decideHeld({ held, decision, role, reason })),
    context.terminal.signal,
  );
  const text =
    decision === "discarded"
      ? "Discarded and logged."
      : "Released and logged: the application may write it again, once. This is the last time that it is shown.";
  return {
    text: [text, ...writes.flatMap(writeLines)].join("\n"),
    json: {
      held: { open: memory.held().length },
      decision: { held: ids, decision, role, reason },
      ...(decision === "released" ? { writes: writes.map(shownWrite) } : {}),
    },
    exitCode: 0,
  };
}

function shownWrite({ id, since, until, artifact }: HeldWrite): Readonly<Record<string, unknown>> {
  const { surface, key, subjects, sources } = artifact;
  return {
    id,
    since,
    until,
    surface,
    key,
    subjects: subjects.map(({ type, value }) => `${type}:${value}`),
    sources: sources.map(artifactId),
    content: shownContent(artifact),
  };
}

function writeLines({ id, until, artifact }: HeldWrite): readonly string[] {
  return [
    "",
    `  ${id}  a write to ${artifactId(artifact)} is held until ${until.slice(0, 10)}`,
    ...Object.entries(shownContent(artifact)).map(([name, text]) => `    ${name}: ${text.replaceAll(/\s+/g, " ")}`),
  ];
}

function heldLines(write: HeldWrite): readonly string[] {
  const { id } = write;
  return [...writeLines(write), `    deleatur review --release ${id} | --discard ${id} --role ROLE --reason CODE`];
}

interface Shown {
  readonly request: string;
  readonly suspect: Suspect;
  readonly content: Readonly<Record<string, string>> | undefined;
}

async function list(request: string | undefined, context: VerbContext): Promise<VerbResult> {
  const memory = await context.openMemory();
  const requests = request === undefined ? openRequests(memory) : [request];
  const shown: Shown[] = [];
  for (const id of requests) {
    for (const suspect of memory.suspects(id)) {
      const content = await readSuspect(memory.engine, suspect, context.terminal.signal);
      shown.push({ request: id, suspect, content });
    }
  }
  // Held writes belong to no request: whoever names one asks about that alone.
  const held = request === undefined ? memory.held() : [];
  const parts = [
    ...(shown.length === 0
      ? []
      : [`${count(shown.length, "likeness", "likenesses")} to decide`, ...shown.flatMap(suspectLines)]),
    ...(held.length === 0 ? [] : [`${count(held.length, "held write")} to decide`, ...held.flatMap(heldLines)]),
  ];
  return {
    text: parts.length === 0 ? "Nothing to review." : parts.join("\n"),
    json: {
      held: { open: held.length, list: held.map(shownWrite) },
      suspects: { open: shown.length },
      list: shown.map(({ request: id, suspect, content }) => ({ request: id, ...suspect, content: content ?? null })),
    },
    exitCode: 0,
  };
}

function openRequests(memory: Deleatur): readonly string[] {
  return listRequests(memory.engine).flatMap(({ record }) => (record.state === "closed" ? [] : [record.id]));
}

function suspectLines({ request, suspect, content }: Shown): readonly string[] {
  const { id, surface, key, container } = suspect;
  const place = surface === undefined || key === undefined ? container : `${surface}/${key}`;
  return [
    "",
    `  ${id}  ${place} ${likenessOf(suspect)}`,
    ...Object.entries(content ?? {}).map(([name, text]) => `    ${name}: ${text.replaceAll(/\s+/g, " ")}`),
    `    deleatur review ${request} --keep ${id} | --erase ${id} --role ROLE --reason CODE`,
  ];
}

function likenessOf({ likeTo, returned, probe, name, words, distance }: Suspect): string {
  if (name !== undefined) return `has a file or folder ${name}, which may be the person's number`;
  if (likeTo === undefined) return `holds what an earlier request erased (${returned ?? probe})`;
  const likeness =
    words === undefined ? (distance === undefined ? "" : `distance ${distance.toFixed(3)}`) : count(words, "word");
  return `(${probe}${likeness === "" ? "" : `, ${likeness}`}) is like ${likeTo.surface}/${likeTo.key}`;
}
