// The public form of a boundary (PROOFS §2): what is digested, published and pinned by verifiers. It never holds anything from `connect`.
import {
  boundaryDigest,
  canonicalJson,
  compareUtf8,
  DEFAULT_HORIZON_LIMIT,
  toHex,
  type JsonValue,
  type PublicExemption,
  type PublicForm,
  type PublicSurface,
} from "@deleatur/verify";
import type { Boundary, Exemption, Horizon, SurfaceDeclaration } from "../model/declaration.ts";
import { containerName } from "./container-names.ts";

/** Every member present, null where there is nothing, defaults filled in, durations in whole seconds, sorted by UTF-8 bytes. */
export function publicForm(boundary: Boundary): PublicForm {
  return {
    deleatur: boundary.version,
    id: boundary.id,
    identifiers: boundary.identifiers.toSorted(compareUtf8),
    surfaces: boundary.surfaces.toSorted((a, b) => compareUtf8(a.id, b.id)).map(publicSurface),
    exemptions: boundary.exempt.toSorted((a, b) => compareUtf8(a.name, b.name)).map(publicExemption),
    census: {
      include: boundary.census.include.toSorted(compareUtf8),
      quiet: boundary.census.quiet.toSorted(compareUtf8),
    },
    keep: boundary.surfaces
      .toSorted((a, b) => compareUtf8(a.id, b.id))
      .flatMap(({ id, keep }) => (keep === undefined ? [] : [{ surface: id, ground: keep.ground, until: keep.until }])),
    horizonLimit: { cache: limitOf(boundary, "cache"), backup: limitOf(boundary, "backup") },
  };
}

/** The public form with its canonical text (JCS) and its digest `H(JCS(public form))` in lower-case hex. */
export function publicFormOf(boundary: Boundary): {
  readonly publicForm: PublicForm;
  readonly digest: string;
  readonly text: string;
} {
  const form = publicForm(boundary);
  return { publicForm: form, digest: toHex(boundaryDigest(form)), text: canonicalJson(form) };
}

function limitOf(boundary: Boundary, role: "cache" | "backup"): number {
  const limits = boundary.surfaces.flatMap((surface) =>
    surface.role === role && surface.horizonLimitSeconds !== undefined ? [surface.horizonLimitSeconds] : [],
  );
  // One limit a role: the lint sees to it.
  return limits.length === 0 ? DEFAULT_HORIZON_LIMIT[role] : Math.min(...limits);
}

function publicSurface(declaration: SurfaceDeclaration): PublicSurface {
  return {
    id: declaration.id,
    kind: declaration.kind,
    role: declaration.role,
    label: declaration.label,
    container: containerName(declaration),
    locators: {
      key: declaration.key,
      keys: declaration.keys,
      subject: declaration.subject.map((locator) => ({ ...locator })),
      content: declaration.content.map(({ column, as }) => ({ column, as })),
      vector: declaration.vector ?? null,
      maps: declaration.maps.map(({ from, to }) => ({ from: { ...from }, to: { ...to } })),
      ...(declaration.each === undefined ? {} : { each: declaration.each }),
      ...(declaration.of === undefined ? {} : { of: declaration.of.toSorted(compareUtf8) }),
      ...(declaration.persistence === undefined ? {} : { persistence: declaration.persistence }),
    },
    derivedFrom: declaration.derivedFrom.map((source) => ({ ...source })),
    policies: policiesOf(declaration),
    writers: declaration.writers,
    horizon: publicHorizon(declaration.horizon),
    replicas: declaration.replicas.length,
  };
}

function policiesOf(declaration: SurfaceDeclaration): JsonValue {
  const { shared, rederive, purge } = declaration;
  return {
    shared: shared ?? null,
    // A command or an address is how, not what: it may hold paths, so only that there is one is published.
    rederive:
      rederive === undefined
        ? null
        : typeof rederive === "string"
          ? rederive
          : "command" in rederive
            ? "command"
            : "http",
    purge: { window: purge.window ?? null, method: purge.method },
  };
}

function publicHorizon(horizon: Horizon | undefined): PublicSurface["horizon"] {
  return horizon === undefined ? null : { maxSeconds: horizon.maxSeconds ?? null, basis: horizon.basis };
}

function publicExemption(exemption: Exemption): PublicExemption {
  return {
    name: exemption.name,
    kind: exemption.kind,
    ground: exemption.ground,
    container: containerName(exemption),
    mechanism: exemption.mechanism ?? null,
    epsilon: exemption.epsilon ?? null,
    reference: exemption.reference ?? null,
  };
}
