// One history's memory: the application's stores, the engine over them, copies to crash and restore to. It judges nothing.
import { appendFileSync, chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import Database from "better-sqlite3";
import { getLoadablePath } from "sqlite-vec";
import type { Engine } from "../../src/engine.ts";
import { WriteRefusedError } from "../../src/model/errors.ts";
import { type Deleatur, openDeleatur } from "../../src/open-deleatur.ts";
import type { ProgressEvent } from "../../src/progress.ts";
import { isHeld } from "../../src/record/hold-write.ts";
import { anchorOf, DECLARED, type Declared, historyBoundary, TABLES } from "./boundary.ts";
import { type Holder, holderRandom, joinHolder } from "./holders.ts";
import { openEngine } from "./open-engine.ts";
import { createMoments, type Moments } from "./moments.ts";
import { seededRandomness } from "./random-numbers.ts";
import { type Target, Truth, type Utterance } from "./truth.ts";

export type Written = "written" | "refused" | "held" | "failed";

/** Where a write of the SDK stands still: `stop` is awaited before or behind the application's own insert. */
export interface Pause {
  readonly where: "before" | "after";
  readonly stop: Promise<void>;
}

const vec = getLoadablePath();
const START_MS = Date.UTC(2026, 10, 2, 8);
const TEMPLATE_SEED = 4711;
/** So long another process had the memory, by the history's clock. */
const CHILD_MS = 60_000;

export class World {
  readonly root: string;
  readonly moments: Moments = createMoments();
  readonly truth: Truth;
  readonly messages: string[] = [];
  readonly snapshots: string[] = [];
  readonly writers: Promise<unknown>[] = [];
  /** The processes that take part now. */
  readonly holders: Holder[] = [];
  readonly #engineRandom;
  /** Receipts by their path: the boundary that they were signed under, and how much had come past the guard by then. */
  readonly signed = new Map<string, { readonly form: string; readonly past: number }>();
  /** What anybody ever asked to be forgotten: a replay erases it again, whatever came of it. */
  readonly asked: Target[] = [];
  /** Counts what was written past the guard, restores included. */
  past = 0;
  /** What requests that ran beside the judged one said that others have lost by them. */
  lostBeside = 0;
  declared: Declared;
  app!: Database.Database;
  memory!: Deleatur;
  /** Counts crashes and restores: a writer of an earlier life must not write into a later one. */
  life = 0;
  #nowMs = START_MS;
  #keys = 100;
  #copies = 0;
  #reader: Database.Database | undefined;

  constructor(root: string, seed: number, truth: Truth, declared: Declared) {
    this.root = root;
    this.truth = truth;
    this.declared = declared;
    this.#engineRandom = seededRandomness(seed);
  }

  get directory(): string {
    return join(this.root, "live");
  }

  get engine(): Engine {
    return this.memory.engine;
  }

  now(): Date {
    this.#nowMs += 1;
    return new Date(this.#nowMs);
  }

  moveClock(ms: number): void {
    this.#nowMs += ms;
  }

  newKey(): number {
    this.#keys += 1;
    return this.#keys;
  }

  async open(): Promise<void> {
    this.app = new Database(join(this.directory, "memory.db"), { timeout: 0 });
    this.app.loadExtension(vec);
    this.app.pragma("journal_mode = WAL");
    this.memory = await this.openEngine(this.directory);
  }

  openEngine(directory: string, moments: Moments | undefined = this.moments): Promise<Deleatur> {
    const options = {
      clock: () => this.now(),
      random: (bytes: number) => this.#engineRandom.bytes(bytes),
      report: (event: ProgressEvent) => void this.messages.push(JSON.stringify(event)),
    };
    return openEngine(directory, this.declared, options, moments);
  }

  /** One more process takes part. */
  async join(): Promise<void> {
    const memory = await openDeleatur(historyBoundary(this.directory, this.declared), {
      clock: () => new Date(this.#nowMs),
      random: holderRandom,
      environment: {},
    });
    this.holders.push(await joinHolder(memory));
  }

  /** A copy of an episode in the memory of one of the processes. */
  async remember(holder: Holder, { id, text }: { readonly id: number; readonly text: string }): Promise<Written> {
    const key = `c${this.newKey()}`;
    const write = { key, sources: [`episodes/${id}`], content: { text } };
    return this.write(() =>
      holder.memory.derive("cache", write, () => void holder.copies.set(key, { text, source: id })),
    );
  }

  async close(): Promise<void> {
    this.moments.onMoment = undefined;
    this.life += 1;
    for (const holder of this.holders.splice(0)) await holder.leave();
    this.closeReader();
    this.app.close();
    await this.memory.close();
  }

  async reopen(declared: Declared = this.declared): Promise<void> {
    await this.close();
    this.declared = declared;
    await this.open();
  }

  /** Whether somebody holds a read transaction over the stores. */
  get isRead(): boolean {
    return this.#reader !== undefined;
  }

  openReader(): void {
    if (this.#reader !== undefined) return;
    this.#reader = new Database(join(this.directory, "memory.db"), { readonly: true });
    this.#reader.exec("BEGIN");
    this.#reader.prepare("SELECT count(*) FROM episodes").get();
  }

  closeReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  /** Lets another process have the memory, and goes on over what it leaves. */
  async leaveTo<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    await this.close();
    try {
      return await act();
    } finally {
      this.moveClock(CHILD_MS);
      await this.open();
    }
  }

  /** All files as a process that dies now would leave them. */
  copy(): string {
    this.#copies += 1;
    const copy = join(this.root, `copy-${this.#copies}`);
    copyTree(this.directory, copy);
    cpSync(anchorOf(this.directory), anchorOf(copy));
    return copy;
  }

  /** Goes on as the next process would, over the files of a copy. */
  async goOnFrom(copy: string): Promise<void> {
    await this.close();
    rmSync(this.directory, { recursive: true });
    renameSync(copy, this.directory);
    renameSync(anchorOf(copy), anchorOf(this.directory));
    buryWriters(join(this.directory, "deleatur.db"));
    await this.open();
  }

  /** Puts back what a copy has under these names, files of the same store together. */
  async restore(
    copy: string,
    stores: { readonly memory: boolean; readonly transcripts: boolean; readonly ledger: boolean },
  ): Promise<void> {
    await this.close();
    this.past += 1;
    const put = (isWanted: boolean, names: RegExp): void => {
      if (!isWanted) return;
      for (const name of readdirSync(this.directory))
        if (names.test(name)) rmSync(join(this.directory, name), { recursive: true });
      for (const name of readdirSync(copy))
        if (names.test(name)) copyTree(join(copy, name), join(this.directory, name));
    };
    put(stores.memory, /^memory\.db/u);
    put(stores.transcripts, /^transcripts$/u);
    // The keys are in no backup of the ledger, and the anchor knows what it had lost.
    put(stores.ledger, /^deleatur\.db(?:-wal)?$/u);
    await this.open();
  }

  /** Runs a write of the SDK and says how it ended; what it threw is kept, for nobody's words may stand in it. */
  async write(act: () => Promise<unknown>): Promise<Written> {
    try {
      return isHeld(await act()) ? "held" : "written";
    } catch (error) {
      this.keepMessage(error);
      return error instanceof WriteRefusedError ? "refused" : "failed";
    }
  }

  keepMessage(error: unknown): void {
    this.messages.push(error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : String(error));
  }

  /** Says a text under a person's name, or nobody's, with the entries that the application makes of it. */
  async say(
    utterance: Utterance,
    person: number | undefined,
    text: string,
    also: { readonly index: boolean; readonly vector: boolean; readonly line: boolean },
    pause?: Pause,
  ): Promise<Written> {
    const { memory, app, life, directory } = this;
    const id = this.newKey();
    const value = person === undefined ? undefined : this.truth.person(person).value;
    const subjects = value === undefined ? [] : [`account:${value}`];
    const insert = async (act: () => void): Promise<void> => {
      if (pause?.where === "before") await pause.stop;
      if (this.life !== life) throw new Error("this writer's process is dead");
      act();
      if (pause?.where === "after") await pause.stop;
    };
    const key = String(id);
    const sources = [`episodes/${id}`];
    const wasOwner = person !== undefined && utterance.owners.has(person);
    const said = await this.write(() =>
      memory.record("episodes", { key, subjects, content: { text } }, () =>
        insert(() => {
          app.prepare("INSERT INTO episodes VALUES (?, ?, ?)").run(id, value ?? null, text);
          utterance.records.set(`episodes/${id}`, person);
          if (!isSame(text, utterance)) utterance.inPart.add(`episodes/${id}`);
          if (person !== undefined) utterance.owners.add(person);
        }),
      ),
    );
    if (said !== "written") {
      // Taken back, unless the process died over it.
      if (this.life === life) {
        utterance.records.delete(`episodes/${id}`);
        if (person !== undefined && !wasOwner) utterance.owners.delete(person);
      }
      return said;
    }
    if (also.index)
      await this.write(() =>
        memory.derive("search", { key, sources, content: { text } }, () => {
          app.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)").run(id, text);
        }),
      );
    if (also.vector && this.declared.vectors)
      await this.write(() =>
        memory.derive("vectors", { key, sources, content: { embedding: utterance.vector } }, () => {
          app.prepare("INSERT INTO vectors VALUES (?, ?)").run(BigInt(id), Buffer.from(utterance.vector.buffer));
        }),
      );
    if (also.line)
      await this.write(() =>
        memory.derive("transcripts", { key: `l${id}`, subjects, sources, content: { text } }, () => {
          appendLine(directory, { id: `l${id}`, ...(value === undefined ? {} : { user: value }), episode: id, text });
        }),
      );
    return "written";
  }

  async summarise(ids: readonly number[], text: string, pause?: Pause): Promise<Written> {
    const { memory, app, life } = this;
    const key = `m${this.newKey()}`;
    const write = { key, sources: ids.map((id) => `episodes/${id}`), content: { text } };
    return this.write(() =>
      memory.derive("summaries", write, async () => {
        if (pause?.where === "before") await pause.stop;
        if (this.life !== life) throw new Error("this writer's process is dead");
        app.prepare("INSERT INTO summaries VALUES (?, ?, ?)").run(key, JSON.stringify(ids), text);
        if (pause?.where === "after") await pause.stop;
      }),
    );
  }

  /** The episodes that stand there, with their person and text. */
  episodes(): readonly { readonly id: number; readonly account: string | null; readonly text: string }[] {
    return this.app
      .prepare<[], { id: number; account: string | null; text: string }>(
        "SELECT id, account, text FROM episodes ORDER BY id",
      )
      .all();
  }
}

/** The same words and no others, whatever stands between them. */
function isSame(text: string, { words }: Utterance): boolean {
  return (text.toLowerCase().match(/[a-z]+/gu) ?? []).join(" ") === words.join(" ");
}

export function appendLine(directory: string, line: Readonly<Record<string, unknown>>): void {
  appendFileSync(join(directory, "transcripts", "day.jsonl"), `${JSON.stringify(line)}\n`);
}

function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith("-shm") });
  // A copy of Node 22 does not keep a folder's mode, and the ledger refuses keys that others may read.
  const keys = join(to, "deleatur.db.keys");
  try {
    chmodSync(keys, 0o700);
  } catch {
    // A part of the memory without the ledger has no keys.
  }
}

