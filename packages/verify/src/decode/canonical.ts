// Parses text that must be canonical JSON (RFC 8785), so that no second parser reads anything else out of what was signed or logged.
import { textOf } from "../bytes.ts";
import { canonicalJson } from "../canonical-json.ts";
import { refuse, type Field } from "./field.ts";
import { MalformedError, parseStrictJson } from "./strict-json.ts";

/** Parses text that must be the canonical JSON of its value. @throws MalformedError */
export function canonicalField(source: string, path: string): Field {
  const field = { value: parseStrictJson(source), path };
  return canonicalJson(field.value) === source ? field : refuse(field, "not canonical JSON (RFC 8785)");
}

export function canonicalFieldOfBytes(bytes: Uint8Array, path: string): Field {
  let source: string;
  try {
    source = textOf(bytes);
  } catch (cause) {
    throw new MalformedError(`${path}: not UTF-8`, { cause });
  }
  return canonicalField(source, path);
}
