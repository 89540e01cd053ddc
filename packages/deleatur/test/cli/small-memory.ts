// A small real memory for the command line's tests: two people, episodes in SQLite behind triggers, shared summaries, a file of transcripts. Everything in a temporary folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach } from "vitest";
import { adoptSqliteStore } from "../../src/adapters/sqlite/index.ts";

const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "deleatur-cli-"));
  directories.push(directory);
  return directory;
}

/** Words that stand for a person: no output but `find` and `review` may hold one of them. */
export const SECRETS = ["marta-77", "marta@lindenhof.example", "Sankt Vinzenz", "crutches", "cello", "Kodály"];

const EPISODES: readonly (readonly [string, string, string])[] = [
  [
    "e1",
    "marta-77",
    "My knee operation is on the nineteenth at the Sankt Vinzenz clinic, afterwards crutches for six weeks.",
  ],
  ["e2", "marta-77", "Please put the parcel for my sister behind the blue bins in the second courtyard on Thursday."],
  ["e3", "jonas-12", "I play the Kodály sonata on the cello late in the evening when the ovens have kept me awake."],
  [
    "e4",
    "jonas-12",
    "The heating in the stairwell has been cold since Tuesday and the caretaker knows about it already.",
  ],
];

const SUMMARIES: readonly Summary[] = [
  ["s1", "Knee operation on the nineteenth at the Sankt Vinzenz clinic, then crutches for six weeks.", ["e1"]],
  [
    "s2",
    "The heating in the stairwell has been cold since Tuesday, and the parcel goes behind the blue bins.",
    ["e2", "e4"],
  ],
];

const LIKENESS: Summary = ["s3", "The caretaker knows that behind the blue bins in the yard it is cold.", ["e4"]];

export interface SmallMemory {
  readonly directory: string;
  readonly boundaryFile: string;
  readonly database: string;
}

export interface SmallMemoryOptions {
  /** Lines under `surfaces:`, beside the usual ones. */
  readonly surfaces?: string;
  /** The policy of shared summaries. */
  readonly shared?: string;
  /** Lines under `connect:`, beside the usual ones. */
  readonly connect?: string;
  /** Whether every connection had secure_delete from the start: no purge then locks the store. */
  readonly isAdopted?: boolean;
  readonly writers?: string;
  /** Lines at the top of the boundary. */
  readonly top?: string;
  /** A summary of Jonas's words alone that has six words of Marta's: a likeness for a person to decide. */
  readonly hasLikeness?: boolean;
}

/** Makes the files; `shared` is `destroy` where nothing is said. */
export function smallMemory(options: SmallMemoryOptions = {}): SmallMemory {
  const directory = temporaryDirectory();
  const database = join(directory, "memory.db");
  const { shared = "shared: destroy", surfaces = "", connect = "", isAdopted = true, writers = "sdk" } = options;
  makeDatabase(database, isAdopted, options.hasLikeness === true ? [...SUMMARIES, LIKENESS] : SUMMARIES);
  const boundaryFile = join(directory, "deleatur.yaml");
  writeFileSync(
    boundaryFile,
    `deleatur: 1
boundary: test/small
identifiers: [account]
writers: ${writers}
${options.top ?? ""}
surfaces:
  episodes:  { kind: sqlite, role: primary, label: "conversation memory", store: memory, table: episodes, key: id,
               subject: { column: user_id, type: account }, content: [text] }
  summaries: { kind: sqlite, role: derived, label: "summaries", store: memory, table: summaries, key: id, content: [text],
               derivedFrom: { surface: episodes, column: source_ids, as: json }, ${shared} }
${surfaces}connect:
  ledger: sqlite:./deleatur.db
  memory: { file: ./memory.db }
${connect}`,
  );
  return { directory, boundaryFile, database };
}

type Summary = readonly [string, string, readonly string[]];

function makeDatabase(file: string, isAdopted: boolean, summaries: readonly Summary[]): void {
  mkdirSync(join(file, ".."), { recursive: true });
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  if (isAdopted) database.pragma("secure_delete = ON");
  database.exec(`
    CREATE TABLE episodes (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE summaries (id TEXT PRIMARY KEY, text TEXT NOT NULL, source_ids TEXT NOT NULL) WITHOUT ROWID;
  `);
  if (isAdopted) adoptSqliteStore({ file, store: "memory" });
  const episode = database.prepare("INSERT INTO episodes VALUES (?, ?, ?)");
  for (const row of EPISODES) episode.run(...row);
  const summary = database.prepare("INSERT INTO summaries VALUES (?, ?, ?)");
  for (const [id, text, sources] of summaries) summary.run(id, text, JSON.stringify(sources));
  database.close();
}

/** A file with Marta's identifier, as an operator would pass it. */
export function subjectFile({ directory }: Pick<SmallMemory, "directory">): string {
  const file = join(directory, "subject.txt");
  writeFileSync(file, "# who asked\naccount:marta-77\n");
  return file;
}
