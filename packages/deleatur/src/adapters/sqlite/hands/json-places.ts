// Reads and edits identifiers and source keys inside JSON columns. Pure; text that is no JSON holds none.
import { canonicalKey } from "@deleatur/verify";
import type { SqlValue } from "./values.ts";

/** The identifiers at a path: a text, a number, or an array of these; undefined where something else stands there, an object for example. */
export function identifiersInJson(value: SqlValue, path: readonly string[]): readonly string[] | undefined {
  const found = valueAt(parseJson(value), path);
  const items: readonly unknown[] = (Array.isArray(found) ? found : [found]).filter(
    (item: unknown) => item !== undefined && item !== null,
  );
  const texts = items.flatMap((item) => scalarText(item) ?? []);
  return texts.length === items.length ? texts : undefined;
}

/** The source keys of a JSON array (or a single one); an array inside it is a composite key. */
export function sourceKeysInJson(value: SqlValue): readonly string[] {
  const parsed = parseJson(value);
  const items: readonly unknown[] = Array.isArray(parsed)
    ? parsed
    : parsed === undefined || parsed === null
      ? []
      : [parsed];
  return items.flatMap((item) => sourceKey(item) ?? []);
}

/** The JSON array with exactly these source keys: kept ones stand as they stood, new ones are appended as text. */
export function withSourceKeys(value: SqlValue, wanted: readonly string[]): string {
  const parsed = parseJson(value);
  const items: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  const kept = items.filter((item) => wanted.includes(sourceKey(item) ?? ""));
  const known = new Set(kept.map(sourceKey));
  return JSON.stringify([...kept, ...wanted.filter((key) => !known.has(key))]);
}

/** The JSON text without the identifiers at a path that are not kept; undefined where nothing had to go. */
export function withoutIdentifiers(
  value: SqlValue,
  path: readonly string[],
  isKept: (identifier: string) => boolean,
): string | undefined {
  const parsed = parseJson(value);
  const found = valueAt(parsed, path);
  const parent = valueAt(parsed, path.slice(0, -1));
  const last = path.at(-1);
  const mustGo = (item: unknown): boolean => {
    const text = scalarText(item);
    return text !== undefined && !isKept(text);
  };
  if (last === undefined || !isContainer(parent)) return undefined;
  if (Array.isArray(found)) {
    if (!found.some(mustGo)) return undefined;
    Reflect.set(
      parent,
      last,
      found.filter((item) => !mustGo(item)),
    );
    return JSON.stringify(parsed);
  }
  if (!mustGo(found)) return undefined;
  // Inside an array the place stays, so that its neighbours keep theirs.
  if (Array.isArray(parent)) Reflect.set(parent, last, null);
  else Reflect.deleteProperty(parent, last);
  return JSON.stringify(parsed);
}

function parseJson(value: SqlValue): unknown {
  if (typeof value === "bigint") return value;
  const text = Buffer.isBuffer(value) ? value.toString("utf8") : value;
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const step of path) {
    if (!isContainer(at) || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return undefined;
}

function sourceKey(item: unknown): string | undefined {
  if (!Array.isArray(item)) return scalarText(item);
  const parts = item.flatMap((part) => scalarText(part) ?? []);
  return parts.length === item.length && parts.length > 0 ? canonicalKey(parts) : undefined;
}
