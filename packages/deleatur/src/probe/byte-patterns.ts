// Says as which byte patterns a needle's content can stand in a store's file: plain, folded, escaped, UTF-16, base64, float32. Pure.
import type { ContentField } from "../model/artifact.ts";
import type { Needle } from "../model/needle.ts";
import { unfoldContent } from "./unfold-content.ts";
import { bytesText, indexedForms, isDistinctiveVector, vectorBytes } from "./vector-bytes.ts";

export interface BytePattern {
  /** Indexes of the needles that have it. */
  readonly needles: readonly number[];
  /** Those are controls: what lives explains nothing of it. */
  readonly control: boolean;
  readonly bytes: Uint8Array;
  /** The shortest run of it that counts. */
  readonly minRun: number;
  /** True where one byte more or less is noise, as in float32 windows. */
  readonly binary: boolean;
}

/** Length of the pieces that are hashed, and how far apart they are taken from a file (SURFACES.md). */
export const GRAM = 16;
export const STRIDE = 8;
/** Every surviving run of at least this many bytes holds one whole aligned piece. */
export const MIN_RUN: number = GRAM + STRIDE - 1;
/** A shorter text is searched for as a whole, down to this length; below it a hit says nothing. */
const MIN_WHOLE = 12;
const VECTOR_WINDOW = 64;

function asciiJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Base64 of the text at each of the three places in a quantum, without the characters that neighbours have a part in. */
function* base64Forms(utf8: Buffer): Generator<Uint8Array> {
  for (const pad of [0, 1, 2]) {
    const all = Buffer.concat([Buffer.alloc(pad), utf8]);
    const start = pad === 0 ? 0 : pad + 1;
    const end = Math.floor((all.length * 8) / 6);
    const standard = all.toString("base64").slice(start, end);
    yield Buffer.from(standard, "latin1");
    if (/[+/]/.test(standard)) yield Buffer.from(standard.replaceAll("+", "-").replaceAll("/", "_"), "latin1");
  }
}

function* textForms(text: string): Generator<Uint8Array> {
  const utf8 = Buffer.from(text, "utf8");
  yield utf8;
  const lower = text.toLowerCase();
  if (lower !== text) yield Buffer.from(lower, "utf8");
  const escaped = JSON.stringify(text).slice(1, -1);
  if (escaped !== text) yield Buffer.from(escaped, "utf8");
  const ascii = asciiJson(text);
  if (ascii !== escaped) yield Buffer.from(ascii, "latin1");
  const wide = Buffer.from(text, "utf16le");
  yield wide;
  yield Buffer.from(wide).swap16();
  if (utf8.length >= MIN_RUN) yield* base64Forms(utf8);
}

/** A piece of one or two distinct bytes (zeros, blanks, rules) is nobody's. */
export function isDistinctive(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at];
  let second = -1;
  for (let i = 1; i < GRAM; i++) {
    const byte = bytes[at + i] ?? -1;
    if (byte === first || byte === second) continue;
    if (second !== -1) return true;
    second = byte;
  }
  return false;
}

type Form = Omit<BytePattern, "needles" | "control">;

function formsOfText(text: string): readonly Form[] {
  const forms = new Map<string, Form>();
  for (const bytes of textForms(text))
    if (bytes.length >= MIN_WHOLE) forms.set(bytesText(bytes), { bytes, minRun: MIN_RUN, binary: false });
  return [...forms.values()];
}

export interface PatternOptions {
  /** Vectors are looked for in every form that an index may hold them in. */
  readonly indexed?: boolean;
}

/** A page's end cuts a vector in two: of one that is not two windows long the greater half must do. */
function vectorForm(bytes: Uint8Array): Form {
  const { length } = bytes;
  const minRun = length < VECTOR_WINDOW ? length : Math.min(VECTOR_WINDOW, Math.ceil(length / 2));
  return { bytes, minRun, binary: true };
}

/** What a field is looked for as: under one name what is the same for all needles, each with its forms. */
function* fieldForms(
  field: ContentField,
  { indexed = false }: PatternOptions,
): Generator<readonly [name: string, forms: () => readonly Form[]]> {
  if (field.type === "vector") {
    if (!isDistinctiveVector(field.vector)) return;
    const bytes = vectorBytes(field.vector);
    // Less than a piece of it is found by chance.
    const forms = (indexed ? indexedForms(field.vector) : [bytes]).filter(({ length }) => length >= GRAM);
    yield [`vector ${bytesText(bytes)}`, () => forms.map(vectorForm)];
    return;
  }
  if (field.type === "bytes") {
    const { bytes } = field;
    if (bytes.length >= MIN_WHOLE)
      yield [`bytes ${bytesText(bytes)}`, () => [{ bytes, minRun: MIN_RUN, binary: true }]];
  }
  for (const view of unfoldContent(field)) {
    if (view.type !== "text") continue;
    const text = view.text.trim();
    if (Buffer.byteLength(text, "utf8") >= MIN_WHOLE) yield [`text ${text}`, () => formsOfText(text)];
  }
}

/** Every pattern of every needle; like content of many needles once. Content shorter than `MIN_WHOLE` bytes has none: it is not looked for at this depth. */
export function bytePatterns(needles: readonly Needle[], options: PatternOptions = {}): readonly BytePattern[] {
  const patterns: BytePattern[] = [];
  const owners = new Map<string, number[]>();
  for (const needle of needles) {
    const control = needle.fate === "control";
    for (const field of needle.content) {
      for (const [name, forms] of fieldForms(field, options)) {
        const id = `${control ? "control" : "needle"} ${name}`;
        const known = owners.get(id);
        if (known !== undefined) {
          if (known.at(-1) !== needle.index) known.push(needle.index);
          continue;
        }
        const own = [needle.index];
        owners.set(id, own);
        for (const form of forms()) patterns.push({ ...form, needles: own, control });
      }
    }
  }
  return patterns;
}
