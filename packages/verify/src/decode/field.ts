// Reads typed values out of parsed JSON, each with its place: the whole schema language of this package. Unknown members are refused, never ignored.
import { compareUtf8 } from "../bytes.ts";
import type { JsonObject, JsonValue } from "../canonical-json.ts";
import { fromBase64 } from "../encodings.ts";
import { MalformedError } from "./strict-json.ts";

/** A value and where it stands. The path holds member names of the schema and positions only. */
export interface Field {
  readonly value: JsonValue;
  readonly path: string;
}

export function refuse(field: Field, why: string): never {
  throw new MalformedError(`${field.path}: ${why}`);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object that has exactly these names. */
export function members<Name extends string>(field: Field, names: readonly Name[]): (name: Name) => Field {
  const { value } = field;
  if (!isObject(value)) return refuse(field, "an object is wanted");
  for (const name of names) if (!Object.hasOwn(value, name)) refuse(field, `the member ${name} is missing`);
  if (Object.keys(value).length !== names.length) refuse(field, "a member that this version does not know");
  return (name) => ({ value: value[name] ?? null, path: `${field.path}.${name}` });
}

/** The members of an object whose names are data. */
export function entries(field: Field, max: number): readonly (readonly [string, Field])[] {
  const { value } = field;
  if (!isObject(value)) return refuse(field, "an object is wanted");
  const names = Object.keys(value);
  if (names.length > max) refuse(field, `more than ${max} members`);
  return names.map((name) => [name, { value: value[name] ?? null, path: `${field.path}[member]` }]);
}

/** The value of the discriminating member of an object, which a decoder of that variant reads again. */
export function tagOf<Tag extends string>(field: Field, name: string, tags: readonly Tag[]): Tag {
  const { value } = field;
  if (!isObject(value) || !Object.hasOwn(value, name)) return refuse(field, `the member ${name} is missing`);
  return oneOf({ value: value[name] ?? null, path: `${field.path}.${name}` }, tags);
}

export function list<Item>(field: Field, decode: (item: Field) => Item, max: number): readonly Item[] {
  const { value, path } = field;
  if (!Array.isArray(value)) return refuse(field, "an array is wanted");
  if (value.length > max) refuse(field, `more than ${max} items`);
  return value.map((item: JsonValue, i) => decode({ value: item, path: `${path}[${i}]` }));
}

/** A list in strictly ascending order of its keys' UTF-8 bytes, so that nothing stands twice and there is one spelling. */
export function sortedList<Item>(
  field: Field,
  decode: (item: Field) => Item,
  keyOf: (item: Item) => string,
  max: number,
): readonly Item[] {
  const items = list(field, decode, max);
  for (const [i, item] of items.entries()) {
    const previous = items[i - 1];
    if (previous !== undefined && compareUtf8(keyOf(previous), keyOf(item)) >= 0)
      refuse(field, "items are not in strictly ascending order");
  }
  return items;
}

export function nullable<Value>(field: Field, decode: (field: Field) => Value): Value | null {
  return field.value === null ? null : decode(field);
}

export function text(field: Field, maxLength: number = 4_096): string {
  const { value } = field;
  if (typeof value !== "string") return refuse(field, "a string is wanted");
  if (value.length > maxLength) refuse(field, `a string of more than ${maxLength} units`);
  return value;
}

/** An id: not empty, short enough for `lp`, no control character, so that it can stand in a line. */
export function id(field: Field): string {
  const value = text(field, 1_024);
  if (value.length === 0 || /\p{Cc}/u.test(value))
    refuse(field, "an id is one non-empty line without control characters");
  return value;
}

export function matching(field: Field, pattern: RegExp, what: string): string {
  const value = text(field);
  if (!pattern.test(value)) refuse(field, `${what} is wanted`);
  return value;
}

export function hexDigest(field: Field): string {
  return matching(field, /^[0-9a-f]{64}$/, "lower-case hex of 32 bytes");
}

/** Base64 in its one spelling; the text is kept. */
export function base64(field: Field, maxLength: number): string {
  const value = text(field, maxLength);
  try {
    fromBase64(value);
  } catch (cause) {
    throw new MalformedError(`${field.path}: canonical base64 is wanted`, { cause });
  }
  return value;
}

export function integer(field: Field, min: number = 0): number {
  const { value } = field;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || Object.is(value, -0) || value < min)
    return refuse(field, `a whole number from ${min} to 2^53 - 1 is wanted`);
  return value;
}

export function oneOf<Value extends string | number>(field: Field, values: readonly Value[]): Value {
  const found = values.find((value) => value === field.value);
  return found ?? refuse(field, `one of ${values.join(", ")} is wanted`);
}

/** `2026-11-02T14:02:11Z`, a time that exists. */
export function utcTime(field: Field): string {
  const value = matching(
    field,
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/,
    "a UTC time in whole seconds",
  );
  const time = new Date(value);
  // A day or second that does not exist comes back as another one, or not at all.
  if (Number.isNaN(time.getTime()) || `${time.toISOString().slice(0, 19)}Z` !== value) refuse(field, "no such time");
  return value;
}
