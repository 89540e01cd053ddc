// What every part of the ledger works with: connection, keys, digests, time and randomness, and sealing by place. It must not know a table.
import { textOf, toHex, utf8 } from "@deleatur/verify";
import { artifactKey, surfaceId, type ArtifactRef, type SubjectIdentifier } from "../model/ids.ts";
import type { Connection } from "./connection.ts";
import type { AnchorOutbox } from "./anchor-outbox.ts";
import type { LedgerKeys } from "./keys.ts";
import type { HexDigests } from "./digests.ts";
import { seal, unseal } from "./seal.ts";

export interface LedgerCore {
  readonly connection: Connection;
  readonly keys: LedgerKeys;
  readonly digests: HexDigests;
  readonly outbox: AnchorOutbox;
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
}

export function now(core: LedgerCore): string {
  return core.clock().toISOString();
}

/** A random id of 32 hex digits. */
export function newId(core: LedgerCore): string {
  return toHex(core.random(16));
}

/** Seals under the guard's key: for what lives as long as an artifact does. `place` names table and row. */
export function sealByGuard(core: LedgerCore, place: string, value: Uint8Array): Uint8Array {
  return seal(core.keys.guardSeal, utf8(place), value, core.random);
}

export function unsealByGuard(core: LedgerCore, place: string, sealed: Uint8Array): Uint8Array {
  return unseal(core.keys.guardSeal, utf8(place), sealed);
}

export function jsonBytes(value: unknown): Uint8Array {
  return utf8(JSON.stringify(value));
}

/** JSON that this ledger wrote itself, so that its shape is ours; what was sealed is authenticated too. */
export type Own<T> = T;

export function parseJson<T>(text: string): Own<T> {
  const value: T = JSON.parse(text);
  return value;
}

export function parseJsonBytes<T>(bytes: Uint8Array): Own<T> {
  return parseJson<T>(textOf(bytes));
}

/** Parameters for `json_each`: lower-case hex of each digest. */
export function hexList(digests: readonly Uint8Array[]): string {
  return hexArray(digests.map((digest) => hexOf(digest)));
}

/** The same for digests that are hex already. */
export function hexArray(hexes: readonly string[]): string {
  return hexes.length === 0 ? "[]" : `["${hexes.join('","')}"]`;
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** A ref as plain members, whatever else the object carried. */
export function plainRef({ surface, key }: ArtifactRef): ArtifactRef {
  return { surface, key };
}

export function plainIdentifier({ type, value }: SubjectIdentifier): SubjectIdentifier {
  return { type, value };
}

/** A ref from what the ledger stored: it was parsed when it came in. */
export function storedRef(surface: string, key: string): ArtifactRef {
  return { surface: surfaceId(surface), key: artifactKey(key) };
}
