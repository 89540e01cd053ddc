// Reads files in pieces for the eyes that look at raw bytes; it keeps nothing and repeats no content in an error.
import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { StoreError } from "../model/errors.ts";

export function unreadable(path: string, cause: unknown): StoreError {
  return new StoreError("FILE_UNREADABLE", "a file of the store cannot be read, check that it exists and its rights", {
    place: { file: basename(path) },
    cause,
  });
}

/** Reads from a position until the buffer is full or the file ends. Answers how many bytes were read. @throws StoreError FILE_UNREADABLE */
export async function fillFrom(
  handle: FileHandle,
  buffer: Uint8Array,
  position: number,
  path: string,
): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle
      .read(buffer, length, buffer.length - length, position + length)
      .catch((cause: unknown) => {
        throw unreadable(path, cause);
      });
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
