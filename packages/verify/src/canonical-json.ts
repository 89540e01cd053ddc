// The JSON Canonicalization Scheme (RFC 8785): one text for one value. It must not repair what JSON cannot say.

/** A JSON value as this package reads and writes it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new RangeError("text with a lone surrogate has no canonical JSON");
  // RFC 8785 §3.2.2.2 takes over ECMAScript's own serialization of strings.
  return JSON.stringify(text);
}

/**
 * The canonical JSON text of a value (RFC 8785): members by UTF-16 units, numbers as ECMAScript prints them.
 * Accepts plain objects and arrays only. @throws RangeError for NaN, infinities and lone surrogates, TypeError for what is no JSON.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError("NaN and infinities have no JSON");
    return JSON.stringify(value);
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${Array.from(value, (item: unknown) => canonicalJson(item)).join(",")}]`;
  if (!isObject(value))
    throw new TypeError("not a JSON value: only plain objects, arrays, text, numbers, booleans and null");
  // Without a comparator, sort() orders by UTF-16 units, which is what RFC 8785 §3.2.3 asks for.
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${quote(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}

/** A composite key (PROOFS §2): the canonical JSON of the array of its parts, each already in its own key form. */
export function canonicalKey(parts: readonly string[]): string {
  return canonicalJson(parts);
}
