// Counts what the first values of a column look like, for `init`. It keeps no value.
import type { ValueFacts } from "./store-layout.ts";

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}\.[^\s@.]{2,}$/;

interface Counter {
  seen: number;
  texts: number;
  blobs: number;
  words: number;
  emails: number;
  idArrays: number;
  documents: number;
  readonly blobLengths: Set<number>;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Text that only begins like JSON is text.
    return undefined;
  }
}

function isId(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value.length <= 200 && !/\s/.test(value));
}

function countText(text: string, counter: Counter): void {
  const json = parsed(text);
  if (Array.isArray(json) && json.length > 0 && json.every(isId)) counter.idArrays += 1;
  else if (typeof json === "object" && json !== null) counter.documents += 1;
  else counter.words = Math.max(counter.words, text.split(/\s+/u).filter((word) => word !== "").length);
  if (EMAIL.test(text.trim())) counter.emails += 1;
}

function countValue(value: unknown, counter: Counter): void {
  if (value === null || value === undefined) return;
  counter.seen += 1;
  if (typeof value === "string") {
    counter.texts += 1;
    countText(value, counter);
  } else if (value instanceof Uint8Array) {
    counter.blobs += 1;
    counter.blobLengths.add(value.length);
    // `{` or `[` first: documents that a serializer stored as bytes.
    if (value[0] === 0x7b || value[0] === 0x5b) counter.documents += 1;
  } else if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isId)) counter.idArrays += 1;
    else counter.documents += 1;
  } else if (typeof value === "object") counter.documents += 1;
}

/** The facts of a column from the values that were looked at. */
export function countFacts(values: Iterable<unknown>): ValueFacts {
  const counter: Counter = {
    seen: 0,
    texts: 0,
    blobs: 0,
    words: 0,
    emails: 0,
    idArrays: 0,
    documents: 0,
    blobLengths: new Set(),
  };
  for (const value of values) countValue(value, counter);
  const { blobLengths, ...facts } = counter;
  const [length] = blobLengths;
  return blobLengths.size === 1 && length !== undefined ? { ...facts, blobBytes: length } : facts;
}
