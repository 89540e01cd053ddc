// Inflates gzip, zlib and raw deflate streams that stand in bytes, within a bound; bytes that are no such stream yield nothing.
import { constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { StoreError } from "../model/errors.ts";

export interface InflatedPart {
  readonly step: "gzip" | "deflate";
  readonly bytes: Uint8Array;
  /** True where the stream starts at the first byte. */
  readonly whole: boolean;
}

type Inflate = (bytes: Uint8Array, options: { maxOutputLength: number; finishFlush: number }) => Buffer;

/** A cut stream still yields what stands before the cut. @throws StoreError UNFOLD_LIMIT */
function tryInflate(inflate: Inflate, bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  try {
    const out = inflate(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
    return out.length === 0 ? undefined : out;
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new StoreError("UNFOLD_LIMIT", "a compressed field unfolds beyond the bound, exempt or shrink it", {
        cause,
      });
    }
    return undefined; // not such a stream: for most bytes the answer that is expected
  }
}

const ZLIB_SECOND: ReadonlySet<number> = new Set([0x01, 0x5e, 0x9c, 0xda]);

/** @throws StoreError UNFOLD_LIMIT */
export function* inflateParts(bytes: Uint8Array, maxBytes: number): Generator<InflatedPart> {
  let found = false;
  for (let at = 0; at + 2 < bytes.length; at++) {
    const first = bytes[at];
    if (first === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8) {
      const out = tryInflate(gunzipSync, bytes.subarray(at), maxBytes);
      if (out !== undefined) yield { step: "gzip", bytes: out, whole: at === 0 };
      found ||= out !== undefined;
    } else if (first === 0x78 && ZLIB_SECOND.has(bytes[at + 1] ?? 0)) {
      const out = tryInflate(inflateSync, bytes.subarray(at), maxBytes);
      if (out !== undefined) yield { step: "deflate", bytes: out, whole: at === 0 };
      found ||= out !== undefined;
    }
  }
  if (found || bytes.length < 8) return;
  const raw = tryInflate(inflateRawSync, bytes, maxBytes);
  if (raw !== undefined && raw.length > bytes.length / 2) yield { step: "deflate", bytes: raw, whole: true };
}
