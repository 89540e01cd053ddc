// One entry for each reason code: its class and what cures it. Builds reasons; decides nothing.
import type { ArtifactMention } from "./evidence.ts";
import type { Reason, ReasonClass, ReasonCode } from "./judgement.ts";

const ABOUT: Readonly<Record<ReasonCode, readonly [ReasonClass, string]>> = {
  RESURRECTED: [
    "technical",
    "find the writer or the restored backup that brought it back, stop it, then forget again; repeating the delete alone does not cure it",
  ],
  PRIMARY_STILL_HOLDS: [
    "technical",
    "run `deleatur forget`, or `forget --resume`, and look for what keeps or rewrites it; what a tool says of itself is no evidence",
  ],
  SURVIVOR_FOUND: [
    "technical",
    "run `deleatur forget --resume`; what provenance does not reach goes to `deleatur review` first",
  ],
  PURGE_PENDING: [
    "technical",
    "let the purge finish (close open readers, or wait for its window), then run `deleatur forget --resume`",
  ],
  RESURRECTABLE: [
    "technical",
    "let all writes go through the SDK (`writers: sdk`), whose guard knows this content; repeating the delete does not cure it",
  ],
  LINEAGE_MISSING: [
    "technical",
    "confirm what `deleatur review` lists, declare `derivedFrom`, rebuild the derived surface from surviving sources, or destroy it",
  ],
  NOTHING_FOUND: ["technical", "check the identifiers that were given; nothing was there to forget"],
  NO_DENYLIST_ENTRY: ["technical", "write denylist entries before the delete: forget with our guard, then audit again"],
  NO_SURFACE_NAMED: ["technical", "the tool must name the surfaces that it reached, or be replaced"],
  SURFACES_NOT_NAMED: [
    "technical",
    "have the tool name the surfaces that it reached, and audit again before the deadline",
  ],
  GUARD_NOT_SHOWN: [
    "technical",
    "let every writer go through the SDK and declare `writers: sdk`, or try the tool's own path with `--reingest`",
  ],
  DOMAIN_NOT_EQUAL: ["technical", "declare the surface in the boundary or take it out of the commitment"],
  INTENT_UNRESOLVED: ["technical", "resolve it with `deleatur intents`, then run `deleatur forget --resume`"],
  IDENTIFIER_UNKNOWN: [
    "technical",
    "give the person's identifier of this type, map it in the boundary, or say that there is `none`",
  ],
  EVENTUAL_DELETION: [
    "timed",
    "force the rebuild (purge) and let the bytes be checked, or wait for the window to pass",
  ],
  UNDECLARED_CONTAINER: [
    "technical",
    "declare the container in the boundary or exempt it with a ground, then run `deleatur check`",
  ],
  SUSPECT_OPEN: ["technical", "decide every suspect with `deleatur review`"],
  PRIMARY_BLIND: [
    "technical",
    "make the primary surface readable for the probes, and look before the erase (`audit prepare` for a foreign tool)",
  ],
  ROLLED_BACK: [
    "technical",
    "run `deleatur replay --all`, which erases again what a restore brought back, then judge again",
  ],
  ANCHOR_LOST: [
    "technical",
    "put the anchor's file back where `connect.anchor` names it, or begin another with `deleatur replay --all --new-anchor`",
  ],
  BLIND_PROBE: ["technical", "let every required probe of this surface run until it finds its controls"],
  UNREACHABLE: [
    "technical",
    "connect the surface and all its replicas, then run `deleatur forget --resume`; a foreign tool has to reach it and say so",
  ],
  UNSUPPORTED: ["technical", "move the data to a kind that can erase and purge, or exempt it with a ground"],
  UNBOUNDED: ["technical", "give the cache a horizon with its basis (a TTL, a contract), or evict it"],
  KEPT: ["lawful", "release it with `deleatur hold --release` when its ground ends; the request then runs again"],
  WATCHED_ONLY: [
    "technical",
    "put the writers behind the SDK or a trigger; watching sees a write, it does not refuse it",
  ],
  CONTAINER_SHARED: [
    "technical",
    "let one ledger own the container: forget through the other one as well, or merge the boundaries; the marker of a ledger that is no more is taken out by `deleatur check --adopt`",
  ],
  HORIZON_OPEN: [
    "timed",
    "nothing to do: it takes effect when the last copy has expired; the confirming audit closes it",
  ],
  BYSTANDER_LOST: [
    "technical",
    "restore what was lost, and name the loss in the surface's `shared` policy before forgetting again",
  ],
};

/** The cure of a code. */
export function cureOf(code: ReasonCode): string {
  return ABOUT[code][1];
}

/** A reason of this code. `rule` says in words what was broken and never holds content. */
export function reason<Code extends ReasonCode>(
  code: Code,
  rule: string,
  detail: {
    readonly surface?: string;
    readonly signedAs?: string;
    readonly artifactName?: string;
    readonly count?: number;
    readonly class?: ReasonClass;
    /** Instead of the code's own. */
    readonly cure?: string;
  } = {},
): Reason & { readonly code: Code } {
  const [kind, cure] = ABOUT[code];
  return { code, class: kind, cure, ...detail, rule };
}

/** One reason for each artifact: its surface (or container) and its name; its key stays behind. */
export function reasonsFor(
  code: ReasonCode,
  rule: string,
  artifacts: readonly (ArtifactMention & { readonly container?: string })[],
  cure: string = cureOf(code),
): readonly Reason[] {
  const byArtifact = new Map<string, { count: number; mention: ArtifactMention & { readonly container?: string } }>();
  for (const mention of artifacts) {
    const id = JSON.stringify([mention.surface ?? mention.container, mention.name ?? mention.key]);
    const seen = byArtifact.get(id);
    if (seen === undefined) byArtifact.set(id, { count: 1, mention });
    else seen.count += 1;
  }
  return [...byArtifact.values()].map(({ count, mention }) => {
    const surface = mention.surface ?? mention.container;
    return reason(code, rule, {
      ...(surface === undefined ? {} : { surface }),
      ...(mention.name === undefined ? {} : { artifactName: mention.name }),
      count,
      cure,
    });
  });
}
