// Everything derived from given artifacts: a frontier search in the ledger, then the best path to each and an order in memory. It must not miss an edge.
import { artifactId, type ArtifactRef } from "../model/ids.ts";
import { hexArray, hexOf, parseJson, type LedgerCore } from "./ledger-core.ts";
import type { ArtifactState, Lineage, Reached } from "./ledger.ts";
import { ORIGINS, STATE } from "./lineage-codes.ts";
import { openRef } from "./lineage.ts";

// A frontier is asked for in parts, so that one answer stays small.
const PART = 10_000;

/** Which artifacts derive from some: asked one by one, no key is opened. */
export interface Derived {
  /** How many the search went over, the erased among them too. */
  readonly walked: number;
  /** False for an erased one. */
  has(ref: ArtifactRef): boolean;
}

/** What was reached, in the order of the search, so by depth; an edge is its ends' places and its origin's rank. */
interface Graph {
  readonly ids: readonly number[];
  readonly depths: readonly number[];
  readonly edges: { readonly from: number[]; readonly to: number[]; readonly ranks: number[] };
}

/** By place; undefined for what the ledger does not know. */
function idsOf({ connection, digests }: LedgerCore, from: readonly ArtifactRef[]): readonly (number | undefined)[] {
  const ids: (number | undefined)[] = from.map(() => undefined);
  for (let start = 0; start < from.length; start += PART)
    for (const [place, id] of connection.rows<[number, number]>(
      "SELECT j.key, a.id FROM json_each(?) AS j CROSS JOIN artifacts AS a ON a.digest = unhex(j.value)",
      hexArray(from.slice(start, start + PART).map((ref) => digests.hashArtifact(ref))),
    ))
      ids[start + place] = id;
  return ids;
}

/** Walks level by level: every artifact is asked once for its edges, so cycles end by themselves. */
function searchGraph({ connection }: LedgerCore, from: Iterable<number>): Graph {
  const ids = [...new Set(from)];
  const depths = ids.map(() => 0);
  const placeOf = new Map(ids.map((id, place) => [id, place]));
  const edges: Graph["edges"] = { from: [], to: [], ranks: [] };
  for (let start = 0; start < ids.length;) {
    const part = ids.slice(start, start + PART);
    start += part.length;
    const rows = connection.rows<[number, number, number]>(
      `SELECT d.source, d.derived, d.origin FROM json_each(?) AS j CROSS JOIN derivations AS d ON d.source = j.value`,
      `[${part.join(",")}]`,
    );
    for (const [source, derived, rank] of rows) {
      const at = placeOf.get(source) ?? 0;
      let place = placeOf.get(derived);
      if (place === undefined) {
        place = ids.push(derived) - 1;
        placeOf.set(derived, place);
        depths.push((depths[at] ?? 0) + 1);
      }
      edges.from.push(at);
      edges.to.push(place);
      edges.ranks.push(rank);
    }
  }
  return { ids, depths, edges };
}

/** The search alone: no edge is kept, and a level's answer comes as one text, which costs less than a row for each edge. */
function findDerived(core: LedgerCore, from: readonly ArtifactRef[]): Derived {
  const { connection, digests } = core;
  const last = connection.get<{ last: number | null }>("SELECT max(id) AS last FROM artifacts")?.last ?? 0;
  // Ids count up: behind the last source there is nothing that anything derives from.
  const lastSource = connection.get<{ last: number | null }>("SELECT max(source) AS last FROM derivations")?.last ?? 0;
  const seen = new Uint8Array(Math.floor(last / 8) + 1);
  const isSeen = (id: number): boolean => ((seen[Math.floor(id / 8)] ?? 0) & (1 << (id % 8))) !== 0;
  const walked: number[] = [];
  const see = (id: number): void => {
    if (isSeen(id)) return;
    const at = Math.floor(id / 8);
    seen[at] = (seen[at] ?? 0) | (1 << (id % 8));
    walked.push(id);
  };
  for (const id of idsOf(core, from)) if (id !== undefined) see(id);
  for (let start = 0; start < walked.length;) {
    const level = walked.slice(start, start + PART);
    start += level.length;
    const part = level.filter((id) => id <= lastSource);
    if (part.length === 0) continue;
    const derived = connection.get<{ ids: string | null }>(
      `SELECT group_concat(d.derived) AS ids FROM json_each(?) AS j CROSS JOIN derivations AS d ON d.source = j.value`,
      `[${part.join(",")}]`,
    )?.ids;
    for (const id of parseJson<readonly number[]>(`[${derived ?? ""}]`)) see(id);
  }
  return {
    walked: walked.length,
    has(ref) {
      const row = connection.get<{ id: number; state: number }>(
        "SELECT id, state FROM artifacts WHERE digest = ?",
        digests.artifactDigest(ref),
      );
      return row !== undefined && row.state !== STATE.erased && row.id <= last && isSeen(row.id);
    },
  };
}

/** The edges that leave each artifact, as a range of places in one list. */
function leaving({ ids, edges }: Graph): { readonly starts: Uint32Array; readonly order: Uint32Array } {
  const starts = new Uint32Array(ids.length + 1);
  for (const source of edges.from) starts[source + 1] = (starts[source + 1] ?? 0) + 1;
  for (let place = 0; place < ids.length; place += 1)
    starts[place + 1] = (starts[place + 1] ?? 0) + (starts[place] ?? 0);
  const next = starts.slice();
  const order = new Uint32Array(edges.from.length);
  edges.from.forEach((source, edge) => {
    const at = next[source] ?? 0;
    order[at] = edge;
    next[source] = at + 1;
  });
  return { starts, order };
}

