// Reads identifiers and source keys out of JSON text without rounding a number. Pure; where a path does not reach, or a text is no JSON, nobody can tell whom it names, and that is an answer of its own.
import { canonicalKey } from "@deleatur/verify";
import { parseJsonSpans, stepInto } from "../../files/hands/json-spans.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON in which every number is the text that stands there: an id of twenty digits stays what it is. Undefined for what is no JSON. */
export function parseExact(text: string | null): unknown {
  if (text === null) return undefined;
  const quoted = text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : `"${numberText(token)}"`));
  try {
    return JSON.parse(quoted);
  } catch {
    return undefined; // no JSON
  }
}

/** What the server itself wrote from an array of texts: there is no number in it that could be rounded. */
export function parseTexts(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}

function numberText(token: string): string {
  const number = Number(token);
  return Number.isSafeInteger(number) ? String(number) : token;
}

/** What names nobody that could be read. */
const UNREADABLE = {};

/**
 * What stands at a path in JSON text: undefined where the text or a member is missing, an empty object where something on the way has no members, or has
 * the member twice (whoever asks the server sees one of them alone), and where the text is no JSON.
 */
export function valueAt(text: string | null, path: readonly string[]): unknown {
  if (text === null || text === "") return undefined;
  let at = parseJsonSpans(text);
  if (at === undefined) return UNREADABLE;
  for (const step of path) {
    const below = stepInto(at, step);
    if (below === undefined || below.length > 1) return UNREADABLE;
    const [next] = below;
    if (next === undefined) return undefined;
    at = next;
  }
  return parseExact(text.slice(at.start, at.end));
}

/** One member of an array, or the value itself; `text` is undefined for what names nobody. */
export interface Member {
  readonly text: string | undefined;
}

/** The members of an array, or the one value there is. */
export function identifiersIn(found: unknown): readonly Member[] {
  return itemsOf(found).map((item) => ({ text: typeof item === "string" ? item : undefined }));
}

/** Source keys; an array inside an array is a composite key. */
export function sourceKeysIn(found: unknown): readonly Member[] {
  return itemsOf(found).map((item) => ({ text: sourceKey(item) }));
}

function itemsOf(found: unknown): readonly unknown[] {
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? (found as readonly unknown[]) : [found];
}

function sourceKey(item: unknown): string | undefined {
  if (!Array.isArray(item)) return typeof item === "string" ? item : undefined;
  const parts = item.filter((part): part is string => typeof part === "string");
  return parts.length === item.length && parts.length > 0 ? canonicalKey(parts) : undefined;
}
