// The one object for the conformance kit: how to lay a log, how an application and a stranger write in it, and what it cannot do.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BenchRecord,
  type ConformanceSubject,
  fillDisk,
  holdOpen,
  impossible,
  makeReadOnly,
  noProcess,
  type Wrote,
} from "deleatur/conformance";
import { kind } from "./kind.ts";
import { append, withLock } from "./log-store.ts";

const LEASED = "the log takes every line: its fence is leased";
const GIVEN = "whoever writes gives the key, and a key is one text";
const ONE_LOG = "a log is one file and has no replica";

/** The application's own way in. */
async function write(file: string, records: readonly BenchRecord[]): Promise<Wrote> {
  if (!existsSync(file)) writeFileSync(file, "");
  const notes = records.map(({ key, accounts, sources, text }) => ({
    key: key ?? `note-${randomBytes(8).toString("hex")}`,
    people: accounts,
    sources,
    text,
  }));
  const done = await withLock(file, () => append(file, notes) ?? "written");
  if (done === undefined) throw new Error("another process keeps the log's lock");
  return { outcome: "written", keys: notes.map(({ key }) => key) };
}

export const subject: ConformanceSubject = {
  name: "append-log",
  kind,
  cannot: {
    "fence-exact": LEASED,
    "fence-sources": LEASED,
    "fence-keys": LEASED,
    "fence-adds": LEASED,
    expiry: "notes do not expire",
    vectors: "a note holds no vector",
    replicas: ONE_LOG,
    "replica-alone": ONE_LOG,
    "made-up-ids": GIVEN,
    "reused-ids": GIVEN,
    "colliding-namespaces": GIVEN,
  },
  async lay({ keys, replicas, folder, origins }) {
    if (keys !== "plain") return impossible(GIVEN);
    if (replicas > 0) return impossible(ONE_LOG);
    const file = join(folder, "memory.log");
    // Another application's log in the same folder.
    const beside = join(folder, "memory2.log");
    writeFileSync(file, "");
    return {
      outcome: "laid",
      declaration: {
        subject: [{ type: "account", field: "people" }],
        content: [{ column: "text", as: "text" }],
        derivedFrom: [{ surface: origins, field: "sources", as: "json" }],
      },
      connections: [{ type: "files", name: "memory", glob: file }],
      others: [],
      participation: noProcess,
      holds: { accounts: "many", sources: "many", text: true, vectors: false, expiry: false },
      containers: ["memory.*"],
      write: (records) => write(file, records),
      writeToReplica: async () => impossible(ONE_LOG),
      writeBeside: (records) => write(beside, records),
      readBeside: async () => readFileSync(beside, "utf8").split("\n").filter(Boolean),
      async addContainer(text) {
        writeFileSync(`${file}.bak`, `${JSON.stringify({ text })}\n`);
        return { outcome: "added", name: "memory.memory.log.bak" };
      },
      files: async () => ({ outcome: "files", paths: readdirSync(folder).map((name) => join(folder, name)) }),
      async takeAway() {
        const elsewhere = `${folder}.elsewhere`;
        renameSync(folder, elsewhere);
        return { outcome: "hindered", end: async () => renameSync(elsewhere, folder) };
      },
      openReader: async () => holdOpen([file]),
      makeReadOnly: async () => makeReadOnly(folder),
      fillDisk: async () => fillDisk(),
      close: async () => {},
    };
  },
};
