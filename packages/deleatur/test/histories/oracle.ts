// Looks at the stores by plain means, rows and bytes, for what the truth says is somebody's. It must use nothing of the engine.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { getLoadablePath } from "sqlite-vec";
import { tailOf, type Target, type Truth, type Utterance } from "./truth.ts";

const vec = getLoadablePath();

/** Every row of every table, index entry, vector and line, by place: `table/key`. */
export type Rows = ReadonlyMap<string, string>;

function storeFiles(directory: string): readonly string[] {
  const transcripts = join(directory, "transcripts");
  return [
    // The index of the log (`-shm`) holds page numbers only.
    ...["memory.db", "memory.db-wal", "memory.db-journal"].map((name) => join(directory, name)),
    ...readdirSync(transcripts).map((name) => join(transcripts, name)),
  ].filter((file) => existsSync(file));
}

/** All that is the ledger's own: database, log, receipts, keys. */
export function ledgerFiles(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => /\/(?:deleatur\.db|receipts\/)/u.test(file.slice(directory.length)) && !file.endsWith("-shm"));
}

interface Pattern {
  readonly what: string;
  /** A character a byte. */
  readonly bytes: string;
}

const isVector = ({ what }: Pattern): boolean => what.startsWith("vector");

/** How the histories write a text, and what of it is found however a page or an index cuts it. */
function patternsOf(utterance: Utterance): readonly Pattern[] {
  const { words, text, vector, index } = utterance;
  const bytes = Buffer.from(vector.buffer);
  return [
    ...words.map((word) => ({ what: `a word of text ${index}`, bytes: tailOf(word) })),
    { what: `base64 of text ${index}`, bytes: Buffer.from(text).toString("base64").slice(4, 36).toLowerCase() },
    { what: `hex of text ${index}`, bytes: Buffer.from(text).toString("hex").slice(4, 52) },
    { what: `UTF-16 of text ${index}`, bytes: Buffer.from(text.slice(0, 20), "utf16le").toString("latin1") },
    { what: `vector of text ${index}`, bytes: bytes.toString("latin1", 0, 16) },
    { what: `vector of text ${index}`, bytes: bytes.toString("latin1", 48, 64) },
  ];
}

function findIn(files: readonly string[], patterns: readonly Pattern[], raw: readonly Pattern[]): readonly string[] {
  return files.flatMap((file) => {
    // A character a byte; the capitals folded, so that a shouted word is found too.
    const whole = readFileSync(file, "latin1");
    const folded = whole.toLowerCase();
    return [
      ...patterns.filter(({ bytes }) => folded.includes(bytes)),
      ...raw.filter(({ bytes }) => whole.includes(bytes)),
    ].map(({ what }) => `${what} in ${file.slice(file.lastIndexOf("/") + 1)}`);
  });
}

/** Everything of the target that stands anywhere in the stores, or in what processes hold: places and what, never the words. */
export function tracesOf(
  directory: string,
  truth: Truth,
  target: Target,
  held: readonly string[] = [],
): readonly string[] {
  const own = truth.ofTarget(target).filter((one) => !one.isExcused && !one.isLate && !truth.isUnknowable(one));
  const patterns = own.flatMap((utterance) => patternsOf(utterance));
  const names =
    target.kind === "person" && !truth.person(target.person).isLate
      ? [{ what: "the identifier", bytes: truth.person(target.person).value }]
      : [];
  return [
    ...findIn(
      storeFiles(directory),
      [...patterns.filter((pattern) => !isVector(pattern)), ...names],
      patterns.filter(isVector),
    ),
    ...[...rowsOf(directory)].flatMap(([place, row]) =>
      own.some(({ words }) => words.some((word) => row.includes(word))) ? [`a row at ${place}`] : [],
    ),
    ...held.flatMap((text) =>
      own.some(({ words }) => words.some((word) => text.includes(word))) ? ["a copy in a process's memory"] : [],
    ),
  ];
}

/** Anything about anybody in files that must hold nothing about anybody. */
export function leaksIn(files: readonly string[], truth: Truth): readonly string[] {
  const words = truth.utterances.flatMap((utterance) => {
    const patterns = patternsOf(utterance);
    return [0, 4, 9, 10, 11, 12, 13].flatMap((at) => patterns[at] ?? []);
  });
  const names = truth.people.map(({ value, index }) => ({
    what: `the identifier of person ${index}`,
    bytes: tailOf(value),
  }));
  return findIn(files, [...words.filter((pattern) => !isVector(pattern)), ...names], words.filter(isVector));
}

/** Whether a text (a message, a progress event) says anything about anybody. */
export function leaksInText(text: string, truth: Truth): readonly string[] {
  const folded = text.toLowerCase();
  return [
    ...truth.people.filter(({ value }) => folded.includes(value)).map(({ index }) => `the identifier of ${index}`),
    ...truth.utterances
      .filter(({ words }) => words.some((word) => folded.includes(word)))
      .map(({ index }) => `a word of text ${index}`),
  ];
}