/** Bits of ORIGINS on the best path to each: first over recorded edges alone, then with declared, at last with inferred ones, so that what only the last reaches says so. */
function findBestPaths(graph: Graph, { starts, order }: ReturnType<typeof leaving>): Uint8Array {
  const { ids, depths, edges } = graph;
  const isReached = new Uint8Array(ids.length);
  const origins = new Uint8Array(ids.length);
  const reached: number[] = [];
  for (let place = 0; place < ids.length && depths[place] === 0; place += 1) {
    isReached[place] = 1;
    reached.push(place);
  }
  for (let worst = 0; worst < ORIGINS.length && reached.length < ids.length; worst += 1) {
    // The list grows while it is walked.
    for (const place of reached) {
      const end = starts[place + 1] ?? 0;
      for (let at = starts[place] ?? 0; at < end; at += 1) {
        const edge = order[at] ?? 0;
        const to = edges.to[edge] ?? 0;
        const rank = edges.ranks[edge] ?? ORIGINS.length;
        if (rank > worst || isReached[to] === 1) continue;
        isReached[to] = 1;
        origins[to] = (origins[place] ?? 0) | (1 << rank);
        reached.push(to);
      }
    }
  }
  return origins;
}

/** Sources before what is derived from them; a cycle is entered at its shallowest artifact. */
function sortBySource({ ids, edges }: Graph, { starts, order }: ReturnType<typeof leaving>): number[] {
  const waiting = new Uint32Array(ids.length);
  for (const to of edges.to) waiting[to] = (waiting[to] ?? 0) + 1;
  const isFree = Uint8Array.from(waiting, (count) => (count === 0 ? 1 : 0));
  const isPlaced = new Uint8Array(ids.length);
  const sorted: number[] = [];
  const ready: number[] = [];
  const put = (first: number): void => {
    ready.push(first);
    for (let place = ready.pop(); place !== undefined; place = ready.pop()) {
      if (isPlaced[place] === 1) continue;
      isPlaced[place] = 1;
      sorted.push(place);
      const end = starts[place + 1] ?? 0;
      for (let at = starts[place] ?? 0; at < end; at += 1) {
        const to = edges.to[order[at] ?? 0] ?? 0;
        const left = (waiting[to] ?? 1) - 1;
        waiting[to] = left;
        if (left === 0) ready.push(to);
      }
    }
  };
  for (let place = 0; place < ids.length; place += 1) if (isFree[place] === 1) put(place);
  // Places are in order of depth, so what is left begins with the shallowest of a cycle.
  for (let place = 0; place < ids.length; place += 1) if (isPlaced[place] === 0) put(place);
  return sorted;
}

interface Described {
  readonly ref: ArtifactRef;
  readonly state: ArtifactState;
}

/** Opens the keys of all that live; an erased artifact has none. */
function describe(core: LedgerCore, ids: readonly number[]): Map<number, Described> {
  const { connection } = core;
  const held = new Set(connection.rows<[Uint8Array]>("SELECT artifact FROM holds").map(([digest]) => hexOf(digest)));
  const described = new Map<number, Described>();
  for (let start = 0; start < ids.length; start += PART) {
    const rows = connection.rows<[number, Uint8Array, string, number, Uint8Array | null]>(
      `SELECT a.id, a.digest, a.surface, a.state, a.sealed FROM json_each(?) AS j CROSS JOIN artifacts AS a ON a.id = j.value`,
      `[${ids.slice(start, start + PART).join(",")}]`,
    );
    for (const [id, digest, surface, state, sealed] of rows) {
      if (sealed === null || state === STATE.erased) continue;
      const isHeld = held.size > 0 && held.has(hexOf(digest));
      described.set(id, { ref: openRef(core, { digest, surface, sealed }), state: isHeld ? "kept" : "live" });
    }
  }
  return described;
}

/** The names of a set of origins, sorted; the sets are few. */
const NAMES = Array.from({ length: 1 << ORIGINS.length }, (_, bits) =>
  ORIGINS.filter((_origin, bit) => (bits & (1 << bit)) !== 0).toSorted(),
);

export function createClosure(core: LedgerCore): Pick<Lineage, "closure" | "derivedFrom"> {
  return {
    closure(from) {
      return core.connection.snapshot(() => {
        const given = new Map<number, ArtifactRef>();
        // Artifacts that the ledger does not know reach nothing but themselves.
        const unknown = new Map<string, ArtifactRef>();
        // Who is asked about a person names most of a closure more than once.
        const distinct = [...new Map(from.map((ref) => [artifactId(ref), ref])).values()];
        idsOf(core, distinct).forEach((id, place) => {
          const ref = distinct[place];
          if (ref === undefined) return;
          const { surface, key } = ref;
          if (id === undefined) unknown.set(`${surface}/${key}`, { surface, key });
          else if (!given.has(id)) given.set(id, { surface, key });
        });
        const graph = searchGraph(core, given.keys());
        const edges = leaving(graph);
        const origins = findBestPaths(graph, edges);
        const described = describe(core, graph.ids);
        const reached: Reached[] = [...unknown.values()].map((ref) => ({ ref, depth: 0, origins: [], state: "live" }));
        for (const place of sortBySource(graph, edges)) {
          const id = graph.ids[place] ?? 0;
          const known = described.get(id);
          const ref = given.get(id) ?? known?.ref;
          if (ref === undefined) continue;
          reached.push({
            ref,
            depth: graph.depths[place] ?? 0,
            origins: NAMES[origins[place] ?? 0] ?? [],
            state: known?.state ?? "erased",
          });
        }
        return reached;
      });
    },
    derivedFrom: (from) => core.connection.snapshot(() => findDerived(core, from)),
  };
}
