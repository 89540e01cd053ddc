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
const CHUNK = 10_000;

const nodeOf = (depth: number, number: number): ArtifactRef => refOf(`depth-${depth}`, `record-${number}`);

/** Which artifact of the next depth derives from this one, at this place of ten. */
const derivedOf = (depth: number, number: number, place: number, of: number): number =>
  scramble(scramble(depth * 31 + place) ^ scramble(number)) % of;

/** Records the graph the ordinary way. Answers edges and seconds. */
function fill(ledger: Ledger, scale: number): { readonly edges: number; readonly artifacts: number } {
  const sizes = DEPTHS.map((size) => size * scale);
  let [edges, artifacts] = [0, 0];
  sizes.forEach((size, depth) => {
    const above = depth === 0 ? 0 : (sizes[depth - 1] ?? 0);
    const sources: number[][] = Array.from({ length: size }, () => []);
    for (let number = 0; number < above; number += 1)
      for (let place = 0; place < FAN_OUT; place += 1) sources[derivedOf(depth - 1, number, place, size)]?.push(number);
    for (let first = 0; first < size; first += CHUNK) {
      ledger.recordArtifacts(
        sources.slice(first, first + CHUNK).map((from, at) => {
          edges += from.length;
          artifacts += 1;
          return {
            ref: nodeOf(depth, first + at),
            subjects: [],
            sources: from.map((number) => nodeOf(depth - 1, number)),
            origin: "recorded" as const,
          };
        }),
      );
    }
  });
  return { edges, artifacts };
}

interface Graph {
  readonly ledger: Ledger;
  /** Ids that derive from one artifact, by SQLite alone. */
  readonly cte: (id: number) => number;
  readonly idOf: (ref: ArtifactRef) => number;
  readonly edges: number;
  readonly close: () => void;
}

async function openGraph({ directory, note }: Scene, scale: number): Promise<Graph> {
  const folder = join(directory, `graph-${scale}`);
  mkdirSync(folder);
  const ledger = openIn(folder);
  const { ms, result } = await once(() => fill(ledger, scale));
  note(`${result.artifacts} artifacts with ${result.edges} edges recorded in ${(ms / 1000).toFixed(1)} s`);
  ledger.flush();
  const database = new Database(ledgerFile(folder), { readonly: true });
  const statement = database
    .prepare<[number], number>(
      `WITH RECURSIVE reached (id) AS (
         SELECT ? UNION SELECT d.derived FROM reached JOIN derivations AS d ON d.source = reached.id
       ) SELECT id FROM reached`,
    )
    .pluck();
  const find = database.prepare<[Uint8Array], number>("SELECT id FROM artifacts WHERE digest = ?").pluck();
  return {
    ledger,
    edges: result.edges,
    cte: (id) => statement.all(id).length,
    idOf: (ref) => find.get(ledger.artifactDigest(ref)) ?? 0,
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
async function time({ ledger, cte, idOf }: Graph, depth: number, expected: number): Promise<Times> {
  const [search, whole, peers, sizes]: number[][] = [[], [], [], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const from = nodeOf(depth, round * 7);
    const id = idOf(from);
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
  const small = await openGraph(scene, 1);
  const wide = await time(small, 0, 65_000);
  const narrow = await time(small, 2, 1_080);
  small.close();
  const large = await openGraph(scene, 10);
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
