// Gives one JSON line new content, sources and subjects by changing only those values; every other byte of the line stays. Pure.
import type { Artifact, ContentField } from "../../../model/artifact.ts";
import { artifactId, foldIdentifier } from "../../../model/ids.ts";
import type { FilesOptions } from "../options.ts";
import { type JsonSpan, parseJsonSpans, scalarText, valuesAt } from "./json-spans.ts";
import { readRecord, segmentOf, sourceKeys } from "./read-record.ts";

export type LineEdit =
  { readonly outcome: "edited"; readonly text: string } | { readonly outcome: "unfit"; readonly why: string };

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * @param given the new content fields that are not yet placed; taken from the front by name, so that a record of several lines is filled in order
 */
export function editRecord(
  text: string,
  root: JsonSpan,
  next: Artifact,
  given: ContentField[],
  options: FilesOptions,
): LineEdit {
  const changes: Change[] = [];
  const locked = new Set(options.key.flatMap((path) => valuesAt(root, path)).map(({ start }) => start));
  let why: string | undefined;
  const change = (span: JsonSpan, to: string): void => {
    if (text.slice(span.start, span.end) === to) return;
    if (locked.has(span.start)) why ??= "a value to be removed is part of the key";
    changes.push({ start: span.start, end: span.end, text: to });
  };

  for (const { column, as } of options.content) {
    for (const span of valuesAt(root, column)) {
      if (span.type === "null") continue;
      const field = takeByName(given, column);
      if (field === undefined) change(span, "null");
      else if (field.type !== "text") why ??= "the new content of a text field is no text";
      else if (as === "text" && span.type === "string") {
        if (field.text !== span.value) change(span, JSON.stringify(field.text));
      } else if (as === "text" && field.text !== (scalarText(span) ?? text.slice(span.start, span.end))) {
        change(span, JSON.stringify(field.text));
      } else if (as === "json") {
        if (parseJsonSpans(field.text) === undefined) why ??= "the new content of a JSON field is no JSON";
        else change(span, oneLine(field.text));
      }
    }
  }
  if (options.vector !== undefined) {
    for (const span of valuesAt(root, options.vector)) {
      const field = takeByName(given, options.vector);
      if (field?.type === "vector") change(span, JSON.stringify([...field.vector]));
      else if (span.type !== "null") change(span, "null");
    }
  }
  changes.push(...sourceChanges(text, root, next, options), ...subjectChanges(text, root, next, options));
  for (const locator of options.subjects) {
    if (!("segment" in locator)) continue;
    const value = segmentOf(next.key, locator);
    if (value !== undefined && !hasSubject(next, locator.type, value))
      why ??= "a subject to be removed is part of the key";
  }
  if (changes.some(({ start }) => locked.has(start))) why ??= "a value to be removed is part of the key";
  if (why !== undefined) return { outcome: "unfit", why };
  const edited = applyChanges(text, changes);
  return keepsMore(edited, next, options)
    ? { outcome: "unfit", why: "a subject or source to be removed stands within the content" }
    : { outcome: "edited", text: edited };
}

/** The last look at an edited line: it must name nobody, and no source, beyond what it was to keep. */
function keepsMore(edited: string, next: Artifact, options: FilesOptions): boolean {
  const read = readRecord(edited, options);
  if (read.outcome === "unreadable") return true;
  const sources = new Set(next.sources.map(artifactId));
  return (
    read.record.key !== next.key ||
    read.record.subjects.some(({ type, value }) => !hasSubject(next, type, value)) ||
    read.record.sources.some((source) => !sources.has(artifactId(source)))
  );
}

function takeByName(given: ContentField[], name: string): ContentField | undefined {
  const at = given.findIndex((field) => field.name === name);
  return at === -1 ? undefined : given.splice(at, 1)[0];
}

/** White space between JSON tokens may hold line breaks, which would end the line. */
function oneLine(json: string): string {
  return /[\r\n]/.test(json) ? JSON.stringify(JSON.parse(json)) : json;
}

function hasSubject(next: Artifact, type: string, value: string): boolean {
  const folded = foldIdentifier(type, value);
  return next.subjects.some((subject) => subject.type === folded.type && subject.value === folded.value);
}

/** Drops the items of an array that are not kept; a lone value that is not kept becomes null. */
function keepOnly(text: string, span: JsonSpan, isKept: (item: JsonSpan) => boolean): readonly Change[] {
  if (span.type === "null") return [];
  if (span.type !== "array") return isKept(span) ? [] : [{ start: span.start, end: span.end, text: "null" }];
  const kept = span.items.filter((item) => item.type === "null" || isKept(item));
  if (kept.length === span.items.length) return [];
  const items = kept.map((item) => text.slice(item.start, item.end));
  return [{ start: span.start, end: span.end, text: `[${items.join(",")}]` }];
}

function sourceChanges(text: string, root: JsonSpan, next: Artifact, options: FilesOptions): readonly Change[] {
  return options.sources.flatMap(({ surface, path, as }) => {
    const kept = new Set(next.sources.filter((source) => source.surface === surface).map(({ key }): string => key));
    const isKept = (key: string): boolean => kept.has(key);
    return valuesAt(root, path).flatMap((span): readonly Change[] => {
      const keys = sourceKeys(span, as) ?? [];
      if (keys.every(({ key }) => isKept(key))) return [];
      if (span.type === "string" && as === "json") {
        const inner = keys
          .filter(({ key }) => isKept(key))
          .map((each) => span.value.slice(each.span.start, each.span.end));
        return [{ start: span.start, end: span.end, text: JSON.stringify(`[${inner.join(",")}]`) }];
      }
      const keptSpans = new Set(keys.filter(({ key }) => isKept(key)).map((each) => each.span));
      return keepOnly(text, span, (item) => keptSpans.has(item));
    });
  });
}

function subjectChanges(text: string, root: JsonSpan, next: Artifact, options: FilesOptions): readonly Change[] {
  return options.subjects.flatMap((locator) => {
    if ("segment" in locator) return [];
    return valuesAt(root, locator.path).flatMap((span) =>
      keepOnly(text, span, (item) => {
        const value = scalarText(item);
        return value === undefined || value === "" || hasSubject(next, locator.type, value);
      }),
    );
  });
}

/** Of two changes of which one lies within the other the outer is made; of two to the same value the one that removes it. */
function applyChanges(text: string, changes: readonly Change[]): string {
  let edited = "";
  let done = 0;
  const order = (a: Change, b: Change): number =>
    a.start - b.start || b.end - a.end || Number(b.text === "null") - Number(a.text === "null");
  for (const { start, end, text: to } of changes.toSorted(order)) {
    if (start < done) continue;
    edited += text.slice(done, start) + to;
    done = end;
  }
  return edited + text.slice(done);
}
