// Identities: surfaces, artifacts, identifiers and requests as branded strings, each made by one parser. No I/O.
import { StoreError, UsageError } from "./errors.ts";

export type SurfaceId = string & { readonly brand: "SurfaceId" };
export type ArtifactKey = string & { readonly brand: "ArtifactKey" };
export type RequestId = string & { readonly brand: "RequestId" };

/** One erasable item: a surface and the key under which the surface holds it (composite keys: JCS of the array of their strings). */
export interface ArtifactRef {
  readonly surface: SurfaceId;
  readonly key: ArtifactKey;
}

/** One identifier of a subject, folded by its type (`email` to lower case), e.g. `{ type: "account", value: "42" }`. */
export interface SubjectIdentifier {
  readonly type: string;
  readonly value: string;
}

const SURFACE_ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const REQUEST_ID = /^[0-9a-f]{32}$/;

/** Parses a surface id: lower-case letters, digits, `.`, `_`, `-`, at most 128 characters. @throws UsageError */
export function surfaceId(text: string): SurfaceId {
  if (!SURFACE_ID.test(text))
    throw new UsageError("BAD_SURFACE_ID", "a surface id is lower-case letters, digits, '.', '_' or '-'");
  return text as SurfaceId;
}

/** Parses a key as stored in the surface; any non-empty text of at most 65,535 UTF-8 bytes. @throws UsageError */
export function artifactKey(text: string): ArtifactKey {
  if (text.length === 0) throw new UsageError("BAD_KEY", "an artifact key is empty, give the key that the store holds");
  if (text.length > 65_535 || !text.isWellFormed())
    throw new UsageError("BAD_KEY", "an artifact key is too long or not well-formed text");
  return text as ArtifactKey;
}

/** Parses a request id: 32 lower-case hex digits. @throws UsageError */
export function requestId(text: string): RequestId {
  if (!REQUEST_ID.test(text))
    throw new UsageError("BAD_REQUEST_ID", "a request id is 32 hex digits, see `deleatur requests`");
  return text as RequestId;
}

export function isRequestId(text: string): text is RequestId {
  return REQUEST_ID.test(text);
}

/** `surface/key`, the way an artifact is written on the operator's terminal and in the SDK. */
export function artifactId(ref: ArtifactRef): string {
  return `${ref.surface}/${ref.key}`;
}

/** Parses `surface/key`; everything behind the first slash is the key. @throws UsageError */
export function parseArtifactId(text: string): ArtifactRef {
  const slash = text.indexOf("/");
  if (slash <= 0) throw new UsageError("BAD_ARTIFACT_ID", "an artifact is written surface/key");
  return { surface: surfaceId(text.slice(0, slash)), key: artifactKey(text.slice(slash + 1)) };
}

/** Whether a text can name one person: half a surrogate has no bytes, and U+FFFD stands for bytes that were no text, whichever they were. */
function canName(text: string): boolean {
  return text.isWellFormed() && !text.includes("\ufffd");
}

/**
 * Folds an identifier by its type, so that one person has one spelling: `email` is trimmed and lower-cased, others stand as given.
 * @throws StoreError SUBJECT_UNREADABLE for what a store could not decode: two persons would be one
 */
export function foldIdentifier(type: string, value: string): SubjectIdentifier {
  if (!canName(value))
    throw new StoreError("SUBJECT_UNREADABLE", "a record names its person by bytes that are no text in UTF-8", {
      cure: "have the record name its person by valid text",
    });
  const folded = type === "email" ? value.trim().normalize("NFC").toLowerCase() : value;
  return { type, value: folded };
}

/**
 * What a store's own comparison does not tell apart: ASCII letters of another case alone, as SQLite's NOCASE; letters of another case; marks on letters; two ways to write one and the same
 * letter; or the ways to write a UUID.
 */
export type Folding = "ascii-case" | "case" | "marks" | "case-and-marks" | "form" | "uuid";

/** An identifier as a store compares it. */
export function foldAs(folding: Folding, { type, value }: SubjectIdentifier): string {
  return `${type}:${foldText(folding, value)}`;
}

function foldText(folding: Folding, value: string): string {
  switch (folding) {
    case "ascii-case":
      return value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    case "case":
      return value.toLowerCase().normalize("NFC");
    case "marks":
      return value.normalize("NFD").replaceAll(/\p{M}/gu, "");
    case "case-and-marks":
      return foldText("marks", value).toLowerCase();
    case "form":
      return value.normalize("NFC");
    case "uuid": {
      const digits = value.toLowerCase().replaceAll(/[{}-]/g, "");
      return /^[0-9a-f]{32}$/.test(digits) ? digits : value;
    }
    default:
      return folding satisfies never;
  }
}

/** Parses `type:value`. @throws UsageError (the message never repeats the value) */
export function parseIdentifier(text: string): SubjectIdentifier {
  const colon = text.indexOf(":");
  if (colon <= 0 || colon === text.length - 1) {
    throw new UsageError("BAD_IDENTIFIER", "an identifier is written type:value, for example account:42");
  }
  if (!canName(text))
    throw new UsageError("BAD_IDENTIFIER", "an identifier holds half a character, or U+FFFD in the place of one", {
      cure: "give it as it was before a decoder replaced a part of it",
    });
  return foldIdentifier(text.slice(0, colon), text.slice(colon + 1));
}
