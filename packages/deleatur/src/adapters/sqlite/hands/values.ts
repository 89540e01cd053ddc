// Values as SQLite holds them, as keys, identifiers and content fields (PROOFS §2), and back. Pure.
import { endianness } from "node:os";
import type { ContentField } from "../../../model/artifact.ts";

/** What better-sqlite3 returns with safe integers. */
export type SqlValue = null | bigint | number | string | Buffer;

/** The text of a value: text as stored, integers in shortest decimal, bytes as base64url; undefined for NULL. */
export function textOfValue(value: SqlValue): string | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  return value.toString("base64url");
}

/** Every value that has this text as its key form; at most one of each storage class. */
export interface Candidates {
  readonly text: string;
  readonly integer?: bigint;
  readonly real?: number;
  readonly blob?: Buffer;
}

const INTEGER = /^(0|-?[1-9][0-9]{0,18})$/;

/** The values that a key may stand for; comparing is typed, so that `42` is neither `421` nor `042` (C16). */
export function candidatesOf(key: string): Candidates {
  const integer = INTEGER.test(key) ? BigInt.asIntN(64, BigInt(key)) : undefined;
  const number = Number(key);
  const isReal = key !== "" && Number.isFinite(number) && String(number) === key;
  return {
    text: key,
    ...(integer !== undefined && String(integer) === key ? { integer } : {}),
    ...(isReal ? { real: number } : {}),
    ...blobOf(key),
  };
}

function blobOf(key: string): { readonly blob: Buffer } | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(key) || key.length % 4 === 1) return undefined;
  const blob = Buffer.from(key, "base64url");
  // Only the one canonical spelling stands for these bytes.
  return blob.toString("base64url") === key ? { blob } : undefined;
}

/** The content field of a column's value; NULL is no field. */
export function fieldOfValue(name: string, value: SqlValue, isVector: boolean): ContentField | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return { type: "text", name, text: value };
  if (typeof value === "bigint" || typeof value === "number") return { type: "text", name, text: String(value) };
  if (isVector && value.byteLength % 4 === 0) return { type: "vector", name, vector: vectorOf(value) };
  return { type: "bytes", name, bytes: new Uint8Array(value) };
}

/** The value that a content field is stored as; a text that is the decimal form of a stored number stays that number. */
export function valueOfField(field: ContentField, current: SqlValue): SqlValue {
  switch (field.type) {
    case "text":
      return (typeof current === "bigint" || typeof current === "number") && String(current) === field.text
        ? current
        : field.text;
    case "bytes":
      return Buffer.from(field.bytes);
    case "vector":
      return blobOfVector(field.vector);
    default:
      return field satisfies never;
  }
}

export function isSameValue(left: SqlValue, right: SqlValue): boolean {
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return left.equals(right);
  return left === right;
}

function vectorOf(blob: Buffer): Float32Array {
  // Most machines are little-endian, as the stored vectors are; what the client answers is ours alone, and needs no copy.
  if (endianness() === "LE") {
    const aligned = blob.byteOffset % 4 === 0 ? blob : new Uint8Array(blob);
    return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
  }
  const vector = new Float32Array(blob.byteLength / 4);
  for (let index = 0; index < vector.length; index += 1) vector[index] = blob.readFloatLE(index * 4);
  return vector;
}

function blobOfVector(vector: Float32Array): Buffer {
  const blob = Buffer.alloc(vector.length * 4);
  for (const [index, component] of vector.entries()) blob.writeFloatLE(component, index * 4);
  return blob;
}
