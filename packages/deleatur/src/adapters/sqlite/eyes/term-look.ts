// Looks for index terms that only erased content had: in the live index (rows that are gone) and in the raw bytes (deleted, not yet merged or freed) (C04).
import { open } from "node:fs/promises";
import { basename } from "node:path";
import Database from "better-sqlite3";
import type { Finding, Needle } from "../../../model/needle.ts";
import { quoteName, quoteText, type SqliteFile } from "../options.ts";
import { sqliteCode } from "../store-errors.ts";
import { fullTextTables, liveTerms } from "./live-content.ts";
import type { Reader } from "./open-reader.ts";
import { seeFullText, type FullText } from "./read-cells.ts";
import { createPatternScanner, separatorForms, termPatterns, type TermPattern } from "./term-patterns.ts";

/** Terms of erased content that no living row has, by needle. */
export interface LostTerms {
  readonly table: string;
  readonly isTrigram: boolean;
  readonly byNeedle: ReadonlyMap<number, readonly string[]>;
}

/** For each index of the store, what to look for. */
export function collectLostTerms(db: Reader, needles: readonly Needle[]): readonly LostTerms[] {
  return fullTextTables(db).map(({ name, body }) => {
    const index = seeFullText(body);
    const known = new Map(needles.map((needle) => [needle.index, needle]));
    // Controls that have bytes of their own prove the eyes by whole runs of them; terms of what lives are no leftovers.
    const byNeedle = tokenize(
      needles.filter(({ fate }) => fate !== "control"),
      index.tokenizer,
    );
    openVocabulary(db, name);
    const isLiving = db.prepare<[string, bigint | null]>(
      `SELECT 1 FROM temp.deleatur_instances WHERE term = ? AND doc IN (${livingRows(name, index)}) AND doc IS NOT ? LIMIT 1`,
    );
    const living = new Map<string, boolean>();
    const lives = (term: string, own: bigint | null): boolean => {
      // What no row is left out for is asked once, however many needles have the term.
      const answer = (own === null ? living.get(term) : undefined) ?? isLiving.get(term, own) !== undefined;
      if (own === null) living.set(term, answer);
      return answer;
    };
    const lost = [...byNeedle].map(([needle, terms]) => {
      const own = index.mode === "none" ? ownRow(known.get(needle)) : null;
      return [needle, terms.filter((term) => !lives(term, own))] as const;
    });
    return { table: name, isTrigram: /trigram/i.test(index.tokenizer ?? ""), byNeedle: new Map(lost) };
  });
}

/** The stored forms of controls that live in an index without content: there, terms are all that stands in the bytes. */
export function controlPatterns(
  db: Reader,
  needles: readonly Needle[],
  tables: ReadonlyMap<string, string>,
): readonly TermPattern[] {
  return fullTextTables(db).flatMap(({ name, body }) => {
    const index = seeFullText(body);
    const controls = needles.filter(
      ({ fate, ref }) => fate === "control" && tables.get(ref.surface)?.toLowerCase() === name.toLowerCase(),
    );
    if (index.mode !== "none" || controls.length === 0) return [];
    const isTrigram = /trigram/i.test(index.tokenizer ?? "");
    return [...tokenize(controls, index.tokenizer)].flatMap(([needle, terms]) =>
      terms.flatMap((term, number) => termPatterns(needle, number, term, isTrigram)),
    );
  });
}

/** The row of an index without content that belongs to an erased record of the same number: listed or not, it does not live. */
function ownRow(needle: Needle | undefined): bigint | null {
  return needle?.fate === "erased" && /^-?\d{1,18}$/.test(needle.ref.key) ? BigInt(needle.ref.key) : null;
}

/** Terms that the live index still holds although no living row has them. */
export function* lookInIndex(db: Reader, target: SqliteFile, lost: readonly LostTerms[]): Generator<Finding> {
  for (const { table, byNeedle } of lost) {
    const present = new Set(liveTerms(db, table));
    for (const [needle, terms] of byNeedle) {
      const count = terms.filter((term) => present.has(term)).length;
      if (count === 0) continue;
      yield {
        probe: "bytes",
        depth: "index",
        needle,
        place: { container: `${target.store}.${table}` },
        match: { how: "term", terms: count },
      };
    }
  }
}

const CHUNK = 1 << 20;
const OVERLAP = 256;

/**
 * What to look for in raw bytes, where nobody can tell one index from another: a tail that a term of any live index also has says nothing, nor does a term with which a living one begins.
 * (The live indexes themselves are asked term by term, see `lookInIndex`.)
 */
