// Puts what the comparison with the anchor found into the judge's words (GUARD-5). It compares nothing itself.
import type { Evidence } from "../attest/evidence.ts";
import type { AnchorState } from "../ledger/anchor.ts";

export function ledgerEvidence({ is }: AnchorState): Evidence["ledger"] {
  switch (is) {
    case "none":
      return "no-anchor";
    case "lost":
      return "anchor-lost";
    case "sound":
    case "rolled-back":
      return is;
  }
}
