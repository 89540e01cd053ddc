// Undoes one layer of encoding in a text: JSON escapes, URL encoding, NULs of UTF-16, base64 and hex; pure and lenient, it never refuses a text.
import { hasTextRun, hasUtf16Run } from "./read-binary.ts";

export type DecodedPart = { readonly step: string; readonly whole: boolean } & (
  { readonly type: "text"; readonly text: string } | { readonly type: "bytes"; readonly bytes: Uint8Array }
);

const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gsu;
const SIMPLE: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "0": "\0" };
const PERCENT = /(?:%[0-9a-fA-F]{2})+/g;
/** Shortest encoded token that is decoded: twelve bytes. What is shorter can match nothing but an equal field. */
const BASE64_TOKEN = /(?:[A-Za-z0-9+/_-]{2,}(?:\r?\n[ \t]*)?){1,}={0,2}/g;
const MIN_BASE64 = 16;
/** Most texts have no word this long, and so no base64: the quick way out. */
const LONG_TOKEN = /[A-Za-z0-9+/_-]{16}/;
const HEX_TOKEN = /[0-9a-fA-F]{24,}/g;

/** Escapes as JSON, JavaScript and Python write them; text that has no escape at all is left alone by the caller. */
function unescapeText(text: string): string {
  return text.replace(ESCAPE, (_all, braced?: string, four?: string, two?: string, one?: string) => {
    const digits = braced ?? four ?? two;
    if (digits !== undefined) {
      const code = Number.parseInt(digits, 16);
      return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
    }
    return SIMPLE[one ?? ""] ?? one ?? "";
  });
}

function percentDecode(text: string): string {
  return text.replace(PERCENT, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
}

function isWorthReading(bytes: Uint8Array): boolean {
  if (hasTextRun(bytes, 12)) return true;
  if ([0, 1].some((start) => hasUtf16Run(bytes, start, true) || hasUtf16Run(bytes, start, false))) return true;
  return bytes[0] === 0x1f || bytes[0] === 0x78;
}

/** Decoded from each of the four places in a quantum, since the token may be glued to letters before it. */
function* base64Parts(text: string): Generator<DecodedPart> {
  if (!LONG_TOKEN.test(text)) return;
  const trimmed = text.trim();
  for (const [token] of text.matchAll(BASE64_TOKEN)) {
    if (token.length < MIN_BASE64) continue;
    const joined = token.replace(/\s+/g, "");
    for (let skip = 0; skip < 4; skip++) {
      const bytes = Buffer.from(joined.slice(skip), "base64");
      const whole = skip === 0 && token.trim() === trimmed;
      if (skip === 0 ? bytes.length >= 12 : isWorthReading(bytes))
        yield { step: "base64", type: "bytes", bytes, whole };
    }
  }
}

function* hexParts(text: string): Generator<DecodedPart> {
  const trimmed = text.trim();
  for (const [token] of text.matchAll(HEX_TOKEN)) {
    for (const skip of [0, 1]) {
      const even = token.slice(skip, skip + ((token.length - skip) & ~1));
      const bytes = Buffer.from(even, "hex");
      if (skip === 0 || isWorthReading(bytes))
        yield { step: "hex", type: "bytes", bytes, whole: skip === 0 && token === trimmed };
    }
  }
}

const LONG_RUN = 16;
/** By ASCII character: 2 what an escape or another encoding begins with, 1 what base64 and hex are written in. */
const HINTS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if ("\\%+\0".includes(character)) return 2;
  return /[A-Za-z0-9/_-]/.test(character) ? 1 : 0;
});

/** False where `decodeTextParts` has nothing to take off: the answer for most texts, in one pass over their characters. */
export function mayHide(text: string): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const hint = code < 128 ? (HINTS[code] ?? 2) : 0;
    if (hint === 0) {
      run = 0;
      continue;
    }
    run += 1;
    if (hint === 2 || run >= LONG_RUN) return true;
  }
  return false;
}

/** Every way in which one layer of encoding can be taken off a text. */
export function* decodeTextParts(text: string): Generator<DecodedPart> {
  if (text.includes("\\")) yield { step: "json", type: "text", text: unescapeText(text), whole: true };
  const percent = text.includes("%") && /%[0-9a-fA-F]{2}/.test(text);
  if (percent) yield { step: "url", type: "text", text: percentDecode(text), whole: true };
  if (text.includes("+") && /[^\s+]\+[^\s+]/.test(text)) {
    yield { step: "url", type: "text", text: percentDecode(text.replaceAll("+", " ")), whole: true };
  }
  if (text.includes("\0")) yield { step: "utf-16", type: "text", text: text.replaceAll("\0", ""), whole: true };
  yield* base64Parts(text);
  yield* hexParts(text);
}
