// The public form of a boundary (PROOFS §2): what is digested and published. It must never hold a url, a file, a path or a credential.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8 } from "./bytes.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "./canonical-json.ts";

export const SURFACE_ROLES = ["primary", "derived", "index", "cache", "transcript", "log", "backup"] as const;
export type SurfaceRole = (typeof SURFACE_ROLES)[number];

/** The declared bound of a copy's life. `maxSeconds` null: unbounded. */
export interface DeclaredHorizon {
  readonly maxSeconds: number | null;
  readonly basis: string;
}

/** Every member is present, null where there is nothing; the free parts are the declaration's own, defaults filled in. */
export interface PublicSurface {
  readonly id: string;
  readonly kind: string;
  readonly role: SurfaceRole;
  readonly label: string | null;
  readonly container: JsonValue;
  readonly locators: JsonValue;
  readonly derivedFrom: JsonValue;
  readonly policies: JsonValue;
  readonly writers: "sdk" | "trigger" | "foreign";
  readonly horizon: DeclaredHorizon | null;
  readonly replicas: JsonValue;
}

/** `name` and `kind` stand in each; the other members are the kind's own (ground, mechanism, epsilon, reference). */
export interface PublicExemption extends JsonObject {
  readonly name: string;
  readonly kind: string;
}

export interface PublicForm {
  readonly deleatur: 1;
  readonly id: string;
  /** Identifier types, sorted by UTF-8 bytes. */
  readonly identifiers: readonly string[];
  /** Sorted by the UTF-8 bytes of their ids. */
  readonly surfaces: readonly PublicSurface[];
  /** Sorted by the UTF-8 bytes of their names. */
  readonly exemptions: readonly PublicExemption[];
  readonly census: { readonly include: readonly string[]; readonly quiet: readonly string[] };
  readonly keep: JsonValue;
  /** Whole seconds; the longest horizon that a verifier accepts for the two roles that may expire. */
  readonly horizonLimit: { readonly cache: number; readonly backup: number };
}

/** P30D and P90D: the limits where a verifier has only a list of surfaces. */
export const DEFAULT_HORIZON_LIMIT: { readonly cache: number; readonly backup: number } = {
  cache: 2_592_000,
  backup: 7_776_000,
};

/** `H(JCS(public form))`, 32 bytes. Takes any JSON, so that a form of a later version still has its digest. */
export function boundaryDigest(publicForm: unknown): Uint8Array {
  return sha256(utf8(canonicalJson(publicForm)));
}
