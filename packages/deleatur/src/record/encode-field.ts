// Content fields as JSON, for what is sealed. It must not be used for anything that stands in clear.
import type { ContentField } from "../model/artifact.ts";

/** Type, name, and the text itself or base64 of the bytes. */
export type EncodedField = readonly ["text" | "bytes" | "vector", string, string];

export function encodeField(field: ContentField): EncodedField {
  switch (field.type) {
    case "text":
      return ["text", field.name, field.text];
    case "bytes":
      return ["bytes", field.name, Buffer.from(field.bytes).toString("base64")];
    case "vector": {
      const { buffer, byteOffset, byteLength } = field.vector;
      return ["vector", field.name, Buffer.from(buffer, byteOffset, byteLength).toString("base64")];
    }
  }
}

export function decodeField([type, name, value]: EncodedField): ContentField {
  switch (type) {
    case "text":
      return { type, name, text: value };
    case "bytes":
      return { type, name, bytes: new Uint8Array(Buffer.from(value, "base64")) };
    case "vector":
      return { type, name, vector: new Float32Array(new Uint8Array(Buffer.from(value, "base64")).buffer) };
  }
}
