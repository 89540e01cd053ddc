// Sums the judge's reason codes up into the few things that a person needs to be told. It never names another person's loss (VERIFY-6).

export const REASON_GROUPS = [
  "still-there",
  "came-back",
  "traces",
  "door-open",
  "origin-unknown",
  "likeness",
  "not-seen",
  "undeclared",
  "identifier",
  "under-way",
  "unreachable",
  "unsupported",
  "unbounded",
  "kept",
  "other",
] as const;
export type ReasonGroup = (typeof REASON_GROUPS)[number];

const GROUP_OF: ReadonlyMap<string, ReasonGroup> = new Map<string, ReasonGroup>([
  ["PRIMARY_STILL_HOLDS", "still-there"],
  ["SURVIVOR_FOUND", "still-there"],
  ["RESURRECTED", "came-back"],
  ["PURGE_PENDING", "traces"],
  ["EVENTUAL_DELETION", "traces"],
  ["RESURRECTABLE", "door-open"],
  ["NO_DENYLIST_ENTRY", "door-open"],
  ["GUARD_NOT_SHOWN", "door-open"],
  ["WATCHED_ONLY", "door-open"],
  ["LINEAGE_MISSING", "origin-unknown"],
  ["SUSPECT_OPEN", "likeness"],
  ["BLIND", "not-seen"],
  ["BLIND_PROBE", "not-seen"],
  ["PRIMARY_BLIND", "not-seen"],
  ["UNDECLARED_CONTAINER", "undeclared"],
  ["DOMAIN_NOT_EQUAL", "undeclared"],
  ["CONTAINER_SHARED", "undeclared"],
  ["IDENTIFIER_UNKNOWN", "identifier"],
  ["INTENT_UNRESOLVED", "under-way"],
  ["UNREACHABLE", "unreachable"],
  ["UNSUPPORTED", "unsupported"],
  ["UNBOUNDED", "unbounded"],
  ["KEPT", "kept"],
]);

/** The group of a code; a code that this version does not know is told as "other", never left out. */
export function reasonGroup(code: string): ReasonGroup {
  return GROUP_OF.get(code) ?? "other";
}
