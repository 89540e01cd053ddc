// Decodes what an auditor signed (hostile input). Whether the auditor is trusted is for the checks.
import type { Cosignature } from "../receipt.ts";
import { canonicalFieldOfBytes } from "./canonical.ts";
import { hexDigest, id, integer, members, oneOf, utcTime } from "./field.ts";

/** @throws MalformedError */
export function decodeCosignature(payload: Uint8Array): Cosignature {
  const at = members(canonicalFieldOfBytes(payload, "cosignature"), [
    "version", "payloadDigest", "boundary", "epoch", "root", "basis", "issued",
  ]); // prettier-ignore
  return {
    version: oneOf(at("version"), [1]),
    payloadDigest: hexDigest(at("payloadDigest")),
    boundary: id(at("boundary")),
    epoch: integer(at("epoch")),
    root: hexDigest(at("root")),
    basis: oneOf(at("basis"), ["same-snapshot", "own-epoch"]),
    issued: utcTime(at("issued")),
  };
}
