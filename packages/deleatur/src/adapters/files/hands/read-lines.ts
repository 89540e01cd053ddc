// Reads a file line by line as bytes and strict UTF-8, with each line's place and its line end; it changes nothing.
import type { FileHandle } from "node:fs/promises";
import { lineError } from "../file-errors.ts";

export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  readonly start: number;
  /** The line with its line end, byte for byte. */
  readonly bytes: Buffer;
  /** `\n`, `\r\n`, or nothing behind the last line. */
  readonly eol: string;
}

const CHUNK = 1 << 18;
/** A longer line is no record: it is refused, not cut. */
export const MAX_LINE_BYTES: number = 64 * 1024 * 1024;

/** @throws StoreError LINE_TOO_LONG */
export async function* readLines(
  handle: FileHandle,
  at: { readonly store: string; readonly file: string },
  signal: AbortSignal,
  from: number = 0,
): AsyncGenerator<FileLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let [start, number] = [from, 1];
  for (let position = from; ;) {
    signal.throwIfAborted();
    const chunk = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    for (let within = 0; within < bytesRead;) {
      const newline = chunk.subarray(0, bytesRead).indexOf(10, within);
      const end = newline === -1 ? bytesRead : newline + 1;
      parts.push(chunk.subarray(within, end));
      length += end - within;
      if (length > MAX_LINE_BYTES)
        throw lineError("LINE_TOO_LONG", "is longer than a record may be", { ...at, line: number });
      within = end;
      if (newline === -1) continue;
      const bytes = parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
      yield { number, start, bytes, eol: bytes.at(-2) === 13 ? "\r\n" : "\n" };
      start += length;
      number++;
      [parts, length] = [[], 0];
    }
  }
  if (length > 0) yield { number, start, bytes: Buffer.concat(parts), eol: "" };
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a line without its line end and without a byte order mark; undefined where it is no UTF-8. */
export function lineText({ bytes, eol }: FileLine): string | undefined {
  try {
    const text = strict.decode(bytes.subarray(0, bytes.length - eol.length));
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  } catch (cause) {
    if (cause instanceof TypeError) return undefined; // the decoder's answer to what is no UTF-8
    throw cause;
  }
}
