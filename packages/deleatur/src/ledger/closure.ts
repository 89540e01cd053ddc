// Everything derived from given artifacts: a frontier search in the ledger, then the best path to each and an order in memory. It must not miss an edge.
import type { EdgeOrigin } from "../model/artifact.ts";
import type { ArtifactRef } from "../model/ids.ts";
import { hexList, hexOf, storedRef, type LedgerCore } from "./ledger-core.ts";
import { unsealArtifact } from "./lineage.ts";
import type { ArtifactState, Lineage, Reached } from "./ledger.ts";

const ORIGINS: readonly EdgeOrigin[] = ["recorded", "declared", "inferred"];
// A frontier is asked for in parts, so that one answer stays small.
const PART = 10_000;

interface Node {
  readonly digest: Uint8Array;
  readonly depth: number;
  ref: ArtifactRef | undefined;
  state: ArtifactState;
  /** Indices of derived nodes, and the origin of each edge as its place in ORIGINS. */
  readonly derived: number[];
  readonly ranks: number[];
  /** Bits of ORIGINS on the best path; -1 before it is found. */
  origins: number;
}

function createNode(digest: Uint8Array, depth: number, ref?: ArtifactRef): Node {
  return { digest, depth, ref, state: "live", derived: [], ranks: [], origins: -1 };
}

/** Walks level by level: every artifact is asked once for its edges, so cycles end by themselves. */
function searchNodes(core: LedgerCore, from: readonly ArtifactRef[]): Node[] {
  const { connection, digests } = core;
  const nodes: Node[] = [];
  const indexOf = new Map<string, number>();
  const held = new Set(connection.rows<[Uint8Array]>("SELECT artifact FROM holds").map(([digest]) => hexOf(digest)));

  function enter(digest: Uint8Array, depth: number, ref?: ArtifactRef): number {
    const hex = hexOf(digest);
    const known = indexOf.get(hex);
    if (known !== undefined) return known;
    indexOf.set(hex, nodes.length);
    return nodes.push(createNode(digest, depth, ref)) - 1;
  }

  function describe(part: readonly Node[]): void {
    const rows = connection.rows<[number, string, string, Uint8Array | null]>(
      `SELECT j.key, a.surface, a.state, a.sealed FROM json_each(?) AS j
       CROSS JOIN artifacts AS a ON a.digest = unhex(j.value)`,
      hexList(part.map(({ digest }) => digest)),
    );
    for (const [place, surface, state, sealed] of rows) {
      const node = part[place];
      if (node === undefined) continue;
      if (state === "erased") node.state = "erased";
      else if (held.has(hexOf(node.digest))) node.state = "kept";
      if (sealed !== null) node.ref ??= storedRef(surface, unsealArtifact(core, node.digest, sealed).key);
    }
  }

  function expand(part: readonly Node[]): void {
    const rows = connection.rows<[number, Uint8Array, EdgeOrigin]>(
      `SELECT j.key, d.derived, d.origin FROM json_each(?) AS j
       CROSS JOIN derivations AS d ON d.source = unhex(j.value)`,
      hexList(part.map(({ digest }) => digest)),
    );
    for (const [place, derived, origin] of rows) {
      const node = part[place];
      if (node === undefined) continue;
      node.derived.push(enter(derived, node.depth + 1));
      node.ranks.push(ORIGINS.indexOf(origin));
    }
  }

  for (const { surface, key } of from) enter(digests.artifactDigest({ surface, key }), 0, { surface, key });
  for (let start = 0; start < nodes.length;) {
    const part = nodes.slice(start, start + PART);
    describe(part);
    expand(part);
    start += part.length;
  }
  return nodes;
}

/** First over recorded edges alone, then with declared, at last with inferred ones: what only the last reaches says so. */
function findBestPaths(nodes: readonly Node[]): void {
  const reached = nodes.filter(({ depth }) => depth === 0);
  for (const node of reached) node.origins = 0;
  for (let worst = 0; worst < ORIGINS.length; worst += 1) {
    // The list grows while it is walked.
    for (const node of reached) {
      node.derived.forEach((index, place) => {
        const next = nodes[index];
        const rank = node.ranks[place] ?? ORIGINS.length;
        if (next === undefined || rank > worst || next.origins >= 0) return;
        next.origins = node.origins | (1 << rank);
        reached.push(next);
      });
    }
  }
}

/** Sources before what is derived from them; a cycle is entered at its shallowest artifact. */
function sortBySource(nodes: readonly Node[]): Node[] {
  const waiting = new Uint32Array(nodes.length);
  for (const node of nodes) for (const index of node.derived) waiting[index] = (waiting[index] ?? 0) + 1;
  const isPlaced = new Uint8Array(nodes.length);
  const order: Node[] = [];
  const ready: number[] = [];
  const place = (first: number): void => {
    ready.push(first);
    for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
      const node = nodes[index];
      if (node === undefined || isPlaced[index] === 1) continue;
      isPlaced[index] = 1;
      order.push(node);
      for (const next of node.derived) {
        const left = (waiting[next] ?? 1) - 1;
        waiting[next] = left;
        if (left === 0) ready.push(next);
      }
    }
  };
  const free = [...waiting.entries()].filter(([, count]) => count === 0).map(([index]) => index);
  for (const index of free) place(index);
  // Nodes stand in order of depth, so what is left begins with the shallowest of a cycle.
  for (let index = 0; index < nodes.length; index += 1) if (isPlaced[index] === 0) place(index);
  return order;
}

export function createClosure(core: LedgerCore): Pick<Lineage, "closure"> {
  return {
    closure(from) {
      const nodes = core.connection.snapshot(() => searchNodes(core, from));
      findBestPaths(nodes);
      const reached: Reached[] = [];
      for (const { ref, depth, origins, state } of sortBySource(nodes)) {
        if (ref === undefined) continue;
        const names = ORIGINS.filter((_, bit) => (origins & (1 << bit)) !== 0).toSorted();
        reached.push({ ref, depth, origins: names, state });
      }
      return reached;
    },
  };
}
