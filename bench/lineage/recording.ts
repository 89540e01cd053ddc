// Recording against bare INSERTs: the peer is handed the very rows that a ledger wrote for the same artifacts, and writes them in the same order into the same tables.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { currentWriter } from "../../packages/deleatur/dist/ledger/process-identity.js";
import type { IntentOrder, Ledger } from "../../packages/deleatur/dist/ledger/ledger.js";
import { atLeast, type Figure, ratio, type Scene } from "../figure.ts";
import { byTurns } from "../sample.ts";
import { ledgerFile, openIn, refOf, scramble } from "./open-ledger.ts";

/** What stands in the ledger before: enough that a random digest finds a page of its own. */
const BASE = 200_000;
/** One person has twenty artifacts. */
const PER_PERSON = 20;

const SIZES = [
  { size: 1, rounds: 40, calls: 20, limit: 0.45 },
  { size: 100, rounds: 20, calls: 5, limit: 0.6 },
  { size: 1_000, rounds: 20, calls: 1, limit: 0.6 },
] as const;

/** An artifact derived from one before it, about one person; always the same for one number. */
function orderOf(number: number): IntentOrder {
  const contentDigest = new Uint8Array(32);
  new DataView(contentDigest.buffer).setUint32(0, scramble(number));
  return {
    ref: refOf("episodes", `episode-${number}-${scramble(number).toString(36)}`),
    subjects: [{ type: "account", value: `p-${Math.floor(number / PER_PERSON)}` }],
    sources: number === 0 ? [] : [keyOf(scramble(number) % number)],
    contentDigest,
    leaseMs: 60_000,
  };
}

const keyOf = (number: number) => refOf("episodes", `episode-${number}-${scramble(number).toString(36)}`);
const ordersFrom = (first: number, count: number): IntentOrder[] =>
  Array.from({ length: count }, (_, at) => orderOf(first + at));

function copyOf(directory: string, name: string): string {
  const copy = join(directory, name);
  mkdirSync(copy);
  cpSync(join(directory, "base"), copy, { recursive: true });
  return copy;
}

/** What the real path does in the ledger for one write of `orders`. */
function recordThrough(ledger: Ledger, orders: readonly IntentOrder[]): void {
  ledger.commitIntents(ledger.beginIntents(orders, currentWriter()));
}

type Values = readonly (string | number | Uint8Array | null)[];
const TABLES = [
  ["identifiers", "id, digest, sealed"],
  ["artifacts", "id, digest, surface, state, known_by, sealed, content_tag"],
  ["artifact_subjects", "subject, artifact"],
  ["derivations", "source, derived, origin"],
] as const;

/** The rows of each batch, as a ledger wrote them. */
function rowsOf(file: string, size: number, batches: number): (readonly Values[])[][] {
  const database = new Database(file, { readonly: true });
  const list = (sql: string): Values[] => database.prepare<[], Values>(sql).raw().all();
  const per = (id: number): number => Math.floor((id - BASE - 1) / size);
  const batchesOf: Values[][][] = Array.from({ length: batches }, () => TABLES.map(() => []));
  const firstIdentifier = BASE / PER_PERSON;
  const put = (batch: number, table: number, row: Values): void => void batchesOf[batch]?.[table]?.push(row);
  for (const row of list(`SELECT ${TABLES[1][1]} FROM artifacts WHERE id > ${BASE} ORDER BY id`))
    put(per(Number(row[0])), 1, row);
  const seen = new Set<unknown>();
  const persons = new Map(list("SELECT id, digest, sealed FROM identifiers").map((row) => [row[0], row]));
  for (const row of list(
    `SELECT subject, artifact FROM artifact_subjects WHERE artifact > ${BASE} ORDER BY artifact`,
  )) {
    const batch = per(Number(row[1]));
    put(batch, 2, row);
    const person = persons.get(row[0] ?? null);
    if (person === undefined || Number(row[0]) <= firstIdentifier || seen.has(row[0])) continue;
    seen.add(row[0]);
    put(batch, 0, person);
  }
  for (const row of list(`SELECT source, derived, origin FROM derivations WHERE derived > ${BASE} ORDER BY derived`))
    put(per(Number(row[1])), 3, row);
  database.close();
  return batchesOf;
}

/** Bare INSERTs in one transaction a batch, as durable as the ledger is. */
function openPeer(file: string): { readonly insert: (rows: readonly (readonly Values[])[]) => void; close(): void } {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  const statements = TABLES.map(([table, columns]) =>
    database.prepare<Values[number][]>(
      `INSERT INTO ${table} (${columns}) VALUES (${columns.replaceAll(/[a-z_]+/gu, "?")})`,
    ),
  );
  const insert = database.transaction((rows: readonly (readonly Values[])[]) => {
    rows.forEach((list, table) => {
      const statement = statements[table];
      for (const row of list) statement?.run(...row);
    });
  });
  return {
    insert(rows) {
      insert.immediate(rows);
    },
    close() {
      database.close();
    },
  };
}

export function recording({ directory, note }: Scene): Figure[] {
  const base = join(directory, "base");
  mkdirSync(base);
  const filled = openIn(base);
  for (let first = 0; first < BASE; first += 10_000)
    filled.recordArtifacts(
      ordersFrom(first, 10_000).map(({ ref, subjects, sources, contentDigest = new Uint8Array() }) => ({
        ref,
        subjects,
        sources,
        contentDigest,
        origin: "declared",
      })),
    );
  filled.close();
  note(`${BASE} artifacts stand in the ledger`);
  return SIZES.map(({ size, rounds, calls, limit }) => {
    const batches = (rounds + Math.ceil(rounds / 10)) * calls;
    const orders = Array.from({ length: batches }, (_, batch) => ordersFrom(BASE + batch * size, size));
    const model = copyOf(directory, `model-${size}`);
    const writer = openIn(model);
    for (const batch of orders) recordThrough(writer, batch);
    writer.close();
    const rows = rowsOf(ledgerFile(model), size, batches);
    const ledger = openIn(copyOf(directory, `ours-${size}`));
    const peer = openPeer(ledgerFile(copyOf(directory, `peer-${size}`)));
    const micros = byTurns(
      {
        ours: (call) => recordThrough(ledger, orders[call] ?? []),
        peer: (call) => peer.insert(rows[call] ?? []),
      },
      { rounds, calls },
    );
    const written = ledger.counts();
    ledger.close();
    peer.close();
    if (written.artifacts !== BASE + batches * size) throw new Error("not everything was recorded");
    const rate = (each: number): number => (size * 1e6) / each;
    return ratio(
      `recorded a second, ${size} a batch`,
      [rate(micros.ours), "1"],
      { what: "bare INSERTs of the same rows", value: rate(micros.peer) },
      atLeast(limit),
    );
  });
}