export function rowsOf(directory: string): Rows {
  const rows = new Map<string, string>();
  const db = new Database(join(directory, "memory.db"), { readonly: true });
  try {
    db.loadExtension(vec);
    const tables = db
      .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
      .pluck()
      .all()
      .filter((name) => !/^(?:sqlite_|deleatur_|vectors_|search_)/u.test(name));
    for (const table of tables) {
      for (const row of db.prepare(`SELECT * FROM "${table}"`).raw(true).all() as unknown[][])
        rows.set(`${table}/${String(row[0])}`, JSON.stringify(row, textOfBlob));
    }
    const vectors = db.prepare("SELECT id, lower(hex(embedding)) FROM vectors").raw(true).all() as [number, string][];
    for (const [id, hex] of vectors) rows.set(`vectors/${id}`, hex);
    db.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'search', 'instance')");
    const terms = db.prepare("SELECT doc, term FROM temp.terms ORDER BY doc, offset").raw(true).all() as [
      number,
      string,
    ][];
    for (const [doc, term] of terms) rows.set(`search/${doc}`, `${rows.get(`search/${doc}`) ?? ""} ${term}`);
  } finally {
    db.close();
  }
  const folder = join(directory, "transcripts");
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean);
    for (const line of lines) rows.set(`transcripts/${(JSON.parse(line) as { id: string }).id}`, line);
  }
  return rows;
}

function textOfBlob(_key: string, value: unknown): unknown {
  const isBlob = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
  return isBlob && "data" in value ? Buffer.from(value.data as number[]).toString("utf8") : value;
}

/** Rows that say nothing of the targets: what nobody may touch. */
export function bystanderRows(rows: Rows, truth: Truth, targets: readonly Target[]): Rows {
  const own = targets.flatMap((target) => truth.ofTarget(target));
  const words = new Set(own.flatMap((utterance) => utterance.words));
  const codes = own.flatMap(({ text, vector }) => [
    Buffer.from(text).toString("base64"),
    Buffer.from(text).toString("hex"),
    Buffer.from(vector.buffer).toString("hex"),
  ]);
  const values = targets.flatMap((target) => (target.kind === "person" ? [truth.person(target.person).value] : []));
  // What was made from a record of theirs is not another's, though somebody else deleted the record meanwhile and said its words again.
  const records = new Set(
    targets.flatMap((target) => (target.kind === "record" ? [target.record] : truth.recordsOf(target.person))),
  );
  for (const [place, row] of rows) if (values.some((value) => row.includes(value))) records.add(place);
  const keys = new Set([...records].flatMap((record) => /^episodes\/(\d+)$/u.exec(record)?.[1] ?? []));
  return new Map(
    [...rows].filter(([place, row]) => {
      const [table = "", key = ""] = place.split("/");
      const sources = sourcesOf(table, key, row);
      // An entry whose row somebody else has deleted is nobody's: an index that is built anew has it no more.
      if (records.has(place) || sources.some((source) => keys.has(source))) return false;
      if ((table === "vectors" || table === "search") && !rows.has(`episodes/${key}`)) return false;
      if ([...values, ...codes].some((value) => row.includes(value))) return false;
      return !row
        .toLowerCase()
        .split(/[^a-z]+/u)
        .some((word) => words.has(word));
    }),
  );
}

/**
 * Summaries of the targets and of others: what the others said must outlive the targets. By place, the others' words; only where the others' episode
 * stands there, for what was made from it alone is theirs.
 */
export function sharedRows(
  rows: Rows,
  truth: Truth,
  targets: readonly Target[],
): ReadonlyMap<string, readonly string[]> {
  const theirs = bystanderRows(rows, truth, targets);
  const shared = new Map<string, readonly string[]>();
  for (const [place, row] of rows) {
    if (!place.startsWith("summaries/") || theirs.has(place)) continue;
    const words = sourcesOf("summaries", "", row).flatMap((id) => {
      const episode = theirs.get(`episodes/${id}`)?.toLowerCase();
      return truth.utterances
        .filter(({ text }) => episode?.includes(text) === true)
        .flatMap((utterance) => utterance.words);
    });
    const standing = words.filter((word) => row.includes(word));
    if (standing.length > 0) shared.set(place, standing);
  }
  return shared;
}

/** The episodes that a row was made from, by its own columns. */
function sourcesOf(table: string, key: string, row: string): readonly string[] {
  if (table === "vectors" || table === "search") return [key];
  if (table === "transcripts") return [String((JSON.parse(row) as { episode?: number }).episode)];
  if (table !== "summaries") return [];
  const [, sources] = JSON.parse(row) as [string, string];
  return (JSON.parse(sources) as number[]).map(String);
}
