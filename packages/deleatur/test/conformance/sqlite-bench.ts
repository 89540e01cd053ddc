// What the benches of the three SQLite kinds share: files with an application's own connections, and a bench over them.
import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load as loadVec } from "sqlite-vec";
import {
  type Bench,
  type BenchOrder,
  type BenchRecord,
  impossible,
  noProcess,
  type Wrote,
  fillDisk,
  makeReadOnly,
} from "../../src/conformance/index.ts";
import type { SurfaceDeclaration } from "../../src/model/declaration.ts";
import { storeNames, writeAlike } from "./write-alike.ts";

export interface SqliteLayout {
  /** Makes the declared table `records` and its neighbour `records2`. */
  readonly sql: string;
  readonly declaration: Bench["declaration"];
  readonly holds: Bench["holds"];
  /** Where the neighbour's texts stand: itself, or the table that it is over. */
  readonly textsBeside: "records2" | "docs2";
  /** Other surfaces of the store. */
  readonly others?: readonly SurfaceDeclaration[];
  /** The tables of `sql`, shadows included. */
  readonly tables: readonly string[];
  readonly insert: (app: Database.Database, table: "records" | "records2", records: readonly BenchRecord[]) => Wrote;
}

/** The application's own connection: WAL, as it opens it. */
function open(file: string): Database.Database {
  const app = new Database(file);
  loadVec(app);
  app.pragma("journal_mode = WAL");
  return app;
}

export function laySqlite({ folder, replicas }: BenchOrder, layout: SqliteLayout): Bench {
  const names = storeNames(replicas);
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const file = (name: string): string => join(disk, `${name}.db`);
  const openAll = (): Database.Database[] => names.map((name) => open(file(name)));
  let apps = openAll();
  for (const app of apps) app.exec(layout.sql);
  const own = (): Database.Database => {
    const [app] = apps;
    if (app === undefined) throw new Error("there is a store of its own");
    return app;
  };
  const closeAll = (): void => {
    for (const app of apps) app.close();
  };
  return {
    outcome: "laid",
    declaration: { table: "records", ...layout.declaration },
    connections: names.map((name) => ({ type: "sqlite", name, file: file(name) })),
    others: layout.others ?? [],
    participation: noProcess,
    holds: layout.holds,
    containers: names.flatMap((name) => layout.tables.map((table) => `${name}.${table}`)),
    write: (records) => writeAlike(apps, records, (app, copies) => layout.insert(app, "records", copies)),
    async writeToReplica(records) {
      const replica = apps[1];
      return replica === undefined ? impossible("no replica was laid") : layout.insert(replica, "records", records);
    },
    writeBeside: async (records) => layout.insert(own(), "records2", records),
    readBeside: async () => own().prepare<[], string>(`SELECT text FROM ${layout.textsBeside}`).pluck().all(),
    async addContainer(text) {
      own().exec("CREATE TABLE stray (note TEXT)");
      own().prepare("INSERT INTO stray VALUES (?)").run(text);
      return { outcome: "added", name: "memory.stray" };
    },
    files: async () => ({ outcome: "files", paths: readdirSync(disk).map((name) => join(disk, name)) }),
    async takeAway() {
      closeAll();
      const away = join(folder, "away");
      renameSync(disk, away);
      return {
        outcome: "hindered",
        async end() {
          renameSync(away, disk);
          apps = openAll();
        },
      };
    },
    async openReader() {
      const readers = openAll();
      for (const reader of readers) {
        reader.exec("BEGIN");
        reader.prepare("SELECT * FROM records").all();
      }
      return {
        outcome: "hindered",
        async end() {
          for (const reader of readers) reader.close();
        },
      };
    },
    async makeReadOnly() {
      const hindrance = makeReadOnly(disk);
      for (const app of apps) app.pragma("query_only = ON");
      return {
        outcome: "hindered",
        async end() {
          await hindrance.end();
          for (const app of apps) app.pragma("query_only = OFF");
        },
      };
    },
    fillDisk: async () => fillDisk(),
    close: async () => closeAll(),
  };
}

/** A refusal of the fence's triggers is an answer, anything else an error. */
export function orRefused(write: () => readonly string[]): Wrote {
  try {
    return { outcome: "written", keys: write() };
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("deleatur: FENCED"))
      return { outcome: "refused", why: cause.message };
    throw cause;
  }
}

export function blobOf(vector: Float32Array | undefined): Buffer | null {
  return vector === undefined ? null : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** A key that nobody gave. */
export function makeKey(app: Database.Database): string {
  return `record-${app.prepare<[], string>("SELECT hex(randomblob(8))").pluck().get() ?? ""}`;
}
