// Guesses what a column is from its name and the facts of its values, for `init`. Guesses only: a person decides.
import type { ColumnLayout } from "./store-layout.ts";

const TYPE_NAMES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:user|account|owner|customer|person|member|client|author)(?:_?id)?$|^(?:user|account|owner|customer)_?(?:uuid|key)$/i,
    "account",
  ],
  [/^e_?mail(?:_?address)?$|_email$/i, "email"],
  [/^(?:thread|conversation|chat)_?id$/i, "thread"],
  [/^session(?:_?id)?$/i, "session"],
];

const PEOPLE = /^(?:users?|accounts?|customers?|people|persons?|members?|owners?|clients?|profiles?)$/i;
const THREADS = /^(?:threads?|conversations?|chats?)$/i;
const SESSIONS = /^sessions?$/i;

/** The identifier type that a column seems to hold, if any. */
export function identifierType(column: ColumnLayout): string | undefined {
  const named = TYPE_NAMES.find(([pattern]) => pattern.test(column.name))?.[1];
  if (named !== undefined) return named;
  const { seen, emails } = column.facts;
  return seen > 0 && emails * 2 > seen ? "email" : undefined;
}

/** The identifier type that the key of this table is, where its rows are people, threads or sessions. */
export function tableType(table: string): string | undefined {
  if (PEOPLE.test(table)) return "account";
  if (THREADS.test(table)) return "thread";
  return SESSIONS.test(table) ? "session" : undefined;
}

const BOOKKEEPING =
  /(?:^|_)(?:id|ids|uuid|hash|digest|checksum|at|on|date|time|timestamp|created|updated|deleted|status|state|role|type|kind|lang|language|locale|model|version|event|action|source|mime|currency|count|score|rank)$/i;
const TIME = /(?:At|Date|Time|Id|Ids)$/;

/** True for a column that seems to hold what people wrote or what was written about them. */
export function isContent(column: ColumnLayout): boolean {
  const { facts, declaredType, name } = column;
  const isText = facts.texts + facts.documents > 0 || (facts.seen === 0 && /char|text|clob|json/i.test(declaredType));
  const isBlob = facts.blobs > 0 || (facts.seen === 0 && /blob/i.test(declaredType));
  if (!isText && !isBlob) return false;
  if (facts.idArrays > 0 && facts.documents === 0) return false;
  return facts.words > 3 || facts.documents > 0 || !(BOOKKEEPING.test(name) || TIME.test(name));
}

/** True for a BLOB column whose values all have one length of whole float32 numbers. */
export function isVector(column: ColumnLayout): boolean {
  if (/^(?:vector|halfvec)\b/.test(column.declaredType)) return true;
  const { blobs, blobBytes, seen, documents } = column.facts;
  if (blobBytes === undefined || blobs < seen || documents > 0 || blobBytes % 4 !== 0) return false;
  return /vec|embed/i.test(column.name) ? blobBytes >= 8 : seen >= 2 && blobBytes >= 64;
}

/** `as` of a content column. */
export function contentAs(column: ColumnLayout): "text" | "json" {
  return column.facts.documents * 2 > column.facts.seen ? "json" : "text";
}

/** Names of one thing in one spelling: `episode_ids`, `episodeId` and `episodes` all give `episode`. */
export function stem(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/_?(?:ids?|keys?|uuids?|rowids?|vecs?|vectors?|embeddings?|fts|index|search|idx)$/, "")
    .replace(/_+$/, "")
    .replace(/ies$/, "y")
    .replace(/(?<=[^s])s$/, "");
}

/** A guess at the role that a table of this name plays. */
export function roleOfName(name: string): "derived" | "cache" | "transcript" | "log" | "primary" {
  if (/cache/i.test(name)) return "cache";
  if (/summar|insight|reflection|digest|fact/i.test(name)) return "derived";
  if (/transcript|message|turn/i.test(name)) return "transcript";
  return /(?:^|_)(?:logs?|history|audit)(?:_|$)/i.test(name) ? "log" : "primary";
}
