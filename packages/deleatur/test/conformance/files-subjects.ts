// The benches of kinds `jsonl` and `text` for the kit: a folder of files that the application appends to and rewrites with plain file calls.
import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { jsonlFiles, textFiles } from "../../src/adapters/files/index.ts";
import {
  type Bench,
  type BenchOrder,
  type BenchRecord,
  type ConformanceSubject,
  impossible,
  noProcess,
  type Wrote,
  fillDisk,
  holdOpen,
  makeReadOnly,
} from "../../src/conformance/index.ts";
import { storeNames, writeAlike } from "./write-alike.ts";

const LEASED = "nobody can be kept from writing a file, so that its fence is leased";

const FILE_CASES = {
  "fence-exact": LEASED,
  "fence-sources": LEASED,
  "fence-keys": LEASED,
  "fence-adds": LEASED,
  vectors: "files have no index that could be asked for neighbours",
  snapshot: "files are read one after the other, not at one instant",
  expiry: "files do not expire",
  "sabotaged-purge": "the erase itself writes the file anew, so that nothing is left for a purge to do",
  "made-up-ids": "whoever writes gives the key",
  "reused-ids": "whoever writes gives the key",
};

interface FilesLayout {
  readonly pattern: string;
  readonly declaration: Bench["declaration"];
  readonly holds: Bench["holds"];
  /** Where a stranger keeps a copy beside the declared files. */
  readonly stray: string;
  /** Writes into one of the two folders `records` and `records2`. */
  readonly write: (folder: string, records: readonly BenchRecord[]) => Wrote;
  readonly texts: (folder: string) => readonly string[];
}

function layFiles({ folder, replicas }: BenchOrder, layout: FilesLayout): Bench {
  const names = storeNames(replicas);
  const own = (name: string): string => join(folder, name, "records");
  const beside = join(folder, "memory", "records2");
  for (const path of [...names.map(own), beside]) mkdirSync(path, { recursive: true });
  return {
    outcome: "laid",
    declaration: layout.declaration,
    connections: names.map((name) => ({ type: "files", name, glob: join(own(name), layout.pattern) })),
    others: [],
    participation: noProcess,
    holds: layout.holds,
    containers: names.map((name) => `${name}.*`),
    write: (records) => writeAlike(names, records, (name, copies) => layout.write(own(name), copies)),
    writeToReplica: async (records) =>
      replicas === 0 ? impossible("no replica was laid") : layout.write(own("copy1"), records),
    writeBeside: async (records) => layout.write(beside, records),
    readBeside: async () => layout.texts(beside),
    async addContainer(text) {
      writeFileSync(join(own("memory"), layout.stray), `${JSON.stringify({ note: text })}\n`);
      return { outcome: "added", name: `memory.${layout.stray}` };
    },
    files: async () => ({ outcome: "files", paths: filesBelow(folder) }),
    async takeAway() {
      for (const name of names) renameSync(own(name), `${own(name)}.away`);
      return {
        outcome: "hindered",
        async end() {
          for (const name of names) renameSync(`${own(name)}.away`, own(name));
        },
      };
    },
    openReader: async () => holdOpen(filesBelow(folder)),
    makeReadOnly: async () => makeReadOnly(folder),
    fillDisk: async () => fillDisk(),
    close: async () => undefined,
  };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

interface Line {
  readonly id?: string;
  readonly text: string;
}

/** An application's log: appended to, and written anew where a record is replaced. */
function writeLines(folder: string, isComposite: boolean, records: readonly BenchRecord[]): Wrote {
  const file = join(folder, "log.jsonl");
  const keys: string[] = [];
  const lines = records.map(({ key, accounts, sources, text, vector }) => {
    const id = key ?? (isComposite ? JSON.stringify(["space", newKey()]) : newKey());
    keys.push(id);
    // The kit gives a composite key as the JSON array of its parts.
    const [space, part] = isComposite ? (JSON.parse(id) as string[]) : [undefined, id];
    return JSON.stringify({ id: part, space, users: accounts, sources, text, vec: vector && [...vector] });
  });
  const given = new Set(records.flatMap(({ key }) => key ?? []));
  if (given.size > 0 && existsSync(file) && !isComposite) {
    const kept = readLines(file).filter(({ id }) => id === undefined || !given.has(id));
    writeFileSync(file, kept.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  appendFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return { outcome: "written", keys };
}

function readLines(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  // Written right here.
  return lines.map((line) => JSON.parse(line) as Line);
}

function newKey(): string {
  return `record-${randomBytes(8).toString("hex")}`;
}

export const jsonlSubject: ConformanceSubject = {
  name: "jsonl",
  kind: jsonlFiles,
  cannot: FILE_CASES,
  async lay(order) {
    if (order.keys === "made-up") return impossible("whoever writes gives the key");
    const isComposite = order.keys === "composite";
    return layFiles(order, {
      pattern: "*.jsonl",
      declaration: {
        role: "transcript",
        key: isComposite ? ["space", "id"] : ["id"],
        subject: [{ type: "account", field: "users" }],
        content: [{ column: "text", as: "text" }],
        vector: "vec",
        derivedFrom: [{ surface: order.origins, field: "sources", as: "json" }],
      },
      holds: { accounts: "many", sources: "many", text: true, vectors: true, expiry: false },
      stray: "log.jsonl.bak",
      write: (folder, records) => writeLines(folder, isComposite, records),
      texts: (folder) => readLines(join(folder, "log.jsonl")).map(({ text }) => text),
    });
  },
};

const IS_PATH = "a key is the path of a file";
const NO_FIELDS = "a text file has no fields: its person is a part of its path, and no source can stand in it";

/** The person is the first folder of the path, where the kit gives no path. */
function writeFiles(folder: string, records: readonly BenchRecord[]): Wrote {
  const keys = records.map(({ key, accounts }) => key ?? `${accounts[0] ?? "nobody"}/${newKey()}.md`);
  const odd = keys.find((key) => key === "" || key.includes("\0") || key.split("/").some((part) => part.length > 255));
  if (odd !== undefined) return impossible(IS_PATH);
  for (const [place, { text }] of records.entries()) {
    const path = join(folder, keys[place] ?? "");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { outcome: "written", keys };
}

export const textSubject: ConformanceSubject = {
  name: "text",
  kind: textFiles,
  cannot: {
    ...FILE_CASES,
    "several-persons": NO_FIELDS,
    "several-sources": NO_FIELDS,
    "rewrite-persons": NO_FIELDS,
    "rewrite-sources": NO_FIELDS,
    "keys-nul": "no path of a file has a NUL in it",
    "keys-long": "no part of a path is longer than 255 bytes",
    "keys-empty": "no file has an empty path",
    "colliding-namespaces": IS_PATH,
  },
  async lay(order) {
    if (order.keys !== "plain") return impossible(IS_PATH);
    return layFiles(order, {
      pattern: "**/*",
      declaration: { subject: [{ type: "account", segment: 0, of: "key", sep: "/" }] },
      holds: { accounts: "one", sources: "none", text: true, vectors: false, expiry: false },
      // A wildcard matches no leading dot.
      stray: ".note.md.swp",
      write: writeFiles,
      texts: (folder) => filesBelow(folder).map((path) => readFileSync(path, "utf8")),
    });
  },
};
