// Works out how a hash or a JSON text has to change to have the content, the sources and the people that it is given, and no more. Pure.
import type { Artifact, ContentField } from "../../../model/artifact.ts";
import { foldIdentifier } from "../../../model/ids.ts";
import { parseJsonSpans } from "../../files/hands/json-spans.ts";
import { type RedisOptions, WHOLE } from "../options.ts";
import { type Arg, vectorBytes } from "./connect.ts";
import { keysIn } from "./read-artifact.ts";

export type Edit = { readonly commands: readonly (readonly Arg[])[] } | { readonly why: string };

type Fields = readonly (readonly [name: Buffer, value: Buffer])[];
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Every field by itself: what is declared within one is changed there. */
export function editHash(key: Buffer, fields: Fields, next: Artifact, options: RedisOptions): Edit {
  const given = [...next.content];
  const set: Buffer[] = [];
  const drop: Buffer[] = [];
  for (const [nameBytes, bytes] of fields) {
    const name = nameBytes.toString("utf8");
    const edited = editField(name, bytes, next, given, options);
    if (edited === undefined) drop.push(nameBytes);
    else if ("why" in edited) return edited;
    else if (!edited.bytes.equals(bytes)) set.push(nameBytes, edited.bytes);
  }
  const commands: (readonly Arg[])[] = [];
  if (set.length > 0) commands.push(["HSET", key, ...set]);
  if (drop.length > 0) commands.push(["HDEL", key, ...drop]);
  return { commands };
}

/** Undefined: the field goes. */
function editField(
  name: string,
  bytes: Buffer,
  next: Artifact,
  given: ContentField[],
  options: RedisOptions,
): { readonly bytes: Buffer } | { readonly why: string } | undefined {
  for (const locator of options.subjects)
    if ("path" in locator && locator.path === name)
      return hasSubject(next, locator.type, bytes.toString("utf8")) ? { bytes } : undefined;
  for (const { path, as, surface } of options.sources) {
    if (path !== name) continue;
    const keys = keysIn({ bytes }, as);
    if (keys === undefined) return { why: "its sources cannot be read" };
    const wanted = keptSources(next, surface);
    const kept = keys.filter((one) => wanted.has(one));
    if (kept.length === keys.length) return { bytes };
    // A composite key stands in it as the array that it is.
    return as === "json" ? { bytes: Buffer.from(sourceList(kept)) } : undefined;
  }
  const isContent = options.content.length === 0 || options.content.some(({ column }) => column === name);
  if (isContent || options.vector === name) {
    const at = given.findIndex((field) => field.name === name);
    const [field] = at === -1 ? [] : given.splice(at, 1);
    return field === undefined ? undefined : { bytes: bytesOfField(field) };
  }
  if (!hasPathBelow(name, options)) return { bytes };
  const edited = editJson(bytes.toString("utf8"), next, below(name, options));
  return typeof edited === "string" ? { bytes: Buffer.from(edited) } : edited;
}

/** A text that is whole content, or JSON whose declared places are changed. */
export function editText(text: string, next: Artifact, options: RedisOptions): string | { readonly why: string } {
  const whole = options.content.length === 0 || options.content.some(({ column }) => column === WHOLE);
  if (whole) {
    const field = next.content.find(({ name }) => name === WHOLE);
    return field?.type === "text" ? field.text : { why: "the new content of a text is no text" };
  }
  return editJson(text, next, options);
}

function editJson(text: string, next: Artifact, options: RedisOptions): string | { readonly why: string } {
  if (parseJsonSpans(text) === undefined) return { why: "it is no JSON, so nothing can be changed within it" };
  // JSON.parse would round such numbers, and change what nobody asked to have changed.
  if (/[0-9]{16}/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')))
    return { why: "it holds numbers too long to be kept" };
  // A text that was just found to be JSON.
  let root = JSON.parse(text) as Json;
  for (const { column, as } of options.content) {
    const field = next.content.find(({ name }) => name === column);
    root = changeAt(root, column, () =>
      field?.type !== "text" ? null : as === "text" ? field.text : (JSON.parse(field.text) as Json),
    );
  }
  for (const { path, as, surface } of options.sources) {
    const wanted = keptSources(next, surface);
    root = changeAt(root, path, (value) => keepSources(value, as, wanted));
  }
  for (const locator of options.subjects) {
    if (!("path" in locator)) continue;
    root = changeAt(root, locator.path, (value) => keepSubjects(value, (one) => hasSubject(next, locator.type, one)));
  }
  return JSON.stringify(root);
}

/** As `valuesAt` walks: an array on the way stands for each of its items. */
function changeAt(value: Json, path: string, change: (value: Json) => Json): Json {
  if (path === "") return change(value);
  if (isArray(value)) return value.map((item) => (typeof item === "object" ? changeAt(item, path, change) : item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name === path) return [name, change(inner)];
      return [name, path.startsWith(`${name}.`) ? changeAt(inner, path.slice(name.length + 1), change) : inner];
    }),
  );
}

function keepSources(value: Json, as: "key" | "json", wanted: ReadonlySet<string>): Json {
  if (typeof value === "string" && as === "json") {
    const keys = keysIn({ bytes: Buffer.from(value) }, as) ?? [];
    return sourceList(keys.filter((key) => wanted.has(key)));
  }
  const isKept = (item: Json): boolean =>
    (keysIn({ bytes: Buffer.from(JSON.stringify([item])) }, "json") ?? []).every((key) => wanted.has(key));
  if (isArray(value)) return value.filter(isKept);
  return value === null || isKept(value) ? value : null;
}

function keepSubjects(value: Json, isKept: (text: string) => boolean): Json {
  const keeps = (item: Json): boolean =>
    item === null || typeof item === "object" || item === "" || isKept(String(item));
  if (isArray(value)) return value.filter(keeps);
  return keeps(value) ? value : null;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function sourceList(keys: readonly string[]): string {
  return `[${keys.map((key) => (/^\[".*"\]$/.test(key) ? key : JSON.stringify(key))).join(",")}]`;
}

function keptSources({ sources }: Artifact, surface: string): ReadonlySet<string> {
  return new Set(sources.filter((source) => source.surface === surface).map(({ key }): string => key));
}

function hasSubject(next: Artifact, type: string, value: string): boolean {
  const folded = foldIdentifier(type, value);
  return next.subjects.some((own) => own.type === folded.type && own.value === folded.value);
}

function bytesOfField(field: ContentField): Buffer {
  if (field.type === "text") return Buffer.from(field.text, "utf8");
  return field.type === "bytes" ? Buffer.from(field.bytes) : vectorBytes(field.vector);
}

function hasPathBelow(name: string, { subjects, sources, content }: RedisOptions): boolean {
  const paths = [...subjects.flatMap((one) => ("path" in one ? [one.path] : [])), ...sources.map(({ path }) => path)];
  return [...paths, ...content.map(({ column }) => column)].some((path) => path.startsWith(`${name}.`));
}

/** What is declared within one field, as if that field were all. */
function below(name: string, options: RedisOptions): RedisOptions {
  const inner = (path: string): readonly string[] => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []);
  return {
    ...options,
    subjects: options.subjects.flatMap((one) =>
      "path" in one ? inner(one.path).map((path) => ({ ...one, path })) : [],
    ),
    sources: options.sources.flatMap((one) => inner(one.path).map((path) => ({ ...one, path }))),
    content: options.content.flatMap((one) => inner(one.column).map((column) => ({ ...one, column }))),
  };
}
