// Holds the attested boundary against itself and against the verifier's own (VERIFY-1). It must never trust the prover's declared scope.
import { compareUtf8 } from "../bytes.ts";
import { toHex } from "../encodings.ts";
import { boundaryDigest, DEFAULT_HORIZON_LIMIT, type SurfaceRole } from "../public-form.ts";
import { publicForm } from "../decode/public-form.ts";
import { MalformedError, parseStrictJson } from "../decode/strict-json.ts";
import type { JsonValue } from "../canonical-json.ts";
import type { ExpectList, OwnScope } from "../options.ts";
import { fail, notApplicable, notReached, pass, type Finding } from "../report.ts";
import type { AttestedBoundary, AttestedSurface, EpochPredicate, Statement } from "../statement.ts";
import { allOf } from "./predicate.ts";

/** Whether the statement's own digest, form and subject agree with each other. */
export function checkBoundaryForm({ subject, predicate: { boundary } }: Statement): Finding {
  if (boundary.publicForm.id !== boundary.id || subject[0].name !== boundary.id)
    return fail("the inventory's id is not the same in subject, statement and public form");
  return toHex(boundaryDigest(boundary.publicForm)) === boundary.digest
    ? pass("the inventory's digest follows from its public form")
    : fail("the inventory's digest does not follow from its public form");
}

/** Whether every surface of the public form stands in the statement exactly once, and nothing else does. */
export function checkSurfaces({ predicate }: Statement): readonly Finding[] {
  const declared = predicate.boundary.publicForm.surfaces;
  const flaws: Finding[] = [];
  if (declared.length === 0) flaws.push(fail("an inventory without data locations"));
  const stated = new Set(predicate.surfaces.map(({ id }) => id));
  const byId = new Map(declared.map((surface) => [surface.id, surface]));
  for (const { id } of declared) if (!stated.has(id)) flaws.push(fail("a declared data location is left out", id));
  for (const surface of predicate.surfaces) {
    const own = byId.get(surface.id);
    if (own === undefined) flaws.push(fail("a data location that the inventory does not declare", surface.id));
    else if ("role" in surface && (surface.role !== own.role || surface.adapter.kind !== own.kind))
      flaws.push(fail("role or kind is not the declared one", surface.id));
  }
  return allOf(flaws, `each of the ${declared.length} declared data locations stands in the statement once`);
}

interface Named {
  readonly id: string;
  readonly role: SurfaceRole;
}

function difference(mine: readonly Named[], theirs: readonly Named[]): readonly Finding[] {
  const line = ({ id, role }: Named): string => `${id} ${role}`;
  const ids = (list: readonly Named[], others: readonly Named[]): readonly string[] => {
    const known = new Set(others.map(line));
    return list
      .filter((each) => !known.has(line(each)))
      .map(({ id }) => id)
      .toSorted(compareUtf8);
  };
  return [
    ...ids(mine, theirs).map((id) =>
      fail("a data location of the verifier's own inventory is not covered as expected", id),
    ),
    ...ids(theirs, mine).map((id) => fail("a data location that is not in the verifier's own inventory", id)),
  ];
}

/** The verifier's own boundary, read. */
export type Scope =
  | { readonly kind: "pinned public form"; readonly digest: string; readonly surfaces: readonly Named[] }
  | { readonly kind: "own list"; readonly expect: ExpectList };

function ownSurfaces(value: JsonValue): readonly Named[] {
  try {
    return publicForm({ value, path: "own boundary" }).surfaces;
  } catch (error) {
    // A form of another version: its digest is compared all the same, only the names of what differs stay unknown.
    if (error instanceof MalformedError) return [];
    throw error;
  }
}

/** @throws MalformedError, RangeError or TypeError where the own boundary is no JSON: it is the caller's, not hostile */
export function readScope(own: OwnScope): Scope {
  if ("expect" in own) return { kind: "own list", expect: own.expect };
  const form = typeof own.boundary === "string" ? parseStrictJson(own.boundary) : own.boundary;
  return { kind: "pinned public form", digest: toHex(boundaryDigest(form)), surfaces: ownSurfaces(form) };
}

/** The scope: the digest of a pinned public form, or set equality with the verifier's own list. */
export function checkScope(scope: Scope | undefined, boundary: AttestedBoundary): readonly Finding[] {
  if (scope === undefined) return [notReached("no inventory of the verifier's own: scope not checked")];
  const theirs = boundary.publicForm.surfaces;
  if (scope.kind === "pinned public form") {
    if (scope.digest === boundary.digest) return [pass("the inventory is the verifier's pinned public form")];
    return [fail("the inventory is not the verifier's pinned public form"), ...difference(scope.surfaces, theirs)];
  }
  const flaws = [...difference(scope.expect.surfaces, theirs)];
  const names = boundary.publicForm.exemptions.map(({ name }) => name);
  const expected = new Set(scope.expect.exemptions);
  if (names.length !== expected.size || names.some((name) => !expected.has(name)))
    flaws.push(fail("the exemptions are not those of the verifier's own list"));
  return allOf(flaws, "the data locations and exemptions are those of the verifier's own list");
}

/** Whole seconds since 1970 of a decoded UTC time. */
export function seconds(time: string): number {
  return Date.parse(time) / 1_000;
}

function horizonFlaw(surface: AttestedSurface, predicate: EpochPredicate, isPinned: boolean): string | undefined {
  const { horizon, role, id } = surface;
  if (horizon === null || (role !== "cache" && role !== "backup"))
    return "an expiring data location without horizon or of a wrong role";
  const { publicForm: form } = predicate.boundary;
  // Without it `until` could be any instant, and nothing would say how long a copy from before the request may live.
  const bound = form.surfaces.find((each) => each.id === id)?.horizon?.maxSeconds ?? null;
  if (bound === null) return "the inventory declares no bound for an expiring data location";
  // `until` is rounded up and `issued` is cut to whole seconds.
  const latest = (most: number): number => seconds(predicate.issued) + most + 1;
  if (!isPinned)
    return horizon.until <= latest(DEFAULT_HORIZON_LIMIT[role]) ? undefined : "the horizon is beyond the default limit";
  if (bound > form.horizonLimit[role]) return "the declared bound is beyond the inventory's own limit";
  return horizon.until <= latest(bound) ? undefined : "the horizon is beyond the declared bound";
}

/** Whether each expiring surface keeps to the bound of the verifier's own boundary, or to the default limits where it has a list only. */
export function checkHorizonBounds(scope: Scope | undefined, predicate: EpochPredicate): readonly Finding[] {
  const expiring = predicate.surfaces.filter(({ alg }) => alg === 2);
  if (expiring.length === 0) return [notApplicable("no data location expires by itself")];
  if (scope === undefined) return [notReached("no inventory of the verifier's own: bounds not checked")];
  const flaws = expiring.flatMap((surface) => {
    const flaw = horizonFlaw(surface, predicate, scope.kind === "pinned public form");
    return flaw === undefined ? [] : [fail(flaw, surface.id)];
  });
  return allOf(flaws, `the horizons of ${expiring.length} expiring data locations keep to their bounds`);
}
