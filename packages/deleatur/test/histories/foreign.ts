// Writers that go round the guard: raw SQL and raw lines, as an application's other tools write. A fence of the store may refuse them.
import { appendLine, type World } from "./world.ts";
import type { Utterance } from "./truth.ts";

export const FOREIGN_ACTS = [
  "row of its person",
  "row of nobody",
  "row under another person",
  "note",
  "note in base64",
  "note in hex",
  "note in UTF-16",
  "note in capitals",
  "excerpt",
  "line of its person",
  "line of nobody",
  "summary without a source",
  "orphan vector",
  "naive delete",
] as const;

/** What leaves nothing by which its person could be known. */
const NAMELESS: ReadonlySet<string> = new Set<(typeof FOREIGN_ACTS)[number]>([
  "row of nobody",
  "note",
  "note in base64",
  "note in hex",
  "note in UTF-16",
  "note in capitals",
  "excerpt",
  "line of nobody",
  "summary without a source",
  "orphan vector",
]);

export type ForeignAct = (typeof FOREIGN_ACTS)[number];

/** Answers whether it got in. */
export function writePast(world: World, act: ForeignAct, utterance: Utterance, person: number): boolean {
  world.past += 1;
  try {
    change(world, act, utterance, person);
    if (NAMELESS.has(act) && utterance.shutOut.size > 0) {
      utterance.isBack = true;
      if (act === "excerpt") utterance.isCutShort = true;
    }
    return true;
  } catch (error) {
    world.keepMessage(error);
    return false; // refused by the fence, or by a lock of somebody else
  }
}

function change(world: World, act: ForeignAct, utterance: Utterance, person: number): void {
  const { app, truth, directory } = world;
  const { text, vector, words, owners } = utterance;
  const id = world.newKey();
  const owner = [...owners][0];
  const own = owner === undefined ? null : truth.person(owner).value;
  const episode = (whose: number | undefined): void => {
    const account = whose === undefined ? null : truth.person(whose).value;
    app.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run(id, account, text);
    utterance.records.set(`episodes/${id}`, whose);
  };
  const note = (what: string | Buffer): void => {
    app.prepare("INSERT INTO notes VALUES (?, NULL, ?)").run(`n${id}`, what);
    utterance.records.set(`notes/n${id}`, undefined);
  };
  switch (act) {
    case "row of its person":
      episode(owner);
      return;
    case "row of nobody":
      episode(undefined);
      return;
    case "row under another person":
      episode(truth.person(person).index);
      owners.add(truth.person(person).index);
      return;
    case "note":
      note(text);
      return;
    case "note in base64":
      note(Buffer.from(text).toString("base64"));
      return;
    case "note in hex":
      note(Buffer.from(text).toString("hex"));
      return;
    case "note in UTF-16":
      note(Buffer.from(text, "utf16le"));
      return;
    case "note in capitals":
      note(text.toUpperCase());
      return;
    case "excerpt":
      note(words.slice(2, 8).join(" "));
      return;
    case "line of its person":
      appendLine(directory, { id: `l${id}`, ...(own === null ? {} : { user: own }), text });
      // Of first hand and under a name: a request about another record of the same words asks about it (docs/threat-model.md).
      if (own !== null) utterance.records.set(`transcripts/l${id}`, owner);
      return;
    case "line of nobody":
      appendLine(directory, { id: `l${id}`, text });
      return;
    case "summary without a source":
      app.prepare("INSERT INTO summaries VALUES (?, '[]', ?)").run(`m${id}`, text);
      return;
    case "orphan vector":
      app.prepare("INSERT INTO vectors VALUES (?, ?)").run(BigInt(id), Buffer.from(vector.buffer));
      return;
    case "naive delete":
      app.prepare("DELETE FROM episodes WHERE text = ?").run(text);
      return;
    default:
      act satisfies never;
  }
}