export function rawPatterns(db: Reader, lost: readonly LostTerms[]): readonly TermPattern[] {
  const byForm = new Map<string, TermPattern[]>();
  let number = 0;
  for (const { byNeedle, isTrigram } of lost) {
    for (const [needle, terms] of byNeedle) {
      for (const term of terms) {
        number += 1;
        for (const pattern of termPatterns(needle, number, term, isTrigram)) {
          const form = pattern.bytes.toString("latin1");
          const known = byForm.get(form);
          if (known === undefined) byForm.set(form, [pattern]);
          else known.push(pattern);
        }
      }
    }
  }
  if (byForm.size === 0) return [];
  for (const { table, isTrigram } of lost) {
    // `nation` behind `name` is stored as `ration` is behind `ram`: two lengths and the same tail.
    for (const term of liveTerms(db, table)) {
      for (const { bytes } of termPatterns(0, 0, term, isTrigram)) byForm.delete(bytes.toString("latin1"));
      for (const bytes of separatorForms(term)) byForm.delete(bytes.toString("latin1"));
    }
  }
  return [...byForm.values()].flat();
}

/** Terms in the raw bytes of a file, as FTS5 writes them. */
export async function* lookInFile(
  path: string,
  patterns: readonly TermPattern[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  if (patterns.length === 0) return;
  const scanner = createPatternScanner(patterns);
  const found = new Map<number, { readonly terms: Set<number>; readonly offset: number }>();
  const file = await open(path, "r");
  try {
    const buffer = new Uint8Array(CHUNK + OVERLAP);
    for (let base = 0; ; base += CHUNK) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length, base);
      if (bytesRead === 0) break;
      scanner.scan(buffer.subarray(0, bytesRead), ({ needle, term }, at) => {
        const known = found.get(needle);
        if (known === undefined) found.set(needle, { terms: new Set([term]), offset: base + at });
        else known.terms.add(term);
      });
    }
  } finally {
    await file.close();
  }
  const name = basename(path);
  for (const [needle, { terms, offset }] of found) {
    yield {
      probe: "bytes",
      depth: "bytes",
      needle,
      place: { container: name, file: name, offset },
      match: { how: "term", terms: terms.size },
    };
  }
}

function openVocabulary(db: Reader, table: string): void {
  db.exec("DROP TABLE IF EXISTS temp.deleatur_instances");
  db.exec(`CREATE VIRTUAL TABLE temp.deleatur_instances USING fts5vocab(main, ${quoteText(table)}, 'instance')`);
}

/** The rows that an index may lawfully hold terms of. */
function livingRows(table: string, { mode, contentTable, contentRowid, hasDocsize }: FullText): string {
  switch (mode) {
    case "own":
      return `SELECT id FROM ${quoteName(`${table}_content`)}`;
    case "external":
      return `SELECT ${quoteName(contentRowid)} FROM ${quoteName(contentTable)}`;
    case "none":
      return hasDocsize ? `SELECT id FROM ${quoteName(`${table}_docsize`)}` : "SELECT doc FROM temp.deleatur_instances";
    default:
      return mode satisfies never;
  }
}

/** Each needle's distinct terms, made by the index's own tokenizer in a database that never touches a disk. */
function tokenize(needles: readonly Needle[], tokenizer: string | undefined): ReadonlyMap<number, readonly string[]> {
  const scratch = new Database(":memory:");
  try {
    createScratchIndex(scratch, tokenizer);
    const insert = scratch.prepare<[number, string]>("INSERT INTO scratch (rowid, words) VALUES (?, ?)");
    // A record and its entry in the index say the same: each text is taken apart once.
    const byText = new Map<string, number[]>();
    for (const { index, content } of needles) {
      const text = content.flatMap((field) => (field.type === "text" ? [field.text] : [])).join("\n");
      if (text === "") continue;
      const known = byText.get(text);
      if (known === undefined) byText.set(text, [index]);
      else known.push(index);
    }
    const owners = [...byText.values()];
    scratch.transaction(() => {
      for (const [place, text] of [...byText.keys()].entries()) insert.run(place + 1, text);
    })();
    scratch.exec("CREATE VIRTUAL TABLE terms USING fts5vocab(scratch, 'instance')");
    const termsOf = new Map<number, string[]>();
    const rows = scratch.prepare<[], [number, string]>("SELECT doc, term FROM terms").raw(true);
    for (const [doc, term] of rows.iterate()) {
      const known = termsOf.get(doc);
      if (known === undefined) termsOf.set(doc, [term]);
      else known.push(term);
    }
    const byNeedle = new Map<number, readonly string[]>();
    for (const [place, indexes] of owners.entries())
      for (const index of indexes) byNeedle.set(index, termsOf.get(place + 1) ?? []);
    return byNeedle;
  } finally {
    scratch.close();
  }
}

function createScratchIndex(scratch: Reader, tokenizer: string | undefined): void {
  const create = (option: string): void => {
    // Without places a term stands once for each text.
    scratch.exec(`CREATE VIRTUAL TABLE scratch USING fts5(words${option}, content='', columnsize=0, detail=none)`);
  };
  if (tokenizer === undefined) {
    create("");
    return;
  }
  try {
    create(`, tokenize=${tokenizer}`);
  } catch (cause) {
    if (sqliteCode(cause) === undefined) throw cause;
    create(""); // a tokenizer of the application's own: its terms are near enough to words
  }
}
