// Decides what may be attested over a record, from a proof's commitment domain, a boundary and the derived stores. Pure; for other people's tools.
import { compareUtf8, DEFAULT_HORIZON_LIMIT } from "@deleatur/verify";
import type { Exemption, SurfaceRole } from "../model/declaration.ts";
import { type ClosureCode, DerivationClosureError } from "../model/errors.ts";
import type { ResidualRisk } from "./judgement.ts";
import { cureOf } from "./reasons.ts";

/** One store that holds what was derived from the record. */
export interface DerivedStore {
  readonly surface: string;
  /** `inferred`: edges that nobody confirmed; they never carry an erasure (LINEAGE-4). */
  readonly lineage: "complete" | "missing" | "inferred";
  /** `eventual`: soft delete, rebuilt later without our forcing it (ATTEST-4). */
  readonly deletion: { readonly as: "provable" } | { readonly as: "eventual"; readonly windowSeconds: number };
  /** For caches and backups: when the last copy has expired, and on what basis. Absent there counts as `unbounded` (ATTEST-5). */
  readonly horizon?: { readonly until: Date; readonly basis: string } | "unbounded";
  /** An embedding is kept: the name of the `non-recoverable` exemption that argues why (ATTEST-6). */
  readonly keptEmbedding?: { readonly exemption?: string };
  /** A legal ground keeps artifacts here (ATTEST-7). */
  readonly kept?: { readonly ground: string; readonly until: Date };
}

export interface AttestOrder {
  /** An opaque id of what was erased; it is handed back and stands in no message. */
  readonly record: string;
  /** Surfaces that the proof's commitment covers. */
  readonly commitmentDomain: readonly string[];
  readonly boundary: {
    readonly surfaces: readonly { readonly id: string; readonly role: SurfaceRole }[];
    readonly exempt: readonly Pick<Exemption, "name" | "kind" | "mechanism" | "epsilon">[];
  };
  readonly derivedStores: readonly DerivedStore[];
}

export interface AttestOptions {
  /** When it is issued. */
  readonly at: Date;
  /** The downgrade to a tombstone: a second, named act. */
  readonly allowTombstone?: boolean;
}

interface Attested {
  readonly record: string;
  /** Sorted by UTF-8 bytes. */
  readonly domain: readonly string[];
  /** The names of the boundary's exemptions, sorted. */
  readonly exemptions: readonly string[];
  readonly issued: Date;
  /** From when it holds: never before the last horizon (ATTEST-8). */
  readonly effective: Date;
}

/** Two kinds that share no discriminating member: a tombstone cannot be read as an erasure. */
export type AttestationDecision =
  | (Attested & { readonly kind: "erasure"; readonly residualRisks: readonly [] })
  | (Attested & {
      readonly kind: "tombstone";
      /** Exactly one for each uncovered store, sorted. */
      readonly residualRisks: readonly ResidualRisk[];
      /** Uncovered stores whose copies have no bound. */
      readonly openGaps: readonly string[];
    });

/** What may be attested. @throws DerivationClosureError, causes in the order domain, lineage, provable deletion */
export function attestErasure(order: AttestOrder, options: AttestOptions): AttestationDecision {
  const domain = sorted(order.commitmentDomain);
  const declared = new Set(order.boundary.surfaces.map((one) => one.id));
  const wanted = sorted([...declared, ...order.derivedStores.map((one) => one.surface)]);
  const risks = residualRisks(order, wanted, options.at);
  const mayDowngrade = options.allowTombstone === true && domain.length > 0;

  if (wanted.length === 0 || (risks.length > 0 && !mayDowngrade))
    throw refuse(
      "DOMAIN_NOT_COVERED",
      risks.flatMap(({ surface }) => surface ?? []),
    );
  const beyond = domain.filter((surface) => !declared.has(surface));
  if (beyond.length > 0) throw refuse("DOMAIN_NOT_EQUAL", beyond);
  const unlinked = surfacesWithoutLineage(order);
  if (unlinked.length > 0) throw refuse("LINEAGE_MISSING", unlinked);
  refuseEventualDeletion(order);

  const attested: Attested = {
    record: order.record,
    domain,
    exemptions: sorted(order.boundary.exempt.map((one) => one.name)),
    issued: options.at,
    effective: lastHorizon(order, options.at),
  };
  if (risks.length === 0) return { kind: "erasure", ...attested, residualRisks: [] };
  const openGaps = risks.flatMap(({ code, surface }) =>
    code === "UNBOUNDED" && surface !== undefined ? [surface] : [],
  );
  return { kind: "tombstone", ...attested, residualRisks: risks, openGaps };
}

