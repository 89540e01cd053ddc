// Holds the names of declared files, and of the folders below the declared one, against the identifiers of whoever is forgotten; it opens no file.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { SubjectIdentifier } from "../../../model/ids.ts";
import { fileError } from "../file-errors.ts";
import type { FilesStore } from "../options.ts";
import { seeFiles } from "./see-files.ts";

export interface SeenName {
  /** A file or a folder, without the way to it. */
  readonly name: string;
  /** What it holds is digits alone: it may be a date or a count as well. */
  readonly isNumber: boolean;
}

/** The names that are an identifier, as a whole or up to one of their dots. @throws StoreError */
export function* seeNames(store: FilesStore, identifiers: readonly SubjectIdentifier[]): Generator<SeenName> {
  const values = new Set(identifiers.map(({ value }) => foldName(value)));
  for (const name of new Set(namesOf(store))) {
    const found = spellingsOf(foldName(name)).find((spelling) => values.has(spelling));
    if (found !== undefined) yield { name, isNumber: /^\d+$/.test(found) };
  }
}

/** Where files have names of any letters, a file system may still take some of them for the same. */
function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** `anna.2026.jsonl`, `anna.2026` and `anna`: an identifier may have dots of its own. */
function spellingsOf(name: string): readonly string[] {
  const parts = name.split(".");
  return parts.map((_part, at) => parts.slice(0, at + 1).join("."));
}

function* namesOf(store: FilesStore): Generator<string> {
  for (const { name } of seeFiles(store)) yield name;
  // A store that is one file has no folders of its own.
  if (store.single !== undefined) return;
  try {
    yield* foldersBelow(store.directory);
  } catch (cause) {
    throw fileError(cause, store);
  }
}

/** Empty ones too, and those in which other files lie. A symbolic link has a name whatever it leads to, and nobody goes where it leads. */
function* foldersBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() || entry.isSymbolicLink()) yield entry.name;
    if (entry.isDirectory()) yield* foldersBelow(join(folder, entry.name));
  }
}
