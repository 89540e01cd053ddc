// Takes a value apart into an artifact: people, sources and content at their declared places. Pure; what a declared place cannot be read as is an error, not a guess.
import { canonicalKey } from "@deleatur/verify";
import type { ContentField } from "../../../model/artifact.ts";
import { StoreError } from "../../../model/errors.ts";
import { artifactKey, type ArtifactRef, foldIdentifier, type SubjectIdentifier } from "../../../model/ids.ts";
import type { ScanPart } from "../../../surface.ts";
import {
  identifierText,
  type JsonSpan,
  leadsNowhere,
  parseJsonSpans,
  scalarText,
  valuesAt,
} from "../../files/hands/json-spans.ts";
import { isSpelledAsText } from "../key-text.ts";
import { type RedisOptions, type RedisSource, segmentOf, WHOLE } from "../options.ts";
import { floatsOf } from "./connect.ts";
import type { Value } from "./read-values.ts";

/** A hash's or an entry's fields with their names as text, read once for all the places that are looked for in them. */
type NamedFields = readonly (readonly [name: string, value: Buffer])[];
type NamedValue =
  | { readonly type: "whole"; readonly bytes: Buffer; readonly isBinary: boolean }
  | { readonly type: "items"; readonly items: readonly Buffer[] }
  | { readonly type: "fields"; readonly records: readonly NamedFields[] };

/** A value at a place: bytes as they are stored, or a part of a JSON text. */
type Found = { readonly bytes: Buffer } | { readonly span: JsonSpan; readonly text: string };

export interface ReadParts {
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly content: readonly ContentField[];
}

/** @param key the spelled key that segments are cut from. @throws StoreError */
export function readParts(raw: Value, key: string, options: RedisOptions, part: ScanPart = "all"): ReadParts {
  const value = withNames(raw);
  return {
    subjects: options.subjects.flatMap((locator): readonly SubjectIdentifier[] => {
      if ("segment" in locator) {
        // Of a key that is spelled in hex no segment is a part of the key itself.
        if (!isSpelledAsText(key)) throw unreadSubject(options);
        const part = segmentOf(key, locator);
        return part === undefined ? [] : [foldIdentifier(locator.type, part)];
      }
      if (isCutShort(value, locator.path)) throw unreadSubject(options);
      return findAt(value, locator.path).flatMap((found) => subjectsOf(found, locator.type, options));
    }),
    sources: options.sources.flatMap((locator) =>
      findAt(value, locator.path).flatMap((found) => sourcesOf(found, locator, options)),
    ),
    content: part === "lineage" ? [] : [...contentOf(value, options), ...vectorsOf(value, options)],
  };
}

function withNames(value: Value): NamedValue {
  switch (value.type) {
    case "string":
    case "dump":
      return { type: "whole", bytes: value.bytes, isBinary: value.type === "dump" };
    case "items":
      return { type: "items", items: value.items };
    case "hash":
      return { type: "fields", records: [named(value.fields)] };
    case "stream":
      return { type: "fields", records: value.entries.map(({ fields }) => named(fields)) };
    default:
      return value satisfies never;
  }
}

function named(fields: readonly (readonly [Buffer, Buffer])[]): NamedFields {
  return fields.map(([name, bytes]) => [name.toString("utf8"), bytes]);
}

/** The values at a dotted path. A name that has the dots itself goes before a path into JSON. */
function findAt(value: NamedValue, path: string): readonly Found[] {
  switch (value.type) {
    case "whole":
      return path === WHOLE ? [{ bytes: value.bytes }] : inJson(value.bytes, path);
    case "items":
      return value.items.flatMap((item) => (path === WHOLE ? [{ bytes: item }] : inJson(item, path)));
    case "fields":
      return value.records.flatMap((fields) => inFields(fields, path));
    default:
      return value satisfies never;
  }
}

function inFields(fields: NamedFields, path: string): readonly Found[] {
  const found: Found[] = [];
  for (const [name, bytes] of fields) {
    if (name === path) found.push({ bytes });
    else if (path[name.length] === "." && path.startsWith(name))
      found.push(...inJson(bytes, path.slice(name.length + 1)));
  }
  return found;
}

/** Whether a path leads on from what has no members, a text for one, in any of the records: whom that names nobody can tell. */
function isCutShort(value: NamedValue, path: string): boolean {
  switch (value.type) {
    case "whole":
      return path !== WHOLE && hasNoWay(value.bytes, path);
    case "items":
      return path !== WHOLE && value.items.some((item) => hasNoWay(item, path));
    case "fields":
      return value.records.some((fields) =>
        fields.some(([name, bytes]) => path.startsWith(`${name}.`) && hasNoWay(bytes, path.slice(name.length + 1))),
      );
    default:
      return value satisfies never;
  }
}

function hasNoWay(bytes: Buffer, path: string): boolean {
  if (bytes.length === 0) return false;
  const root = parseJsonSpans(bytes.toString("utf8"));
  return root === undefined || leadsNowhere(root, path);
}

