// Writes the denylist entries of a request, before the first delete (GUARD-1): identifiers, records, content.
import type { KeptNeedle } from "../examine/kept-needles.ts";
import type { Engine } from "../engine.ts";
import type { DenylistOrder } from "../ledger/ledger.ts";
import type { RequestId, SubjectIdentifier } from "../model/ids.ts";
import { contentDigests, recordDigest } from "../record/guard.ts";
import type { Survey } from "./survey.ts";

/** Adds the entries; the same again adds none. Answers how many entries the request has. */
export function denyReturn(
  engine: Engine,
  request: RequestId,
  identifiers: readonly SubjectIdentifier[],
  needles: readonly KeptNeedle[],
  survey: Survey,
): number {
  const { ledger } = engine;
  const owners = identifiers.map((identifier) => ledger.identifierDigest(identifier));
  const orders: DenylistOrder[] = owners.map((digest) => ({ kind: "identifier", digest, shared: false, owners }));
  for (const { ref, fate, content } of needles) {
    if (fate === "kept") continue;
    // A reusable key may lawfully be given again (C22), a rewritten record keeps its key: neither is kept out by key.
    if (fate === "erased" && engine.bound(ref.surface).declaration.keys === "unique") {
      orders.push({ kind: "record", digest: recordDigest(ledger, ref), shared: false, owners });
    }
    for (const { kind, digest, distinctive } of contentDigests(ledger, content)) {
      const shared = !distinctive || survey.shared.has(Buffer.from(digest).toString("hex"));
      orders.push({ kind, digest, shared, owners });
    }
  }
  ledger.addDenylist(request, orders);
  return ledger.denylistCount(request);
}
