// The digest of one content field (PROOFS §2, kind 02), made once and shared by all that look at an artifact. It must not keep what it digests.
import { hash } from "node:crypto";
import { endianness } from "node:os";
import type { FieldType } from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";

/** Hex of `SHA-256(type || bytes)`. A text that is not well-formed has one too, and no name (`isNameable`). */
export function digestOfField(field: ContentField): string {
  switch (field.type) {
    case "text":
      // Node encodes the text itself: one call, and no array between.
      return hash("sha256", `\0${field.text}`);
    case "bytes":
      return hash("sha256", behindType(1, field.bytes));
    case "vector":
      return hash("sha256", behindType(2, littleEndian(field.vector)));
    default:
      return field satisfies never;
  }
}

/** Half a surrogate has no UTF-8 form: two texts would have one name. */
export function isNameable(field: ContentField): boolean {
  return field.type !== "text" || field.text.isWellFormed();
}

function littleEndian(vector: Float32Array): Uint8Array {
  const { buffer, byteOffset, byteLength } = vector;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return endianness() === "LE" ? bytes : new Uint8Array(Buffer.from(bytes).swap32());
}

let message = new Uint8Array(4_096);

/** A view that the next call writes over. */
function behindType(type: FieldType, bytes: Uint8Array): Uint8Array {
  const length = 1 + bytes.length;
  if (length > message.length) message = new Uint8Array(2 * length);
  message[0] = type;
  message.set(bytes, 1);
  return message.subarray(0, length);
}
