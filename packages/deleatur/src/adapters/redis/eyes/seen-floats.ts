// Reads float32 bytes as a vector for the probes, on every machine. Pure.
import { endianness } from "node:os";

/** Undefined where the bytes are no whole number of floats. */
export function asSeenFloats(bytes: Buffer): Float32Array | undefined {
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  if (endianness() === "LE") return new Float32Array(new Uint8Array(bytes).buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
}