const MESSAGES: Readonly<Record<ClosureCode, readonly [string, string]>> = {
  DOMAIN_NOT_COVERED: [
    "the commitment covers less than the boundary, cover the missing surfaces or allow a tombstone",
    "scan the missing surfaces, or ask for the tombstone by name (`--allow-tombstone`)",
  ],
  DOMAIN_NOT_EQUAL: [
    "the commitment goes beyond the boundary, declare the surface or leave it out",
    cureOf("DOMAIN_NOT_EQUAL"),
  ],
  LINEAGE_MISSING: [
    "the lineage of a derived surface is missing or incomplete, so the closure is unknown",
    cureOf("LINEAGE_MISSING"),
  ],
  EVENTUAL_DELETION: [
    "a derived surface deletes softly and was not rebuilt, force the rebuild first",
    cureOf("EVENTUAL_DELETION"),
  ],
};

function refuse(code: ClosureCode, surfaces: readonly string[], windowSeconds?: number): DerivationClosureError {
  const [message, cure] = MESSAGES[code];
  const window = windowSeconds === undefined ? {} : { windowSeconds };
  return new DerivationClosureError(code, message, { surfaces: sorted(surfaces), cure, ...window });
}

/** One risk for each wanted store that the commitment, a bound, or an argument does not cover. */
function residualRisks(order: AttestOrder, wanted: readonly string[], at: Date): readonly ResidualRisk[] {
  const covered = new Set(order.commitmentDomain);
  return wanted.flatMap((surface): readonly ResidualRisk[] => {
    const role = order.boundary.surfaces.find((one) => one.id === surface)?.role;
    const stores = order.derivedStores.filter((one) => one.surface === surface);
    const limit = role === "backup" ? DEFAULT_HORIZON_LIMIT.backup : DEFAULT_HORIZON_LIMIT.cache;
    const due = new Date(at.getTime() + limit * 1000);
    const risk = (
      code: Exclude<ResidualRisk["code"], "BLIND">,
      text: string,
      deadline: Date = due,
    ): readonly ResidualRisk[] => [{ surface, code, text, deadline, cure: cureOf(code) }];
    if (!covered.has(surface)) return risk("UNREACHABLE", "the commitment does not cover this store");
    if (isUnbounded(role, stores)) return risk("UNBOUNDED", "copies without a bounded horizon");
    if (stores.some((one) => isKeptWithoutArgument(one, order)))
      return risk("UNSUPPORTED", "an embedding is kept without mechanism and epsilon");
    const kept = stores.flatMap((one) => one.kept ?? []);
    const ends = kept.map((one) => one.until.getTime());
    return kept.length === 0 ? [] : risk("KEPT", "artifacts kept under a ground", new Date(Math.max(...ends)));
  });
}

function isUnbounded(role: SurfaceRole | undefined, stores: readonly DerivedStore[]): boolean {
  if (stores.some((one) => one.horizon === "unbounded")) return true;
  return (role === "cache" || role === "backup") && !stores.some((one) => one.horizon !== undefined);
}

/** No argument, no exception: the exemption must stand in the boundary, with its mechanism and a finite epsilon. */
function isKeptWithoutArgument({ keptEmbedding }: DerivedStore, { boundary }: AttestOrder): boolean {
  if (keptEmbedding === undefined) return false;
  return !boundary.exempt.some(
    ({ name, kind, mechanism, epsilon }) =>
      name === keptEmbedding.exemption &&
      kind === "non-recoverable" &&
      mechanism !== undefined &&
      mechanism.trim() !== "" &&
      epsilon !== undefined &&
      Number.isFinite(epsilon) &&
      epsilon >= 0,
  );
}

/** Stores whose lineage is not complete, and covered derived surfaces about which nobody said anything (LINEAGE-3). */
function surfacesWithoutLineage({ boundary, derivedStores, commitmentDomain }: AttestOrder): readonly string[] {
  const told = new Set(derivedStores.map((one) => one.surface));
  const covered = new Set(commitmentDomain);
  const untold = boundary.surfaces.filter(
    ({ id, role }) => (role === "derived" || role === "index") && covered.has(id) && !told.has(id),
  );
  return [
    ...derivedStores.filter((one) => one.lineage !== "complete").map((one) => one.surface),
    ...untold.map((one) => one.id),
  ];
}

function refuseEventualDeletion({ derivedStores, commitmentDomain }: AttestOrder): void {
  const covered = new Set(commitmentDomain);
  const soft = derivedStores.flatMap(({ surface, deletion }) =>
    deletion.as === "eventual" && covered.has(surface) ? [{ surface, seconds: deletion.windowSeconds }] : [],
  );
  if (soft.length === 0) return;
  throw refuse(
    "EVENTUAL_DELETION",
    soft.map((one) => one.surface),
    Math.max(...soft.map((one) => one.seconds)),
  );
}

function lastHorizon({ derivedStores }: AttestOrder, at: Date): Date {
  const ends = derivedStores.flatMap(({ horizon }) => (typeof horizon === "object" ? [horizon.until.getTime()] : []));
  return new Date(Math.max(at.getTime(), ...ends));
}

function sorted(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].toSorted(compareUtf8);
}
