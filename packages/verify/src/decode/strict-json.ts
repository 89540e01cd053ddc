// Parses JSON so that no other parser could read something else out of it (hostile input). It must not accept a repeated member or an endless depth.
import type { JsonValue } from "../canonical-json.ts";

/** Input that is not what its format says. The message names a place, never a content. */
export class MalformedError extends Error {}

const MAX_DEPTH = 40;
const MAX_VALUES = 1_000_000;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;

class Parser {
  readonly #text: string;
  #at = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    const value = this.#value(0);
    this.#skip();
    if (this.#at !== this.#text.length) this.#fail("something follows the JSON value");
    return value;
  }

  #fail(why: string): never {
    throw new MalformedError(`${why} at offset ${this.#at}`);
  }

  #skip(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #take(mark: string): boolean {
    this.#skip();
    if (this.#text.charAt(this.#at) !== mark) return false;
    this.#at += 1;
    return true;
  }

  #value(depth: number): JsonValue {
    this.#values += 1;
    if (depth > MAX_DEPTH || this.#values > MAX_VALUES) this.#fail("JSON is nested too deep or holds too many values");
    if (this.#take("{")) return this.#object(depth);
    if (this.#take("[")) return this.#array(depth);
    if (this.#text.charAt(this.#at) === '"') return this.#string();
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number();
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const token = NUMBER.exec(this.#text)?.[0];
    if (token === undefined) this.#fail("no JSON value");
    const value = Number(token);
    if (!Number.isFinite(value)) this.#fail("a number beyond all bounds");
    this.#at += token.length;
    return value;
  }

  #string(): string {
    const start = this.#at;
    let isPlain = true;
    for (this.#at += 1; ; this.#at += 1) {
      const unit = this.#text.charCodeAt(this.#at);
      // NaN, past the end, fails this comparison too.
      if (!(unit >= 0x20)) this.#fail("a string that does not end or holds a control character");
      if (unit === 0x22) break;
      if (unit !== 0x5c) continue;
      isPlain = false;
      this.#at += 1;
    }
    this.#at += 1;
    if (isPlain) return this.#text.slice(start + 1, this.#at - 1);
    const value = this.#unescape(start);
    if (!value.isWellFormed()) this.#fail("a string with a lone surrogate");
    return value;
  }

  #unescape(start: number): string {
    let value: unknown;
    try {
      value = JSON.parse(this.#text.slice(start, this.#at));
    } catch (cause) {
      throw new MalformedError(`a wrong escape before offset ${this.#at}`, { cause });
    }
    return typeof value === "string" ? value : this.#fail("no string");
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    if (this.#take("]")) return items;
    do items.push(this.#value(depth + 1));
    while (this.#take(","));
    if (!this.#take("]")) this.#fail("an array that does not end");
    return items;
  }

  #object(depth: number): { readonly [member: string]: JsonValue } {
    // Without a prototype, so that "__proto__" is a member like any other.
    const members: Record<string, JsonValue> = Object.create(null);
    if (this.#take("}")) return members;
    do {
      this.#skip();
      if (this.#text.charAt(this.#at) !== '"') this.#fail("a member without a name");
      const name = this.#string();
      if (Object.hasOwn(members, name)) this.#fail("a member stands twice");
      if (!this.#take(":")) this.#fail("a member without a value");
      members[name] = this.#value(depth + 1);
    } while (this.#take(","));
    if (!this.#take("}")) this.#fail("an object that does not end");
    return members;
  }
}

/** One JSON value and nothing else; objects have no prototype. @throws MalformedError, and nothing else. */
export function parseStrictJson(text: string): JsonValue {
  if (!text.isWellFormed()) throw new MalformedError("text with a lone surrogate");
  return new Parser(text).document();
}
