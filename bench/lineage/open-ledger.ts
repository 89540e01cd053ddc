// A ledger in a folder of the bench, with its keys beside it. It must not be slowed down or sped up: it is opened as an application opens it.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Ledger } from "../../packages/deleatur/dist/ledger/ledger.js";
import { openKeys } from "../../packages/deleatur/dist/ledger/open-keys.js";
import { openLedger } from "../../packages/deleatur/dist/ledger/open-ledger.js";
import { artifactKey, surfaceId, type ArtifactRef } from "../../packages/deleatur/dist/model/ids.js";

const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));

export const ledgerFile = (directory: string): string => join(directory, "ledger.db");

export function openIn(directory: string): Ledger {
  const file = ledgerFile(directory);
  return openLedger({ file, keys: openKeys({ file, environment: {}, random }), clock: () => new Date(), random });
}

export const refOf = (surface: string, key: string): ArtifactRef => ({
  surface: surfaceId(surface),
  key: artifactKey(key),
});

/** 32 bits that look random, always the same for one number. */
export function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