const deadPid = spawnSync("true").pid;

/** In the copy of a crash the writers and claims of this very process are those of a dead one. */
function buryWriters(ledger: string): void {
  const db = new Database(ledger);
  try {
    const columns = db
      .prepare<[], { table: string; column: string }>(
        `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
         WHERE t.schema = 'main' AND t.type = 'table' AND (c.name = 'pid' OR c.name LIKE '%\\_pid' ESCAPE '\\')`,
      )
      .all();
    for (const { table, column } of columns)
      db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE "${column}" = ?`).run(deadPid, process.pid);
  } finally {
    db.close();
  }
}

/** A memory of three people, built once through the SDK: each history begins with a copy of it. */
interface Template {
  readonly directory: string;
  readonly texts: readonly {
    readonly owners: ReadonlySet<number>;
    readonly records: ReadonlyMap<string, number | undefined>;
  }[];
}

let template: Promise<Template> | undefined;

async function buildTemplate(): Promise<Template> {
  const root = mkdtempSync(join(tmpdir(), "deleatur-histories-"));
  process.on("exit", () => rmSync(root, { recursive: true, force: true }));
  const truth = new Truth(TEMPLATE_SEED);
  const world = new World(root, TEMPLATE_SEED, truth, DECLARED);
  mkdirSync(join(world.directory, "transcripts"), { recursive: true });
  const db = new Database(join(world.directory, "memory.db"));
  db.loadExtension(vec);
  db.pragma("journal_mode = WAL");
  db.exec(TABLES);
  db.close();
  await world.open();
  for (const person of [0, 1, 2])
    for (const line of [true, false]) {
      const utterance = truth.newUtterance();
      await world.say(utterance, person, utterance.text, { index: true, vector: true, line });
    }
  for (const [a, b] of [
    [0, 1],
    [2, 3],
    [1, 4],
  ] as const) {
    const all = world.episodes();
    const [one, two] = [all[a], all[b]];
    if (one !== undefined && two !== undefined) await world.summarise([one.id, two.id], `${one.text} and ${two.text}`);
  }
  leaveTraces(world.app, truth);
  await world.close();
  return { directory: world.directory, texts: truth.utterances };
}

/** What the application had written and deleted itself, its bytes still in the file: only a rebuilt file is without them. */
function leaveTraces(app: Database.Database, truth: Truth): void {
  app.pragma("secure_delete = OFF");
  for (const { index, text } of truth.utterances) app.prepare("INSERT INTO notes VALUES (?, NULL, ?)").run(index, text);
  app.exec("DELETE FROM notes");
}

export async function newWorld(seed: number, declared: Declared): Promise<World> {
  template ??= buildTemplate();
  const { directory, texts } = await template;
  const truth = new Truth(TEMPLATE_SEED);
  for (const text of texts) {
    const utterance = truth.newUtterance();
    for (const owner of text.owners) utterance.owners.add(owner);
    for (const [record, whose] of text.records) utterance.records.set(record, whose);
  }
  const world = new World(mkdtempSync(join(tmpdir(), "deleatur-history-")), seed, truth, declared);
  copyTree(directory, world.directory);
  cpSync(anchorOf(directory), anchorOf(world.directory));
  // As it began is as it may be restored to.
  world.snapshots.push(directory);
  for (let count = 0; count < 20; count += 1) world.newKey();
  await world.open();
  if (declared.cache) await fillMemory(world);
  return world;
}

/** Two processes, each with every other episode in its memory. */
async function fillMemory(world: World): Promise<void> {
  for (const turn of [0, 1]) {
    await world.join();
    const holder = world.holders[turn];
    for (const [place, episode] of world.episodes().entries())
      if (holder !== undefined && place % 2 === turn) await world.remember(holder, episode);
  }
}

export async function endWorld(world: World): Promise<void> {
  await world.close();
  rmSync(world.root, { recursive: true, force: true });
}
