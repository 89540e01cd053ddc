// Remembers, under a request's own key, what other requests have taken since it was surveyed: their erasing is no loss that a bystander of it suffers.
import { toHex } from "@deleatur/verify";
import type { Engine } from "../engine.ts";
import { sealedValue } from "../ledger/sealed-value.ts";
import { groupBy } from "../model/group-by.ts";
import type { ArtifactRef, RequestId, SurfaceId } from "../model/ids.ts";
import { artifactDigester } from "./artifact-digests.ts";

const PREFIX = "taken/";

/** Keyed ids as baselines hold them, by surface. */
type Taken = readonly (readonly [SurfaceId, readonly string[]])[];

/** Says to every other open request that these are erased or rewritten; `together` were surveyed without them. Call it in the transaction that journals the act. */
export function noteTaken(
  { ledger, random }: Engine,
  together: ReadonlySet<RequestId>,
  refs: readonly ArtifactRef[],
): void {
  const others = ledger.openRequests().filter((id) => !together.has(id));
  if (refs.length === 0 || others.length === 0) return;
  const digester = artifactDigester(ledger);
  const taken: Taken = [...groupBy(refs, ({ surface }) => surface)].map(([surface, members]) => [
    surface,
    members.map((ref) => digester.idOf(ref)),
  ]);
  for (const id of others) sealedValue<Taken>(`${PREFIX}${toHex(random(8))}`).put(ledger, id, taken);
}

/** By surface, the keyed ids of what others have taken. */
export function openTaken({ ledger }: Engine, request: RequestId): ReadonlyMap<SurfaceId, ReadonlySet<string>> {
  const taken = new Map<SurfaceId, Set<string>>();
  for (const name of ledger.sealedNames(request)) {
    if (!name.startsWith(PREFIX)) continue;
    for (const [surface, ids] of sealedValue<Taken>(name).open(ledger, request) ?? []) {
      const known = taken.get(surface) ?? new Set<string>();
      for (const id of ids) known.add(id);
      taken.set(surface, known);
    }
  }
  return taken;
}
