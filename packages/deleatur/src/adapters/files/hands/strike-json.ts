// Takes what must go at a path out of one JSON text: every other value stays byte for byte, and of members that occur twice both. Pure.
import { type JsonSpan, parseJsonSpans } from "./json-spans.ts";

/** Whether a value that stands at the path, alone or in an array, must go; `source` is how it is written. */
export type MustGo = (item: JsonSpan, source: string) => boolean;

/** The text without it; `null` where nothing else is left. Undefined where nothing had to go, or the text is no JSON. */
export function struckJson(text: string, path: readonly string[], mustGo: MustGo): string | undefined {
  const root = parseJsonSpans(text);
  if (root === undefined) return undefined;
  const left = strike(text, root, path, mustGo) ?? "null";
  return left === text.slice(root.start, root.end) ? undefined : left;
}

/** The text of a value without what must go at a path; undefined where the value itself goes. */
function strike(text: string, span: JsonSpan, path: readonly string[], mustGo: MustGo): string | undefined {
  const textOf = ({ start, end }: JsonSpan): string => text.slice(start, end);
  const goes = (item: JsonSpan): boolean => mustGo(item, textOf(item));
  const [step, ...rest] = path;
  if (step === undefined) {
    if (span.type !== "array") return goes(span) ? undefined : textOf(span);
    const kept = span.items.filter((item) => !goes(item));
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
