// Commits to the state of each surface and of the whole boundary (PROOFS §2): C_s and B. It must not accept an order or a repetition.
import { sha256 } from "@noble/hashes/sha2.js";
import { compareUtf8, concatBytes, lp, u64, utf8 } from "./bytes.ts";
import { logRoot } from "./merkle-log.ts";

/** 1 covered (scanned), 2 expiring (bounded horizon, nothing to scan), 3 uncovered. */
export type CommitmentAlg = 1 | 2 | 3;

/** Why a surface is uncovered. */
export const UNCOVERED_REASONS = ["UNREACHABLE", "UNSUPPORTED", "BLIND", "UNBOUNDED", "KEPT", "WATCHED_ONLY"] as const;
export type UncoveredReason = (typeof UNCOVERED_REASONS)[number];

/** What both roots of an expiring surface are. `until`: whole seconds since 1970 UTC, rounded up. */
export function horizonRoot(until: number | bigint, basis: string): Uint8Array {
  return sha256(concatBytes(utf8("deleatur/horizon/v1\0"), u64(until), lp(basis)));
}

/** What both roots of an uncovered surface are. */
export function uncoveredRoot(reason: UncoveredReason): Uint8Array {
  return sha256(concatBytes(utf8("deleatur/uncovered/v1\0"), lp(reason)));
}

export interface SurfaceCommitmentParts {
  readonly alg: CommitmentAlg;
  readonly boundary: string;
  readonly surface: string;
  readonly epoch: number | bigint;
  /** `keyCommit(K_se)`, 32 bytes. */
  readonly keyCommit: Uint8Array;
  readonly membershipRoot: Uint8Array;
  readonly lineageRoot: Uint8Array;
}

/** `C_s`, 32 bytes. For algs 2 and 3 both roots are the `horizonRoot` or the `uncoveredRoot`. */
export function surfaceCommitment(parts: SurfaceCommitmentParts): Uint8Array {
  for (const bytes of [parts.keyCommit, parts.membershipRoot, parts.lineageRoot])
    if (bytes.length !== 32) throw new RangeError("a commitment's key commitment and roots are 32 bytes each");
  return sha256(
    concatBytes(
      utf8("deleatur/surface/v1\0"),
      Uint8Array.of(parts.alg),
      lp(parts.boundary),
      lp(parts.surface),
      u64(parts.epoch),
      parts.keyCommit,
      parts.membershipRoot,
      parts.lineageRoot,
    ),
  );
}

/** `B`: RFC 6962 tree hash over the C_s of all surfaces, sorted here by the UTF-8 bytes of their ids. @throws RangeError for none or a repetition. */
export function boundaryRoot(
  surfaces: readonly { readonly id: string; readonly commitment: Uint8Array }[],
): Uint8Array {
  const sorted = surfaces.toSorted((a, b) => compareUtf8(a.id, b.id));
  if (sorted.length === 0) throw new RangeError("a boundary without surfaces has no root");
  for (const [i, surface] of sorted.entries()) {
    if (surface.commitment.length !== 32) throw new RangeError("a surface commitment is not 32 bytes");
    if (i > 0 && sorted[i - 1]?.id === surface.id) throw new RangeError("a surface stands twice in the boundary");
  }
  return logRoot(sorted.map((surface) => surface.commitment));
}
