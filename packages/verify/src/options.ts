// What the verifier brings of its own: keys, a boundary, a clock. None of it may come from the receipt.
import { compareUtf8 } from "./bytes.ts";
import type { JsonValue } from "./canonical-json.ts";
import { parsePublicKey } from "./ed25519.ts";
import { SURFACE_ROLES, type SurfaceRole } from "./public-form.ts";

/** The verifier's own list: what it expects to be in the boundary. */
export interface ExpectList {
  readonly surfaces: readonly { readonly id: string; readonly role: SurfaceRole }[];
  readonly exemptions: readonly string[];
}

/** The verifier's own boundary (VERIFY-1): a pinned public form, as its JSON text or value, or a list. */
export type OwnScope = { readonly boundary: string | JsonValue } | { readonly expect: ExpectList };

export interface VerifyLimits {
  /** Of the receipt, checked before anything is parsed. */
  readonly maxBytes: number;
  /** Exclusions over all surfaces, checked before any is computed. */
  readonly maxQueries: number;
}

export const DEFAULT_LIMITS: VerifyLimits = { maxBytes: 67_108_864, maxQueries: 200_000 };

export interface VerifyOptions {
  /** The operator's pinned keys: raw 32 bytes, or any text that `parsePublicKey` takes. */
  readonly publicKeys: readonly (Uint8Array | string)[];
  /** How many distinct pinned keys must have signed. */
  readonly threshold: number;
  /** Keys of the log; the pinned keys where none are given. */
  readonly logKeys?: readonly (Uint8Array | string)[];
  readonly scope?: OwnScope;
  /** 32 bytes, see `parsePersonCode`. */
  readonly personCode?: Uint8Array;
  /** Identifiers that the person code is to be checked with, each folded by its type. */
  readonly identifiers?: readonly { readonly type: string; readonly identifier: string }[];
  /** Keys that were handed over apart, for a sealed receipt. */
  readonly epochKeys?: { readonly [surface: string]: Uint8Array };
  /** Whether the operator's word alone is enough where no trusted auditor co-signed. */
  readonly acceptSelfAttested: boolean;
  /** Keys of auditors whom the verifier trusts. A key that is also pinned for the operator is no second pair of eyes. */
  readonly auditorKeys: readonly (Uint8Array | string)[];
  readonly now: Date;
  readonly limits?: Partial<VerifyLimits>;
}

/** @throws RangeError where a key is none: the options are the caller's own, not hostile */
export function readKeys(keys: readonly (Uint8Array | string)[]): readonly Uint8Array[] {
  return keys.map((key) => {
    if (typeof key === "string") return parsePublicKey(key);
    if (key.length !== 32) throw new RangeError("an Ed25519 public key is 32 bytes");
    return key;
  });
}

/**
 * Reads a list of lines `surface-id role` and `exempt name`; blank lines and lines that start with `#` are skipped.
 * A surface called `exempt` needs the public form instead. @throws RangeError naming the line
 */
export function parseExpectList(text: string): ExpectList {
  const surfaces: { id: string; role: SurfaceRole }[] = [];
  const exemptions: string[] = [];
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line.length === 0 || line.startsWith("#")) continue;
    const exempt = /^exempt\s+(.+)$/.exec(line)?.[1];
    const [, id, word] = /^(.+?)\s+(\S+)$/.exec(line) ?? [];
    const role = SURFACE_ROLES.find((each) => each === word);
    if (exempt !== undefined) exemptions.push(exempt);
    else if (id !== undefined && role !== undefined) surfaces.push({ id, role });
    else throw new RangeError(`line ${i + 1} of the expected list is neither "surface-id role" nor "exempt name"`);
  }
  const names = [...surfaces.map(({ id }) => `s ${id}`), ...exemptions.map((name) => `e ${name}`)];
  if (new Set(names).size !== names.length) throw new RangeError("the expected list names something twice");
  if (surfaces.length === 0) throw new RangeError("the expected list names no surface");
  return {
    surfaces: surfaces.toSorted((a, b) => compareUtf8(a.id, b.id)),
    exemptions: exemptions.toSorted(compareUtf8),
  };
}
