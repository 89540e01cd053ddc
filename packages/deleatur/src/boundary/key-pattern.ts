// The pattern of keys that a Redis surface means, and whether two of them mean the same keys. Pure text.
import type { SurfaceInput } from "./boundary-input.ts";

/** What stands for something else in a pattern of Redis's `MATCH`. */
const SPECIAL = /[*?[\]^\\]/g;

/** The pattern of all keys that begin with a text, whatever characters it has. */
function prefixPattern(prefix: string): string {
  return `${prefix.replaceAll(SPECIAL, "\\$&")}*`;
}

/** Undefined where the surface declares neither a prefix nor a pattern. */
export function keyPattern({ prefix, pattern }: Pick<SurfaceInput, "prefix" | "pattern">): string | undefined {
  return prefix === undefined ? pattern : prefixPattern(prefix);
}

/** The text that every key of a pattern begins with, and whether nothing but that is asked of a key. */
function headOf(pattern: string): { readonly head: string; readonly isPrefix: boolean } {
  let head = "";
  let at = 0;
  while (at < pattern.length && !"*?[".includes(pattern[at] ?? "")) {
    if (pattern[at] === "\\" && at + 1 < pattern.length) at += 1;
    head += pattern[at] ?? "";
    at += 1;
  }
  return { head, isPrefix: pattern.slice(at) === "*" };
}

/** True where some key surely matches both: one of them is a prefix of the other. Of two patterns that are more than a prefix it is not told. */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [headOf(one), headOf(other)];
  return (a.isPrefix && b.head.startsWith(a.head)) || (b.isPrefix && a.head.startsWith(b.head));
}
