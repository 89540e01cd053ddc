// Parses one JSON text into values that know where they stand, so that one value can be changed and every other byte stays; pure.

export type JsonSpan = { readonly start: number; readonly end: number } & (
  | { readonly type: "object"; readonly members: readonly (readonly [name: string, value: JsonSpan])[] }
  | { readonly type: "array"; readonly items: readonly JsonSpan[] }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "number"; readonly source: string }
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "null" }
);

const MAX_DEPTH = 512;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const STRING = /"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;

/** The text of a JSON string; undefined where it holds a bare control character, which JSON forbids. */
function unquote(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === "string" ? value : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** Undefined where the text is no JSON, or is nested too deep to be anybody's record. Members that occur twice are all kept. */
export function parseJsonSpans(text: string): JsonSpan | undefined {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const takeChar = (char: string): boolean => {
    take(SPACE);
    if (text[at] !== char) return false;
    at++;
    return true;
  };

  function parseList<Item>(close: string, parseItem: () => Item | undefined): Item[] | undefined {
    const items: Item[] = [];
    if (takeChar(close)) return items;
    do {
      const item = parseItem();
      if (item === undefined) return undefined;
      items.push(item);
    } while (takeChar(","));
    return takeChar(close) ? items : undefined;
  }

  function parseString(): string | undefined {
    take(SPACE);
    const source = take(STRING);
    return source === undefined ? undefined : unquote(source);
  }

  function parseValue(depth: number): JsonSpan | undefined {
    take(SPACE);
    const start = at;
    if (depth > MAX_DEPTH) return undefined;
    if (text[at] === "{") {
      at++;
      const members = parseList("}", () => {
        const name = parseString();
        if (name === undefined || !takeChar(":")) return undefined;
        const value = parseValue(depth + 1);
        return value === undefined ? undefined : ([name, value] as const);
      });
      return members === undefined ? undefined : { type: "object", members, start, end: at };
    }
    if (text[at] === "[") {
      at++;
      const items = parseList("]", () => parseValue(depth + 1));
      return items === undefined ? undefined : { type: "array", items, start, end: at };
    }
    if (text[at] !== '"') return parseScalar(start);
    const value = parseString();
    return value === undefined ? undefined : { type: "string", value, start, end: at };
  }

  function parseScalar(start: number): JsonSpan | undefined {
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return value === null ? { type: "null", start, end: at } : { type: "boolean", value, start, end: at };
    }
    const source = take(NUMBER);
    return source === undefined ? undefined : { type: "number", source, start, end: at };
  }

  const value = parseValue(0);
  take(SPACE);
  return value !== undefined && at === text.length ? value : undefined;
}

/**
 * The values at a dotted path; an array on the way stands for each of its items, a number in the path for one of them. A member whose own name
 * holds the dots counts too, and one that occurs twice counts twice: whatever a reader might take is seen.
 */
export function valuesAt(span: JsonSpan, path: string): readonly JsonSpan[] {
  if (path === "") return [span];
  if (span.type === "array") {
    const [head = "", ...rest] = path.split(".");
    const item = /^[0-9]+$/.test(head) ? span.items[Number(head)] : undefined;
    if (item !== undefined) return valuesAt(item, rest.join("."));
    return span.items.flatMap((each) => (each.type === "object" || each.type === "array" ? valuesAt(each, path) : []));
  }
  if (span.type !== "object") return [];
  return span.members.flatMap(([name, value]) => {
    if (name === path) return [value];
    return path.startsWith(`${name}.`) ? valuesAt(value, path.slice(name.length + 1)) : [];
  });
}

/** Whether the path leads on from a text, a number or a boolean, which has no members: what was meant by it nobody can tell. */
export function leadsNowhere(span: JsonSpan, path: string): boolean {
  switch (span.type) {
    case "string":
    case "number":
    case "boolean":
      return path !== "";
    case "array": {
      const [head = "", ...rest] = path.split(".");
      const item = /^[0-9]+$/.test(head) ? span.items[Number(head)] : undefined;
      if (item !== undefined) return leadsNowhere(item, rest.join("."));
      return path !== "" && span.items.some((each) => leadsNowhere(each, path));
    }
    case "object":
      return span.members.some(
        ([name, value]) => path.startsWith(`${name}.`) && leadsNowhere(value, path.slice(name.length + 1)),
      );
    case "null":
      return false;
    default:
      return span satisfies never;
  }
}

/** What stands one step further on; undefined where the step leads into what has no members. */
export function stepInto(span: JsonSpan, step: string): readonly JsonSpan[] | undefined {
  switch (span.type) {
    case "null":
      return [];
    case "object":
      return span.members.flatMap(([name, value]) => (name === step ? [value] : []));
    case "array":
      if (/^\d+$/.test(step)) return span.items.slice(Number(step), Number(step) + 1);
      return span.items.length === 0 ? [] : undefined;
    case "string":
    case "number":
    case "boolean":
      return undefined;
    default:
      return span satisfies never;
  }
}

/** What can name a person or a source: a text or a number, as `scalarText` spells it. */
export function identifierText(span: JsonSpan): string | undefined {
  return span.type === "string" || span.type === "number" ? scalarText(span) : undefined;
}

/** Text, or a number in its shortest decimal (integers of any size as they stand), or a boolean; undefined for the rest. */
export function scalarText(span: JsonSpan): string | undefined {
  switch (span.type) {
    case "string":
      return span.value;
    case "number":
      if (/^-?[0-9]+$/.test(span.source)) return span.source === "-0" ? "0" : span.source;
      return String(Number(span.source));
    case "boolean":
      return String(span.value);
    case "object":
    case "array":
    case "null":
      return undefined;
    default:
      return span satisfies never;
  }
}
