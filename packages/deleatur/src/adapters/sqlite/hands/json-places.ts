// Reads and edits identifiers and source keys inside JSON columns. Pure: no number is rounded, and every other byte stays. What cannot be read is an answer of its own, never "nobody".
import { canonicalKey } from "@deleatur/verify";
import { identifierText, type JsonSpan, parseJsonSpans, stepInto } from "../../files/hands/json-spans.ts";
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
  const parsed = parseJson(value);
  if (parsed === undefined) return undefined;
  const { text, root } = parsed;
  const mustGo = (item: JsonSpan): boolean => {
    const identifier = identifierText(item);
    return identifier !== undefined && !isKept(identifier);
  };
  const left = strike(text, root, path, mustGo) ?? "null";
  return left === text.slice(root.start, root.end) ? undefined : left;
}

/** The text of a value without what must go at a path; undefined where the value itself goes. */
function strike(
  text: string,
  span: JsonSpan,
  path: readonly string[],
  mustGo: (item: JsonSpan) => boolean,
): string | undefined {
  const textOf = ({ start, end }: JsonSpan): string => text.slice(start, end);
  const [step, ...rest] = path;
  if (step === undefined) {
    if (span.type !== "array") return mustGo(span) ? undefined : textOf(span);
    const kept = span.items.filter((item) => !mustGo(item));
    return kept.length === span.items.length ? textOf(span) : `[${kept.map(textOf).join(",")}]`;
  }
  if (span.type === "object") {
    const left = span.members.map(([name, value]) => ({
      name,
      before: textOf(value),
      after: name === step ? strike(text, value, rest, mustGo) : textOf(value),
    }));
    if (left.every(({ before, after }) => before === after)) return textOf(span);
    const members = left.flatMap(({ name, after }) =>
      after === undefined ? [] : [`${JSON.stringify(name)}:${after}`],
    );
    return `{${members.join(",")}}`;
  }
  if (span.type !== "array" || !/^\d+$/.test(step)) return textOf(span);
  // Inside an array the place stays, so that its neighbours keep theirs.
  const items = span.items.map((item, place) =>
    place === Number(step) ? (strike(text, item, rest, mustGo) ?? "null") : textOf(item),
  );
  return items.every((item, place) => item === textOf(span.items[place] ?? span))
    ? textOf(span)
    : `[${items.join(",")}]`;
}

function parseJson(value: SqlValue): { readonly text: string; readonly root: JsonSpan } | undefined {
  if (value === null) return undefined;
  const text = Buffer.isBuffer(value) ? value.toString("utf8") : String(value);
  const root = parseJsonSpans(text);
  return root === undefined ? undefined : { text, root };
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
