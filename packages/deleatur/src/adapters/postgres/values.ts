// Values as PostgreSQL writes them in text, as keys and content fields (PROOFS §2), and back. Pure; it reads no store.
import { canonicalKey } from "@deleatur/verify";
import type { ContentField } from "../../model/artifact.ts";

/** How a column's text is to be read; by its base type, since a domain is its base. */
export type ValueShape = "text" | "bytes" | "vector" | "floats" | "float-bytes";

/** The shape of a column: `isVector` where it is declared as one. */
export function shapeOf(baseType: string, isVector: boolean): ValueShape {
  if (baseType === "bytea") return isVector ? "float-bytes" : "bytes";
  if (!isVector) return "text";
  if (baseType === "vector" || baseType === "halfvec") return "vector";
  return /^_float[48]$/.test(baseType) ? "floats" : "text";
}

/** The text of a value as a key spells it: bytes as base64url, all else as the server wrote it. */
export function spellValue(text: string, baseType: string): string {
  return baseType === "bytea" ? bytesOf(text).toString("base64url") : text;
}

/** A key of one column is its text, of several the JSON array of their texts. */
export function spellKey(parts: readonly string[]): string {
  const [only = ""] = parts;
  return parts.length === 1 ? only : canonicalKey(parts);
}

/** The parts of a key; undefined where no row of so many key columns can have it. */
export function partsOfKey(key: string, count: number): readonly string[] | undefined {
  if (count === 1) return [key];
  let parsed: unknown;
  try {
    parsed = JSON.parse(key);
  } catch {
    return undefined; // no JSON, so no key of several columns
  }
  if (!Array.isArray(parsed) || parsed.length !== count) return undefined;
  const parts = parsed.filter((part): part is string => typeof part === "string");
  return parts.length === count && canonicalKey(parts) === key ? parts : undefined;
}

/** `\x…` as the server writes bytes. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), "hex");
}

/** The content field of a column's text; NULL is no field. */
export function fieldOfText(name: string, text: string | null, shape: ValueShape): ContentField | undefined {
  if (text === null) return undefined;
  switch (shape) {
    case "text":
      return { type: "text", name, text };
    case "bytes":
      return { type: "bytes", name, bytes: new Uint8Array(bytesOf(text)) };
    case "vector":
    case "floats":
      return { type: "vector", name, vector: floatsOf(text) };
    case "float-bytes": {
      const bytes = bytesOf(text);
      if (bytes.length % 4 !== 0) return { type: "bytes", name, bytes: new Uint8Array(bytes) };
      return { type: "vector", name, vector: floatsIn(bytes) };
    }
    default:
      return shape satisfies never;
  }
}

/** The content field of what a vector type's own send function answered, as bytes in hex: exact, and read in a fifth of the time of its text. NULL is no field. */
export function fieldOfSent(name: string, text: string | null): ContentField | undefined {
  return text === null ? undefined : { type: "vector", name, vector: floatsSent(text) };
}

/** How many hex digits stand before the components: `\x`, the dimensions and a zero, in 16 bits each. */
const SENT_HEAD = 10;

/** Components of 32 bits (`vector`) or 16 (`halfvec`), the highest byte first; their length tells which. */
function floatsSent(text: string): Float32Array {
  const count = Number.parseInt(text.slice(2, 6), 16);
  const digits = text.length - SENT_HEAD;
  const bytes = Buffer.alloc(digits / 2);
  bytes.write(text.slice(SENT_HEAD), "hex");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const floats = new Float32Array(count);
  if (digits === 8 * count) for (let at = 0; at < count; at += 1) floats[at] = view.getFloat32(4 * at);
  else if (digits === 4 * count) for (let at = 0; at < count; at += 1) floats[at] = halfFloat(view.getUint16(2 * at));
  else throw new RangeError("a vector was sent in a form that is not known");
  return floats;
}

/** IEEE 754 binary16. */
function halfFloat(bits: number): number {
  const sign = bits & 0x80_00 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3_ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** The text that a content field is written as. */
export function textOfField(field: ContentField, shape: ValueShape): string {
  switch (field.type) {
    case "text":
      return field.text;
    case "bytes":
      return `\\x${Buffer.from(field.bytes).toString("hex")}`;
    case "vector":
      if (shape === "float-bytes") return `\\x${bytesOfFloats(field.vector).toString("hex")}`;
      return shape === "floats" ? `{${field.vector.join(",")}}` : `[${field.vector.join(",")}]`;
    default:
      return field satisfies never;
  }
}

function floatsOf(text: string): Float32Array {
  const inner = text.slice(1, -1);
  return inner === "" ? new Float32Array(0) : Float32Array.from(inner.split(","), Number);
}

function floatsIn(bytes: Buffer): Float32Array {
  const floats = new Float32Array(bytes.length / 4);
  for (let index = 0; index < floats.length; index += 1) floats[index] = bytes.readFloatLE(4 * index);
  return floats;
}

function bytesOfFloats(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, component] of vector.entries()) bytes.writeFloatLE(component, 4 * index);
  return bytes;
}
