// The baseline: a keyed digest of every artifact outside the closure before the erase, by which bystanders are found intact and explanations are trusted later.
import type { Ledger } from "../ledger/ledger.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import type { ArtifactRef } from "../model/ids.ts";

const HALF = 16;

export interface Baseline {
  readonly size: number;
  add(artifact: Artifact): void;
  /** `new`: it was not there before. */
  compare(artifact: Artifact): "unchanged" | "changed" | "new";
  /** Takes an artifact out: it is found to belong to the closure after all. */
  remove(ref: ArtifactRef): void;
  bytes(): Uint8Array;
}

/** Opens a baseline from its sealed bytes, or begins an empty one. */
export function openBaseline(ledger: Ledger, sealed?: Uint8Array): Baseline {
  const entries = new Map<string, string>();
  if (sealed !== undefined) {
    const hex = Buffer.from(sealed).toString("latin1");
    for (let at = 0; at < hex.length; at += 2 * HALF)
      entries.set(hex.slice(at, at + HALF), hex.slice(at + HALF, at + 2 * HALF));
  }
  const idOf = ({ surface, key }: ArtifactRef): string => half(ledger.keyedDigest("baseline/artifact", surface, key));
  const contentOf = (artifact: Artifact): string =>
    half(ledger.keyedDigest("baseline/content", ...artifact.content.flatMap(fieldParts)));
  return {
    get size() {
      return entries.size;
    },
    add: (artifact) => void entries.set(idOf(artifact), contentOf(artifact)),
    compare(artifact) {
      const before = entries.get(idOf(artifact));
      if (before === undefined) return "new";
      return before === contentOf(artifact) ? "unchanged" : "changed";
    },
    remove: (ref) => void entries.delete(idOf(ref)),
    bytes: () => new Uint8Array(Buffer.from([...entries].map(([id, content]) => id + content).join(""), "latin1")),
  };
}

function fieldParts(field: ContentField): readonly (string | Uint8Array)[] {
  switch (field.type) {
    case "text":
      return [field.name, "text", field.text];
    case "bytes":
      return [field.name, "bytes", field.bytes];
    case "vector": {
      const { buffer, byteOffset, byteLength } = field.vector;
      return [field.name, "vector", new Uint8Array(buffer, byteOffset, byteLength)];
    }
  }
}

function half(digest: Uint8Array): string {
  return Buffer.from(digest.subarray(0, HALF)).toString("latin1");
}