function inJson(bytes: Buffer, path: string): readonly Found[] {
  const text = bytes.toString("utf8");
  if (!/^\s*[[{]/.test(text)) return [];
  const root = parseJsonSpans(text);
  return root === undefined ? [] : valuesAt(root, path).map((span) => ({ span, text }));
}

function subjectsOf(found: Found, type: string, options: RedisOptions): readonly SubjectIdentifier[] {
  const texts = "bytes" in found ? [found.bytes.toString("utf8")] : scalarsOf(found.span);
  if (texts === undefined) throw unreadSubject(options);
  return texts.filter((text) => text !== "").map((text) => foldIdentifier(type, text));
}

function scalarsOf(span: JsonSpan): readonly string[] | undefined {
  const spans = (span.type === "array" ? span.items : [span]).filter(({ type }) => type !== "null");
  const texts = spans.map(identifierText);
  return texts.every((text): text is string => text !== undefined) ? texts : undefined;
}

function unreadSubject(options: RedisOptions): StoreError {
  return unreadable(options, "SUBJECT_UNREADABLE", "a subject that is no text or number, or not where the path leads");
}

function sourcesOf(found: Found, { surface, as }: RedisSource, options: RedisOptions): readonly ArtifactRef[] {
  const keys = keysIn(found, as);
  if (keys?.every((key) => key.isWellFormed() && key.length <= 65_535) !== true)
    throw unreadable(options, "SOURCES_UNREADABLE", "sources that are no keys");
  return keys.filter((key) => key !== "").map((key) => ({ surface, key: artifactKey(key) }));
}

/** The keys that a place names; undefined where they cannot be read. */
export function keysIn(found: Found, as: "key" | "json"): readonly string[] | undefined {
  const span = "span" in found ? found.span : undefined;
  if (span?.type === "null") return [];
  if (span?.type === "array") return arrayKeys(span);
  const text = "bytes" in found ? found.bytes.toString("utf8") : scalarText(found.span);
  if (text === undefined) return undefined;
  if (as === "key" || text === "") return [text];
  const inner = parseJsonSpans(text);
  return inner?.type === "array" ? arrayKeys(inner) : undefined;
}

/** An array inside the array is a composite key. */
function arrayKeys(span: JsonSpan): readonly string[] | undefined {
  if (span.type !== "array") return undefined;
  const keys = span.items.map((item) => {
    if (item.type !== "array") return scalarText(item);
    const parts = item.items.map(scalarText);
    return parts.every((part): part is string => part?.isWellFormed() === true) ? canonicalKey(parts) : undefined;
  });
  return keys.every((key): key is string => key !== undefined) ? keys : undefined;
}

function contentOf(value: NamedValue, options: RedisOptions): readonly ContentField[] {
  if (options.content.length === 0) return allContent(value, options);
  return options.content.flatMap(({ column, as }) =>
    findAt(value, column).flatMap((found): readonly ContentField[] => {
      if ("bytes" in found) return [fieldOf(column, found.bytes, as === "msgpack")];
      if (found.span.type === "null") return [];
      const own = found.text.slice(found.span.start, found.span.end);
      return [{ type: "text", name: column, text: as === "text" ? (scalarText(found.span) ?? own) : own }];
    }),
  );
}

/** Where nothing is declared: all of it, but what names people and sources. */
function allContent(value: NamedValue, options: RedisOptions): readonly ContentField[] {
  const elsewhere = new Set<string>();
  for (const locator of [...options.subjects, ...options.sources]) if ("path" in locator) elsewhere.add(locator.path);
  if (options.vector !== undefined) elsewhere.add(options.vector);
  switch (value.type) {
    case "whole":
      return [fieldOf(WHOLE, value.bytes, value.isBinary)];
    case "items":
      return value.items.map((item) => fieldOf(WHOLE, item, false));
    case "fields":
      return value.records.flatMap((fields) =>
        fields.flatMap(([name, bytes]) => (elsewhere.has(name) ? [] : [fieldOf(name, bytes, false)])),
      );
    default:
      return value satisfies never;
  }
}

function fieldOf(name: string, bytes: Buffer, isBinary: boolean): ContentField {
  const text = isBinary ? undefined : utf8(bytes);
  return text === undefined ? { type: "bytes", name, bytes: new Uint8Array(bytes) } : { type: "text", name, text };
}

function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(bytes) ? undefined : text;
}

/** float32 as bytes, or a JSON array of numbers; bytes that are neither are content all the same. */
function vectorsOf(value: NamedValue, { vector }: RedisOptions): readonly ContentField[] {
  if (vector === undefined) return [];
  return findAt(value, vector).flatMap((found): readonly ContentField[] => {
    if ("bytes" in found) {
      const { bytes } = found;
      const span = bytes[0] === OPEN_BRACKET ? parseJsonSpans(bytes.toString("utf8")) : undefined;
      if (span?.type === "array") return numbersOf(vector, span);
      if (bytes.length === 0 || bytes.length % 4 !== 0) return [fieldOf(vector, bytes, true)];
      return [{ type: "vector", name: vector, vector: floatsOf(bytes) }];
    }
    return numbersOf(vector, found.span);
  });
}

const OPEN_BRACKET = 0x5b;

function numbersOf(name: string, span: JsonSpan): readonly ContentField[] {
  if (span.type !== "array") return [];
  const numbers = span.items.map((item) => (item.type === "number" ? Number(item.source) : Number.NaN));
  return [{ type: "vector", name, vector: Float32Array.from(numbers) }];
}

function unreadable({ surface, stores }: RedisOptions, code: string, what: string): StoreError {
  return new StoreError(code, `a key of surface ${surface} has ${what}, mend the key or the declaration`, {
    place: { surface, store: stores[0].name },
    cure: "mend the key or the declaration",
  });
}
