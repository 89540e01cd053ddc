// Yields the texts and bytes that are hidden in one content field by an encoding, nested within a bound; it decodes, and judges nothing.
import type { ContentField } from "../model/artifact.ts";
import { StoreError } from "../model/errors.ts";
import { inflateParts } from "./inflate-parts.ts";
import { hasTextRun, hasUtf16Run, msgpackStrings } from "./read-binary.ts";
import { decodeTextParts, mayHide } from "./decode-text-parts.ts";

/** One way to read a field. `encoding` is `plain`, or what was undone, outermost first: `base64+gzip`. */
export type View = { readonly encoding: string; readonly whole: boolean } & (
  { readonly type: "text"; readonly text: string } | { readonly type: "bytes"; readonly bytes: Uint8Array }
);

/** How many encodings deep a field is read: base64 of gzip of JSON is three. */
const MAX_DEPTH = 3;
/** What one field may unfold to, beyond sixteen times its own size. */
const MAX_UNFOLDED = 64 * 1024 * 1024;

interface Item {
  readonly view: View;
  readonly depth: number;
}

function encodingOf(parent: View, step: string): string {
  return parent.encoding === "plain" ? step : `${parent.encoding}+${step}`;
}

function* unfoldText(view: View & { type: "text" }): Generator<View> {
  for (const part of decodeTextParts(view.text)) {
    const at = { encoding: encodingOf(view, part.step), whole: view.whole && part.whole };
    if (part.type === "text") yield { ...at, type: "text", text: part.text };
    else yield { ...at, type: "bytes", bytes: part.bytes };
  }
}

function* unfoldBytes(view: View & { type: "bytes" }, isField: boolean): Generator<View> {
  const { bytes } = view;
  for (const text of msgpackStrings(bytes))
    yield { type: "text", text, encoding: encodingOf(view, "msgpack"), whole: false };
  for (const start of [0, 1]) {
    for (const littleEndian of [true, false]) {
      // A field in no one alphabet (Chinese) may be UTF-16 all the same, but not in the order that is not its own.
      const mayBe = isField && bytes.length >= 4 && start === 0 && !hasUtf16Run(bytes, start, !littleEndian);
      if (!mayBe && !hasUtf16Run(bytes, start, littleEndian)) continue;
      const text = decodeUtf16(bytes.subarray(start), littleEndian);
      yield {
        type: "text",
        text,
        encoding: encodingOf(view, littleEndian ? "utf-16le" : "utf-16be"),
        whole: view.whole,
      };
    }
  }
  for (const part of inflateParts(bytes, MAX_UNFOLDED)) {
    yield { type: "bytes", bytes: part.bytes, encoding: encodingOf(view, part.step), whole: view.whole && part.whole };
  }
}

function decodeUtf16(bytes: Uint8Array, littleEndian: boolean): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1));
  const text = (littleEndian ? even : even.swap16()).toString("utf16le");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function sizeOf(view: View): number {
  return view.type === "text" ? view.text.length : view.bytes.length;
}

/** Every view of a text or bytes field, the field itself first. A vector has none: it is compared as numbers. @throws StoreError UNFOLD_LIMIT */
export function unfoldContent(field: ContentField): readonly View[] {
  if (field.type === "vector") return [];
  if (field.type === "text" && !mayHide(field.text))
    return [{ type: "text", text: field.text, encoding: "plain", whole: true }];
  const root: View =
    field.type === "text"
      ? { type: "text", text: field.text, encoding: "plain", whole: true }
      : { type: "bytes", bytes: field.bytes, encoding: "plain", whole: true };
  const views: View[] = [];
  const seen = new Set<string>();
  const queue: Item[] = [{ view: root, depth: 0 }];
  const bound = MAX_UNFOLDED + 16 * sizeOf(root);
  let unfolded = 0;
  // The queue grows while it is walked.
  for (const { view, depth } of queue) {
    unfolded += sizeOf(view);
    if (unfolded > bound) throw tooMuch();
    if (view.type === "text") {
      if (seen.has(view.text)) continue;
      seen.add(view.text);
      views.push(view);
      if (depth < MAX_DEPTH) for (const child of unfoldText(view)) queue.push({ view: child, depth: depth + 1 });
      continue;
    }
    views.push(view);
    if (hasTextRun(view.bytes, 1)) {
      const text = new TextDecoder("utf-8").decode(view.bytes);
      queue.push({ view: { type: "text", text, encoding: view.encoding, whole: view.whole }, depth });
    }
    if (depth < MAX_DEPTH)
      for (const child of unfoldBytes(view, depth === 0)) queue.push({ view: child, depth: depth + 1 });
  }
  return views;
}

function tooMuch(): StoreError {
  return new StoreError("UNFOLD_LIMIT", "a content field unfolds to more than can be looked into, exempt or shrink it");
}
