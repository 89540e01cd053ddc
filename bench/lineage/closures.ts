// Closures against SQLite's own recursive CTE over the same tables, and against the same closure in a ledger ten times as large.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Ledger } from "../../packages/deleatur/dist/ledger/ledger.js";
import type { ArtifactRef } from "../../packages/deleatur/dist/model/ids.js";
import { atMost, type Figure, plain, ratio, type Scene } from "../figure.ts";
import { median, once } from "../sample.ts";
import { ledgerFile, openIn, refOf, scramble } from "./open-ledger.ts";

const FAN_OUT = 10;
/** Artifacts of each depth, in a graph of a million edges: everything but the last has ten derived artifacts, drawn from the next depth. */
const DEPTHS = [5_000, 10_000, 20_000, 25_000, 40_000, 74_000] as const;
const ROUNDS = 9;

const nodeOf = (id: number): ArtifactRef => refOf("records", `record-${id}`);

/** Ids of a graph: depth by depth, from 1 on. */
interface Layout {
  readonly sizes: readonly number[];
  /** The first id of each depth. */
  readonly starts: readonly number[];
}

function layOut(scale: number): Layout {
  const sizes = DEPTHS.map((size) => size * scale);
  let next = 1;
  const starts = sizes.map((size) => {
    const start = next;
    next += size;
    return start;
  });
  return { sizes, starts };
}

/** The ids that derive from one, sorted. */
function derivedOf(id: number, depth: number, { sizes, starts }: Layout): number[] {
  const of = sizes[depth + 1] ?? 0;
  const first = starts[depth + 1] ?? 0;
  if (of === 0) return [];
  const drawn = new Set<number>();
  for (let place = 0; drawn.size < FAN_OUT; place += 1) drawn.add(first + (scramble(scramble(id) + place) % of));
  return [...drawn].toSorted((a, b) => a - b);
}

const startOf = ({ starts }: Layout, depth: number, round: number): number => (starts[depth] ?? 0) + round * 7;

/**
 * Writes the edges into the ledger's own table, past the ledger, which would take minutes for ten million of them; and the rows of the artifacts
 * that will be reached, with the digest and the seal that the ledger would give them.
 */
function fill(file: string, ledger: Ledger, layout: Layout, begins: readonly { depth: number; id: number }[]): number {
  const database = new Database(file);
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -400000");
  const index = database
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'derivations_by_derived'")
    .pluck()
    .get();
  database.exec("DROP INDEX derivations_by_derived");
  const row = "(?,?,0)";
  const insert = database.prepare<number[]>(
    `INSERT INTO derivations (source, derived, origin) VALUES ${`${row},`.repeat(FAN_OUT - 1)}${row}`,
  );
  let edges = 0;
  database.transaction(() => {
    layout.sizes.slice(0, -1).forEach((size, depth) => {
      const start = layout.starts[depth] ?? 0;
      for (let id = start; id < start + size; id += 1) {
        insert.run(...derivedOf(id, depth, layout).flatMap((derived) => [id, derived]));
        edges += FAN_OUT;
      }
    });
  })();
  database.exec(index ?? "");
  const artifact = database.prepare<[number, Uint8Array, string, Uint8Array]>(
    "INSERT INTO artifacts (id, digest, surface, state, known_by, sealed) VALUES (?, ?, ?, 1, 0, ?)",
  );
  const seen = new Map(begins.map(({ id, depth }) => [id, depth]));
  // The map grows while it is walked.
  for (const [id, depth] of seen)
    for (const derived of derivedOf(id, depth, layout)) if (!seen.has(derived)) seen.set(derived, depth + 1);
  database.transaction(() => {
    for (const id of [...seen.keys()].toSorted((a, b) => a - b)) {
      const ref = nodeOf(id);
      const digest = ledger.artifactDigest(ref);
      artifact.run(id, digest, ref.surface, ledger.keys.artifactSeal.seal(digest, ref.key));
    }
  })();
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
  return edges;
}

interface Graph {
  readonly ledger: Ledger;
  /** Ids that derive from one artifact, by SQLite alone. */
  readonly cte: (id: number) => number;
  readonly layout: Layout;
  readonly edges: number;
  readonly close: () => void;
}

async function openGraph({ directory, note }: Scene, scale: number, depths: readonly number[]): Promise<Graph> {
  const folder = join(directory, `graph-${scale}`);
  mkdirSync(folder);
  const ledger = openIn(folder);
  const layout = layOut(scale);
  const begins = depths.flatMap((depth) =>
    Array.from({ length: ROUNDS + 1 }, (_, round) => ({ depth, id: startOf(layout, depth, round) })),
  );
  const { ms, result: edges } = await once(() => fill(ledgerFile(folder), ledger, layout, begins));
  note(`${edges} edges laid in ${(ms / 1000).toFixed(1)} s`);
  const database = new Database(ledgerFile(folder), { readonly: true });
  const statement = database
    .prepare<[number], number>(
      `WITH RECURSIVE reached (id) AS (
         SELECT ? UNION SELECT d.derived FROM reached JOIN derivations AS d ON d.source = reached.id
       ) SELECT id FROM reached`,
    )
    .pluck();
  return {
    ledger,
    layout,
    edges,
    cte: (id) => statement.all(id).length,
    close() {
      database.close();
      ledger.close();
    },
  };
}

interface Times {
  readonly search: number;
  readonly whole: number;
  readonly cte: number;
  readonly size: number;
}

/** Medians in milliseconds over artifacts of one depth, by turns. */
async function time({ ledger, cte, layout }: Graph, depth: number, expected: number): Promise<Times> {
  const [search, whole, peers, sizes]: number[][] = [[], [], [], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const id = startOf(layout, depth, round);
    const from = nodeOf(id);
    const peer = await once(() => cte(id));
    const searched = await once(() => ledger.derivedFrom([from]).walked);
    const opened = await once(() => ledger.closure([from]).length);
    if (peer.result !== searched.result || peer.result !== opened.result) throw new Error("the closures differ");
    if (Math.abs(peer.result / expected - 1) > 0.1) throw new Error(`a closure of ${peer.result}, not ${expected}`);
    if (round === 0) continue;
    search?.push(searched.ms);
    whole?.push(opened.ms);
    peers?.push(peer.ms);
    sizes?.push(peer.result);
  }
  return {
    search: median(search ?? []),
    whole: median(whole ?? []),
    cte: median(peers ?? []),
    size: median(sizes ?? []),
  };
}

export async function closures(scene: Scene): Promise<readonly Figure[]> {
  const small = await openGraph(scene, 1, [0, 2]);
  const wide = await time(small, 0, 65_000);
  const narrow = await time(small, 2, 1_080);
  small.close();
  const large = await openGraph(scene, 10, [2]);
  const narrowOfLarge = await time(large, 2, 1_110);
  large.close();
  const peer = { what: "recursive CTE", value: wide.cte };
  return [
    ratio(`search: ${wide.size} of ${small.edges} edges`, [wide.search, "ms"], peer, atMost(0.3)),
    ratio(`the same with paths, order and opened keys`, [wide.whole, "ms"], peer),
    plain(`search: ${narrow.size} of ${small.edges} edges`, [narrow.search, "ms"]),
    ratio(
      `search: ${narrowOfLarge.size} of ${large.edges} edges`,
      [narrowOfLarge.search, "ms"],
      { what: `of ${small.edges} edges`, value: narrow.search },
      atMost(2),
    ),
    ratio(`the same with paths, order and opened keys`, [narrowOfLarge.whole, "ms"], {
      what: `of ${small.edges} edges`,
      value: narrow.whole,
    }),
  ];
}
