// The plain words inside a signature: what was found and done, and what it does not say. They must never hold a subject's content, key or identifier.
import type { AttestedSurface, EpochPredicate, ResidualRisk, SurfaceState } from "@deleatur/verify";
import type { AttestationInput } from "./attestation-input.ts";
import type { Judgement } from "./judgement.ts";

type EpochFacts = Omit<EpochPredicate, "statement" | "limits">;

/** Erased and rewritten records of a manifest, as an epoch's words count them. */
export interface ClosureCounts {
  readonly erased: number;
  readonly rewritten: number;
}

function counted(count: number, one: string, more: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

function dateOf(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/** Of more than so many the words name the first ones only; all of them stand in the statement's own list. */
const NAMED = 24;

function namesOf(surfaces: readonly { readonly id: string }[]): string {
  const names = surfaces.slice(0, NAMED).map(({ id }) => id);
  const rest = surfaces.length - names.length;
  return rest > 0 ? `${names.join(", ")} and ${rest} more` : names.join(", ");
}

function sum<Item>(items: readonly Item[], pick: (item: Item) => number): number {
  return items.reduce((total, item) => total + pick(item), 0);
}

function targetOf(target: "person" | "records", who: number): string {
  return target === "person" ? `one person, given by ${counted(who, "identifier")}` : "single records";
}

function whatWasDone(facts: EpochFacts, counts: ClosureCounts): readonly string[] {
  const { boundary, target, who, epoch, denylist, bystanders } = facts;
  const lines = [
    `Request ${facts.request} about ${targetOf(target, who.length)}, over the inventory ${boundary.id}, version ${boundary.version}.`,
    `${counted(counts.erased, "record")} erased and ${counted(counts.rewritten, "record")} rewritten, everything known to be derived from them included.`,
    `Epoch ${epoch}, a fresh scan begun after the last purge, commits to what every data location held then.`,
    `${counted(denylist.count, "do-not-store entry", "do-not-store entries")} refuse the same content at the insert paths of: ${namesOf(denylist.scope.map((id) => ({ id })))}.`,
  ];
  const runs = facts.probes.filter(({ outcome }) => outcome === "ran");
  const [taken, found] = [sum(runs, ({ controls }) => controls.taken), sum(runs, ({ controls }) => controls.found)];
  lines.push(
    `${counted(runs.length, "probe run")} found ${found} of the ${taken} surviving records that they had to find.`,
  );
  const reviewed = sum(facts.probes, ({ suspects }) => suspects.reviewed);
  if (reviewed > 0) lines.push(`${counted(reviewed, "likeness", "likenesses")} reviewed and decided by a person.`);
  if (facts.exemptions.length > 0)
    lines.push(`Exempt by the inventory: ${facts.exemptions.map(({ name, kind }) => `${name} (${kind})`).join(", ")}.`);
  if (bystanders.lost > 0) lines.unshift(`${counted(bystanders.lost, "record")} of other persons lost.`);
  return lines;
}

function horizonWords(surfaces: readonly AttestedSurface[]): readonly string[] {
  return surfaces.flatMap(({ id, horizon }) =>
    horizon === null
      ? []
      : [`Copies in ${id} expire by themselves, the last by ${dateOf(horizon.until)} (${horizon.basis}).`],
  );
}

/** "COMPLIANT" stands only with "nothing found in the N declared locations", and only once the last horizon has passed. */
export function erasureWords(facts: EpochFacts, counts: ClosureCounts): string {
  const found = `nothing found in the ${facts.surfaces.length} declared locations`;
  const isEffective = facts.effective === facts.issued;
  return [
    isEffective
      ? `COMPLIANT: ${found}: ${namesOf(facts.surfaces)}.`
      : `Not yet in effect: ${found}: ${namesOf(facts.surfaces)}; it holds from ${facts.effective}.`,
    ...whatWasDone(facts, counts),
    ...horizonWords(facts.surfaces),
    "No residual risk.",
  ].join("\n");
}

export function tombstoneWords(facts: EpochFacts, counts: ClosureCounts): string {
  const uncovered = facts.surfaces.filter(({ alg }) => alg === 3);
  const scanned = facts.surfaces.filter(({ alg }) => alg === 1);
  return [
    `A tombstone, not an erasure: ${uncovered.length} of the ${facts.surfaces.length} declared locations are not covered.`,
    `Nothing found in the ${scanned.length} that were scanned: ${namesOf(scanned)}.`,
    ...facts.residualRisks.map(riskWords),
    ...whatWasDone(facts, counts),
    ...horizonWords(facts.surfaces),
  ].join("\n");
}

function riskWords({ surface, code, text, deadline, cure }: ResidualRisk): string {
  return `Not covered: ${surface} (${code}): ${text}; to be cured by ${deadline ?? "no date"}: ${cure}.`;
}

export function withheldWords(input: AttestationInput, code: string, states: readonly SurfaceState[]): string {
  const open = sum(states, (state) => state.pending + state.unsupported + state.failed + state.blind);
  const { request, boundary, judgement } = input;
  return [
    `Withheld (${code}): no erasure is attested over the inventory ${boundary.publicForm.id}, version ${boundary.version}.`,
    `Request ${request.id} about ${targetOf(request.target, request.who.length)}.`,
    "A withheld signature stops no erasure: what the known derivations reach was or is being erased all the same.",
    `${sum(states, (state) => state.erased)} erased, ${sum(states, (state) => state.rewritten)} rewritten, ${sum(states, (state) => state.absent)} already absent, ${open} open.`,
    ...missingWords(judgement),
  ].join("\n");
}

function missingWords({ error }: Judgement): readonly string[] {
  if (error?.class !== "DerivationClosureError") return [];
  const window = error.windowSeconds === undefined ? [] : [`The longest wait is ${error.windowSeconds} seconds.`];
  const { surfaces = [] } = error;
  const about = namesOf(surfaces.map((id) => ({ id })));
  return surfaces.length === 0 ? window : [`Data locations that it is about: ${about}.`, ...window];
}

const SCOPE =
  "The closure covers, where the inventory declares them: raw episodes, embeddings in ANN indexes, summaries rewritten by an LLM, retrieval and response caches, " +
  "KV and prompt-cache prefixes, session-scoped scratchpads in process memory, transcripts quoted in other records, write-ahead logs and logs awaiting rotation, " +
  "and retrieval-augmented artifacts.";

const NOT_SAID = [
  SCOPE,
  "Model weights and fine-tuning corpora are out of scope; a corpus file that is declared is an ordinary data location.",
  "Looked for: the record under its key, its whole text in common encodings, shared runs of 5 words and more, its vector, its bytes in the store's files, and a way back in.",
  "Not looked for: paraphrases and the person's names and aliases; near, semantic and name probes are not built.",
  "Places that the inventory neither declares nor lets the census see were not looked at.",
  "A run of words that another person's own surviving record also had before the erase is explained by it and is no finding.",
  "Deletion is shown at file level: blocks below the file system keep bytes until they are trimmed or an encrypted volume's key is destroyed.",
  "A copy that was derived through an intermediate which nothing recorded is not excluded by proof; the probes are for that.",
  "A second identifier of a type that was given once cannot be noticed.",
  "Self-attested unless a trusted auditor co-signed: an operator could leave rows out of a scan, leave a store out of both inventories, or fake a probe.",
  "Times are by the issuer's clock.",
];

const NO_ANCHOR =
  "The ledger has no anchor outside the stores' backup set: a ledger restored to the past together with them would not be noticed.";

function cutOffWords(texts: number): string {
  return `There were more words than are filed for one request: up to ${counted(texts, "text", "texts")} would be refused as a whole only, not inside a larger one.`;
}

/** What an attestation does not say. `surfaces` are those attested; none in a refusal. */
export function limitsOf(
  { hasAnchor, textsCutOff = 0, request: { none = [] } }: AttestationInput,
  surfaces: readonly AttestedSurface[],
): readonly string[] {
  const loose = surfaces.filter(({ alg, snapshot }) => alg === 1 && snapshot === "none");
  return [
    ...NOT_SAID,
    ...(hasAnchor ? [] : [NO_ANCHOR]),
    ...(textsCutOff === 0 ? [] : [cutOffWords(textsCutOff)]),
    ...(none.length === 0 ? [] : [`By the operator's word the person has no identifier of type: ${none.join(", ")}.`]),
    ...(loose.length === 0 ? [] : [`Scanned without a snapshot, under the fence alone: ${namesOf(loose)}.`]),
    ...surfaces.flatMap(({ id, outOfReach }) => outOfReach.map((what) => `Out of reach in ${id}: ${what}.`)),
  ];
}
