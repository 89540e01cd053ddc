// Recomputes epoch key commitments, C_s and B from what the statement and the receipt state. It must not take a commitment at its word.
import { compareUtf8 } from "../bytes.ts";
import { fromBase64, fromHex, toHex } from "../encodings.ts";
import { keyCommit } from "../epoch-names.ts";
import { fail, notReached, pass, type Finding } from "../report.ts";
import type { AttestedSurface, EpochPredicate } from "../statement.ts";
import { boundaryRoot, horizonRoot, surfaceCommitment, uncoveredRoot } from "../surface-commitment.ts";
import { allOf } from "./predicate.ts";

export type SurfaceKeys = ReadonlyMap<string, Uint8Array>;

/** The keys of an open receipt, or those handed over for a sealed one; undefined where there are none. */
export function surfaceKeys(
  inReceipt: { readonly [surface: string]: string } | null,
  handedOver: { readonly [surface: string]: Uint8Array } | undefined,
): SurfaceKeys | undefined {
  if (inReceipt !== null) return new Map(Object.entries(inReceipt).map(([id, key]) => [id, fromBase64(key)]));
  return handedOver === undefined ? undefined : new Map(Object.entries(handedOver));
}

/** Whether there is a key for exactly the surfaces of the statement, and each key commitment follows from its key. */
export function checkEpochKeys({ surfaces }: EpochPredicate, keys: SurfaceKeys | undefined): readonly Finding[] {
  if (keys === undefined) return [notReached("sealed: no epoch keys, so exclusion cannot be checked")];
  const flaws = surfaces.flatMap(({ id, keyCommit: stated }) => {
    const key = keys.get(id);
    if (key?.length !== 32) return [fail("no epoch key of 32 bytes for a data location", id)];
    return toHex(keyCommit(key)) === stated ? [] : [fail("the key commitment does not follow from the epoch key", id)];
  });
  if (keys.size !== surfaces.length) flaws.push(fail("epoch keys are not one for each data location"));
  return allOf(flaws, "each key commitment follows from its epoch key");
}

function rootsOf({ roots, horizon, uncovered }: AttestedSurface): readonly [Uint8Array, Uint8Array] | undefined {
  if (roots !== null) return [fromHex(roots.membership), fromHex(roots.lineage)];
  if (uncovered !== null) return [uncoveredRoot(uncovered.reason), uncoveredRoot(uncovered.reason)];
  if (horizon === null) return undefined;
  const root = horizonRoot(horizon.until, horizon.basis);
  return [root, root];
}

/** C_s of every surface, recomputed; undefined where the state says no roots. */
function recompute(surface: AttestedSurface, predicate: EpochPredicate): string | undefined {
  const roots = rootsOf(surface);
  if (roots === undefined) return undefined;
  const [membershipRoot, lineageRoot] = roots;
  return toHex(
    surfaceCommitment({
      alg: surface.alg,
      boundary: predicate.boundary.id,
      surface: surface.id,
      epoch: predicate.epoch,
      keyCommit: fromHex(surface.keyCommit),
      membershipRoot,
      lineageRoot,
    }),
  );
}

export function checkCommitments(predicate: EpochPredicate): readonly Finding[] {
  const flaws = predicate.surfaces
    .filter((surface) => recompute(surface, predicate) !== surface.commitment)
    .map(({ id }) => fail("the commitment does not follow from the stated state", id));
  return allOf(flaws, `${predicate.surfaces.length} commitments follow from the stated states`);
}

/** Whether the subject's digest is B over the recomputed commitments of all surfaces. */
export function checkBoundaryRoot(predicate: EpochPredicate, subjectDigest: string): Finding {
  const commitments = predicate.surfaces.map((surface) => ({
    id: surface.id,
    commitment: recompute(surface, predicate),
  }));
  const known = commitments.flatMap(({ id, commitment }) =>
    commitment === undefined ? [] : [{ id, commitment: fromHex(commitment) }],
  );
  if (known.length === 0 || known.length !== commitments.length)
    return fail("a commitment cannot be recomputed, so there is no root");
  const isSorted = known.every(({ id }, i) => i === 0 || compareUtf8(known[i - 1]?.id ?? "", id) < 0);
  return isSorted && toHex(boundaryRoot(known)) === subjectDigest
    ? pass("the signed root is the root over all commitments")
    : fail("the signed root is not the root over all commitments");
}
