// What a proof of absence costs: building the tree of a surface, proving and verifying, beside the same number of bare SHA-256 calls. It asks the very
// code that a receipt is made and checked with.
import { hash, randomBytes } from "node:crypto";
import { compareBytes, verifyExclusion, verifyExclusions } from "@deleatur/verify";
import { buildFlatExclusionTree } from "../../packages/deleatur/dist/attest/exclusion-tree.js";
import { type Figure, ratio, type Scene } from "../figure.ts";
import { median, once } from "../sample.ts";

const KEYS = 200_000;
const QUERIES = 5_000;
const ROUNDS = 5;
const HEADER = 8;
const MIB = 1024 ** 2;

async function medianOf(act: () => void): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push((await once(act)).ms);
  return median(times);
}

/** As the fastest call that Node has makes them: of `leaves` keys behind a tag, and of `nodes` pairs. */
function bareHashes(leaves: number, nodes: number): void {
  const [leaf, node] = [Buffer.alloc(33, 1), Buffer.alloc(64, 2)];
  for (let at = 0; at < leaves; at += 1) hash("sha256", leaf, "binary");
  for (let at = 0; at < nodes; at += 1) hash("sha256", node, "binary");
}

/** How many siblings a proof has: its depth (bytes 6 and 7), each of which is hashed once. */
function depthOf(proof: Uint8Array): number {
  if (proof.length < HEADER) throw new Error("a proof is shorter than its header");
  return ((proof[6] ?? 0) << 8) | (proof[7] ?? 0);
}

export async function bench({ note }: Scene): Promise<readonly Figure[]> {
  const keys = randomBytes(32 * KEYS);
  const figures: Figure[] = [];
  const bareTree = await medianOf(() => bareHashes(KEYS, KEYS - 1));
  note(`${KEYS} keys`);
  const built = await medianOf(() => void buildFlatExclusionTree(keys, 0));
  figures.push(
    ratio(`tree of ${KEYS} keys built`, [built, "ms"], { what: `${2 * KEYS - 1} bare SHA-256`, value: bareTree }),
  );
  const tree = buildFlatExclusionTree(keys, 0);
  const queries = Array.from({ length: QUERIES }, () => new Uint8Array(randomBytes(32)));
  const proofs = queries.map((query) => tree.prove(query));
  const nodes = proofs.reduce((sum, proof) => sum + depthOf(proof), 0);
  const bareProofs = await medianOf(() => bareHashes(QUERIES, nodes));
  const peer = { what: `${QUERIES + nodes} bare SHA-256`, value: bareProofs };
  const proved = await medianOf(() => void queries.map((query) => tree.prove(query)));
  figures.push(ratio(`${QUERIES} absences proved`, [proved, "ms"], peer));
  const verified = await medianOf(() => {
    for (const [at, query] of queries.entries())
      if (!verifyExclusion(0, tree.root, query, proofs[at] ?? new Uint8Array()).ok)
        throw new Error("a proof does not hold, so its time says nothing");
  });
  figures.push(ratio(`${QUERIES} absences verified`, [verified, "ms"], peer));
  const ascending = queries.toSorted(compareBytes);
  const one = tree.proveAll(ascending);
  const singles = { what: "as single proofs", value: proofs.reduce((sum, proof) => sum + proof.length, 0) / MIB };
  figures.push(ratio(`one proof of ${QUERIES} absences`, [one.length / MIB, "MiB"], singles));
  const provedAll = await medianOf(() => void tree.proveAll(ascending));
  figures.push(ratio("its making", [provedAll, "ms"], { what: "single proofs", value: proved }));
  const verifiedAll = await medianOf(() => {
    if (!verifyExclusions(0, tree.root, ascending, one).ok) throw new Error("the proof does not hold");
  });
  figures.push(ratio("its verification", [verifiedAll, "ms"], { what: "of single proofs", value: verified }));
  return figures;
}
