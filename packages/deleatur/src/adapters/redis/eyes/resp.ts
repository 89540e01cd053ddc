// Reads RESP 2, in which a server answers and in which an append-only file holds its commands; pure. The eyes take no client's word for it.

export class Refusal {
  readonly words: string;
  constructor(words: string) {
    this.words = words;
  }
}

export type Seen = string | number | Buffer | null | Refusal | readonly Seen[];

/** What stands at a place; `value` is undefined where it is not all there yet, and `end` is then where it ends at the earliest. */
interface Parsed {
  readonly value: Seen | undefined;
  readonly end: number;
}

class RespError extends Error {}

const CR = 13;
const MAX_DEPTH = 8;

/** @throws RespError where the bytes are no RESP */
export function parseResp(bytes: Buffer, at: number, depth = 0): Parsed {
  const line = lineAt(bytes, at + 1);
  if (line === undefined) return { value: undefined, end: bytes.length + 1 };
  if (depth > MAX_DEPTH) throw new RespError("an answer is nested too deep");
  switch (bytes[at] ?? 0) {
    case 0x2b: // +
      return { value: line.text, end: line.end };
    case 0x2d: // -
      return { value: new Refusal(line.text), end: line.end };
    case 0x3a: // :
      return { value: Number(line.text), end: line.end };
    case 0x24: // $
      return parseBulk(bytes, line);
    case 0x2a: // *
      return parseArray(bytes, line, depth);
    default:
      throw new RespError("an answer is no RESP");
  }
}

interface Line {
  readonly text: string;
  readonly end: number;
}

function lineAt(bytes: Buffer, from: number): Line | undefined {
  const end = bytes.indexOf("\r\n", from, "latin1");
  return end === -1 ? undefined : { text: bytes.toString("utf8", from, end), end: end + 2 };
}

function countOf({ text }: Line): number {
  if (!/^-?\d{1,10}$/.test(text)) throw new RespError("a length is no number");
  return Number(text);
}

function parseBulk(bytes: Buffer, line: Line): Parsed {
  const length = countOf(line);
  if (length < 0) return { value: null, end: line.end };
  const end = line.end + length;
  if (bytes.length < end + 2) return { value: undefined, end: end + 2 };
  if (bytes[end] !== CR) throw new RespError("a text is longer than it says");
  return { value: bytes.subarray(line.end, end), end: end + 2 };
}

function parseArray(bytes: Buffer, line: Line, depth: number): Parsed {
  const length = countOf(line);
  if (length < 0) return { value: null, end: line.end };
  const items: Seen[] = [];
  let at = line.end;
  for (let index = 0; index < length; index += 1) {
    // Each item that is still to come has three bytes at least.
    if (at >= bytes.length) return { value: undefined, end: at + 3 * (length - index) };
    const item = parseResp(bytes, at, depth + 1);
    if (item.value === undefined) return item;
    items.push(item.value);
    at = item.end;
  }
  return { value: items, end: at };
}

export function respCommand(args: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${args.length}\r\n`)];
  for (const arg of args) {
    const bytes = typeof arg === "string" ? Buffer.from(arg, "utf8") : arg;
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n"));
  }
  return Buffer.concat(parts);
}

export function isSeenList(seen: Seen): seen is readonly Seen[] {
  return Array.isArray(seen);
}

export function seenText(seen: Seen | undefined): string {
  if (Buffer.isBuffer(seen)) return seen.toString("utf8");
  return typeof seen === "string" || typeof seen === "number" ? String(seen) : "";
}
