// Reads and edits identifiers and source keys inside JSON columns. Pure: no number is rounded, and every other byte stays. What cannot be read is an answer of its own, never "nobody".
import { canonicalKey } from "@deleatur/verify";
import { identifierText, type JsonSpan, parseJsonSpans, stepInto } from "../../files/hands/json-spans.ts";
import { struckJson } from "../../files/hands/strike-json.ts";
import type { SqlValue } from "./values.ts";

/**
 * The identifiers at a path: a text, a number, or an array of these; none where the value or a member on the way is missing. Of a member that occurs
 * twice both, whichever a reader may take. Undefined where something else stands there or on the way to it (an object, an array of objects, a text),
 * and where the value is no JSON text: SQLite's binary JSON, for example.
 */
export function identifiersInJson(value: SqlValue, path: readonly string[]): readonly string[] | undefined {
  if (value === null || value === "") return [];
  const root = parseJson(value)?.root;
  let found = root === undefined ? undefined : [root];
  for (const step of path) {
    const below: (readonly JsonSpan[] | undefined)[] | undefined = found?.map((span) => stepInto(span, step));
    found = below?.every((spans) => spans !== undefined) === true ? below.flat() : undefined;
  }
  const items = found?.flatMap((span) => (span.type === "array" ? span.items : [span]));
  const texts = items?.filter(({ type }) => type !== "null").map(identifierText);
  return texts?.every((text) => text !== undefined) === true ? texts : undefined;
}

/**
 * The source keys of a JSON array (or a single one); an array inside it is a composite key. None where the value is no JSON text. Undefined where some
 * members are keys and others are not: what those name would be lost without a trace.
 */
export function sourceKeysInJson(value: SqlValue): readonly string[] | undefined {
  const items = sourceItems(parseJson(value)?.root);
  const keys = items.flatMap((item) => sourceKey(item) ?? []);
  return keys.length === 0 || keys.length === items.length ? keys : undefined;
}

/** The JSON array with exactly these source keys: kept ones stand as they stood, new ones are appended as text. */
export function withSourceKeys(value: SqlValue, wanted: readonly string[]): string {
  const parsed = parseJson(value);
  const items = sourceItems(parsed?.root);
  const kept = items.filter((item) => wanted.includes(sourceKey(item) ?? ""));
  const known = new Set(kept.map(sourceKey));
  const added = wanted.filter((key) => !known.has(key)).map((key) => JSON.stringify(key));
  return `[${[...kept.map((item) => parsed?.text.slice(item.start, item.end)), ...added].join(",")}]`;
}

/** The JSON text without the identifiers at a path that are not kept; undefined where nothing had to go. */
export function withoutIdentifiers(
  value: SqlValue,
  path: readonly string[],
  isKept: (identifier: string) => boolean,
): string | undefined {
  if (value === null) return undefined;
  return struckJson(textOf(value), path, (item) => {
    const identifier = identifierText(item);
    return identifier !== undefined && !isKept(identifier);
  });
}

function parseJson(value: SqlValue): { readonly text: string; readonly root: JsonSpan } | undefined {
  if (value === null) return undefined;
  const text = textOf(value);
  const root = parseJsonSpans(text);
  return root === undefined ? undefined : { text, root };
}

function textOf(value: NonNullable<SqlValue>): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : String(value);
}

function sourceItems(root: JsonSpan | undefined): readonly JsonSpan[] {
  if (root === undefined || root.type === "null") return [];
  return root.type === "array" ? root.items : [root];
}

function sourceKey(item: JsonSpan): string | undefined {
  if (item.type !== "array") return identifierText(item);
  const parts = item.items.flatMap((part) => identifierText(part) ?? []);
  return parts.length === item.items.length && parts.length > 0 ? canonicalKey(parts) : undefined;
}
