// Reads the declared fields of one JSON line: key, subjects, sources, content; pure. What a declared field cannot be read as is an answer, not a guess.
import { canonicalKey } from "@deleatur/verify";
import type { ContentField } from "../../../model/artifact.ts";
import { artifactKey, foldIdentifier } from "../../../model/ids.ts";
import type { ArtifactKey, ArtifactRef, SubjectIdentifier } from "../../../model/ids.ts";
import type { FileSource, FilesOptions } from "../options.ts";
import { identifierText, type JsonSpan, leadsNowhere, parseJsonSpans, scalarText, valuesAt } from "./json-spans.ts";

/** One line as an artifact, with where its declared values stand. */
interface LineRecord {
  readonly key: ArtifactKey;
  /** Which key fields the line has: two lines with one key but other fields are not the same artifact. */
  readonly keyFields: string;
  readonly root: JsonSpan;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly content: readonly ContentField[];
}

export type LineRead =
  | { readonly outcome: "record"; readonly record: LineRecord }
  | { readonly outcome: "unreadable"; readonly code: string; readonly what: string };

function unreadable(code: string, what: string): LineRead {
  return { outcome: "unreadable", code, what };
}

export function readRecord(text: string, options: FilesOptions): LineRead {
  const root = parseJsonSpans(text);
  if (root === undefined) return unreadable("LINE_NOT_JSON", "is no JSON");
  if (root.type !== "object") return unreadable("LINE_NOT_JSON", "is no JSON object");
  const parts: string[] = [];
  let keyFields = "";
  for (const [index, path] of options.key.entries()) {
    const [value, ...others] = valuesAt(root, path).filter(({ type }) => type !== "null");
    if (value === undefined) continue;
    const part = scalarText(value);
    if (part === undefined || others.length > 0)
      return unreadable("KEY_UNREADABLE", "has a key that is no single text or number");
    parts.push(part);
    keyFields += ` ${index}`;
  }
  const single = options.key.length === 1;
  if (parts.length === 0 || (single && parts[0] === "")) return unreadable("KEY_MISSING", "lacks the declared key");
  const keyText = single ? (parts[0] ?? "") : wellFormed(parts) ? canonicalKey(parts) : "\ud800";
  if (keyText.length > 65_535 || !keyText.isWellFormed())
    return unreadable("KEY_UNREADABLE", "has a key that is too long or no text");
  const key = artifactKey(keyText);

  const subjects = readSubjects(root, key, options);
  if (subjects === undefined)
    return unreadable("SUBJECT_UNREADABLE", "has a subject that is no text or number, or not where the path leads");
  const sources = options.sources.map((locator) => readSources(root, locator));
  if (sources.includes(undefined)) return unreadable("SOURCES_UNREADABLE", "has sources that are no keys");
  const content = [
    ...options.content.flatMap((locator) =>
      valuesAt(root, locator.column).flatMap((value) =>
        contentField(value, locator.column, locator.as === "text", text),
      ),
    ),
    ...(options.vector === undefined ? [] : readVectors(root, options.vector)),
  ];
  const record = { key, keyFields, root, subjects, sources: sources.flatMap((list) => list ?? []), content };
  return { outcome: "record", record };
}

function wellFormed(parts: readonly string[]): boolean {
  return parts.every((part) => part.isWellFormed());
}

/** A text value as text; what is no text, and all that is declared as JSON, as it is written in the line. */
function contentField(value: JsonSpan, name: string, asText: boolean, line: string): readonly ContentField[] {
  if (value.type === "null") return [];
  const text = asText ? scalarText(value) : undefined;
  return [{ type: "text", name, text: text ?? line.slice(value.start, value.end) }];
}

function readVectors(root: JsonSpan, name: string): readonly ContentField[] {
  return valuesAt(root, name).flatMap((value): ContentField[] => {
    if (value.type !== "array") return [];
    const numbers = value.items.map((item) => (item.type === "number" ? Number(item.source) : Number.NaN));
    return [{ type: "vector", name, vector: Float32Array.from(numbers) }];
  });
}

/** The values of a subject field: one, or each of an array. */
function subjectValues(root: JsonSpan, path: string): readonly JsonSpan[] {
  return valuesAt(root, path)
    .flatMap((value) => (value.type === "array" ? value.items : [value]))
    .filter(({ type }) => type !== "null");
}

function readSubjects(root: JsonSpan, key: string, options: FilesOptions): readonly SubjectIdentifier[] | undefined {
  const found: SubjectIdentifier[] = [];
  for (const locator of options.subjects) {
    if ("segment" in locator) {
      const value = segmentOf(key, locator);
      if (value !== undefined) found.push(foldIdentifier(locator.type, value));
      continue;
    }
    if (leadsNowhere(root, locator.path)) return undefined;
    for (const span of subjectValues(root, locator.path)) {
      const value = identifierText(span);
      if (value === undefined) return undefined;
      if (value !== "") found.push(foldIdentifier(locator.type, value));
    }
  }
  return found;
}

export function segmentOf(key: string, { segment, sep }: { segment: number; sep: string }): string | undefined {
  return key.split(sep)[segment] || undefined;
}

/** The single keys in one source value, each with the span that holds it; undefined where they cannot be read. */
export function sourceKeys(
  value: JsonSpan,
  as: "key" | "json",
): readonly { key: string; span: JsonSpan }[] | undefined {
  if (value.type === "null") return [];
  if (value.type === "array") {
    const keys = value.items.map((item) => ({ key: itemKey(item), span: item }));
    return keys.every((each): each is { key: string; span: JsonSpan } => each.key !== undefined) ? keys : undefined;
  }
  const text = scalarText(value);
  if (text === undefined) return undefined;
  if (as === "key" || value.type !== "string") return text === "" ? [] : [{ key: text, span: value }];
  const inner = parseJsonSpans(text);
  return inner?.type === "array" ? sourceKeys(inner, "key") : undefined;
}

/** An array inside the array is a composite key. */
function itemKey(item: JsonSpan): string | undefined {
  if (item.type !== "array") return scalarText(item) || undefined;
  const parts = item.items.map(scalarText);
  return parts.every((part): part is string => part?.isWellFormed() === true) ? canonicalKey(parts) : undefined;
}

function readSources(root: JsonSpan, { surface, path, as }: FileSource): readonly ArtifactRef[] | undefined {
  const found: ArtifactRef[] = [];
  for (const value of valuesAt(root, path)) {
    const keys = sourceKeys(value, as);
    if (keys?.every(({ key }) => key.isWellFormed() && key.length <= 65_535) !== true) return undefined;
    for (const { key } of keys) found.push({ surface, key: artifactKey(key) });
  }
  return found;
}
