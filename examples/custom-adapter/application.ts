// An application over a store that Deleatur does not know: it gives its adapter to `openDeleatur`, writes through the SDK and forgets a person.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Deleatur, openDeleatur, type RequestOutcome } from "deleatur";
import { kind } from "./kind.ts";
import { append, type Note, withLock } from "./log-store.ts";

export const BOUNDARY = `deleatur: 1
boundary: notes/example
identifiers: [account]
surfaces:
  notes: { kind: append-log, role: primary, store: memory, subject: { field: people, type: account }, content: [text] }
writers: sdk
connect:
  memory: { path: ./memory.log }
`;

/** @param directory an empty folder of the application */
export async function openNotes(directory: string): Promise<Deleatur> {
  writeFileSync(join(directory, "memory.log"), "");
  writeFileSync(join(directory, "deleatur.yaml"), BOUNDARY);
  return openDeleatur(join(directory, "deleatur.yaml"), { kinds: [kind] });
}

export async function addNote(memory: Deleatur, directory: string, note: Note): Promise<void> {
  const file = join(directory, "memory.log");
  const subjects = note.people.map((person) => `account:${person}`);
  await memory.record("notes", { key: note.key, subjects, content: { text: note.text } }, async () => {
    await withLock(file, () => append(file, [note]));
  });
}

export function forgetPerson(memory: Deleatur, account: string): Promise<RequestOutcome> {
  return memory.forget({ subject: [`account:${account}`], now: true });
}
