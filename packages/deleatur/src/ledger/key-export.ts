// Carries all keys of a ledger in one file that a passphrase encrypts (scrypt, AES-256-GCM). It must not write a key in clear anywhere but into key files.
import { scryptSync } from "node:crypto";
import { canonicalJson, fromBase64, textOf, toBase64, utf8 } from "@deleatur/verify";
import { LedgerError, UsageError } from "../model/errors.ts";
import { keyDirectory, readKeyFile, writeKeyFile } from "./key-files.ts";
import type { LedgerKeys } from "./keys.ts";
import { seal, unseal } from "./seal.ts";

const FORMAT = "deleatur/keys/v1";
const SCRYPT = { N: 131_072, r: 8, p: 1 } as const;
const MIN_PASSPHRASE = 12;

interface Envelope {
  readonly format: string;
  readonly kdf: {
    readonly name: string;
    readonly N: number;
    readonly r: number;
    readonly p: number;
    readonly salt: string;
  };
  readonly sealed: string;
}

function passphraseKey(passphrase: string, salt: Uint8Array): Uint8Array {
  return scryptSync(passphrase.normalize("NFC"), salt, 32, { ...SCRYPT, maxmem: 256 * 1024 * 1024 });
}

/** All keys, epoch keys included, as JSON that only the passphrase opens. @throws UsageError for a passphrase under 12 characters */
export function exportKeys(keys: LedgerKeys, passphrase: string, random: (bytes: number) => Uint8Array): string {
  if (passphrase.length < MIN_PASSPHRASE)
    throw new UsageError("WEAK_PASSPHRASE", `a passphrase for keys has at least ${MIN_PASSPHRASE} characters`);
  const material = keys.material();
  const epochs: [string, string][] = [];
  for (const epoch of keys.epochs()) {
    const key = keys.epochKey(epoch);
    if (key !== undefined) epochs.push([`epoch-${epoch}`, toBase64(key)]);
  }
  const files = {
    guard: toBase64(material.guard),
    request: toBase64(material.request),
    signing: toBase64(utf8(material.signing)),
    ...Object.fromEntries(epochs),
  };
  const salt = random(16);
  const sealed = seal(passphraseKey(passphrase, salt), utf8(FORMAT), utf8(canonicalJson(files)), random);
  const envelope: Envelope = {
    format: FORMAT,
    kdf: { name: "scrypt", ...SCRYPT, salt: toBase64(salt) },
    sealed: toBase64(sealed),
  };
  return `${JSON.stringify(envelope, undefined, 2)}\n`;
}

function foreign(cause?: unknown): LedgerError {
  return new LedgerError("KEY_EXPORT_DAMAGED", "this is no undamaged key export of Deleatur", {
    cure: "take another copy of the export",
    cause,
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (Object.getOwnPropertyDescriptor(value, name)?.value as unknown)
    : undefined;
}

function textMember(value: unknown, name: string): string {
  const member = memberOf(value, name);
  if (typeof member !== "string") throw foreign();
  return member;
}

function parseEnvelope(text: string): { salt: Uint8Array; sealed: Uint8Array } {
  try {
    const value: unknown = JSON.parse(text);
    const kdf = memberOf(value, "kdf");
    // Costs other than ours are refused: a crafted file must not choose how much memory we take.
    const isOurs =
      memberOf(kdf, "name") === "scrypt" &&
      memberOf(kdf, "N") === SCRYPT.N &&
      memberOf(kdf, "r") === SCRYPT.r &&
      memberOf(kdf, "p") === SCRYPT.p;
    if (memberOf(value, "format") !== FORMAT || !isOurs) throw foreign();
    return { salt: fromBase64(textMember(kdf, "salt")), sealed: fromBase64(textMember(value, "sealed")) };
  } catch (error) {
    throw error instanceof LedgerError ? error : foreign(error);
  }
}

/** Writes the exported keys into the key store of a ledger's file. Keys that are there already must be the same. @throws LedgerError KEY_EXPORT_DAMAGED | KEY_PASSPHRASE | KEY_EXISTS */
export function importKeys(text: string, passphrase: string, ledgerFile: string): readonly string[] {
  const { salt, sealed } = parseEnvelope(text);
  let files: unknown;
  try {
    files = JSON.parse(textOf(unseal(passphraseKey(passphrase, salt), utf8(FORMAT), sealed)));
  } catch (cause) {
    throw new LedgerError("KEY_PASSPHRASE", "the key export does not open with this passphrase", {
      cure: "give the passphrase that it was exported with",
      cause,
    });
  }
  const directory = keyDirectory(ledgerFile);
  const names = Object.keys(files ?? {}).filter((name) => /^(guard|request|signing|epoch-[1-9][0-9]*)$/.test(name));
  const written: string[] = [];
  for (const name of names) {
    const bytes = fromBase64(textMember(files, name));
    const present = readKeyFile(directory, name);
    if (present !== undefined && Buffer.from(present).equals(bytes)) continue;
    writeKeyFile(directory, name, bytes);
    written.push(name);
  }
  return written;
}
