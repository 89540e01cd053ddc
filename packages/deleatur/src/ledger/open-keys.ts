// Finds the ledger's keys in the environment or their files, and makes them where the ledger is new. It must not make a key for a ledger that exists.
import { createPrivateKey } from "node:crypto";
import { statSync } from "node:fs";
import { fromBase64, utf8 } from "@deleatur/verify";
import { LedgerError } from "../model/errors.ts";
import { keyDirectory, readKeyFile, writeKeyFile } from "./key-files.ts";
import { LedgerKeys } from "./keys.ts";

export interface OpenKeysOptions {
  /** The ledger's file; its keys stand in `<file>.keys/`. */
  readonly file: string;
  /** Usually `process.env`: DELEATUR_GUARD_KEY and DELEATUR_REQUEST_KEY (base64 of 32 bytes), DELEATUR_SIGNING_KEY (PEM). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly random: (bytes: number) => Uint8Array;
}

type KeyName = "guard" | "request" | "signing";

const VARIABLES: Readonly<Record<KeyName, string>> = {
  guard: "DELEATUR_GUARD_KEY",
  request: "DELEATUR_REQUEST_KEY",
  signing: "DELEATUR_SIGNING_KEY",
};

// DER of PrivateKeyInfo { 0, 1.3.101.112, OCTET STRING of an OCTET STRING of 32 bytes } (RFC 8410 §7), without the seed.
const PKCS8_PREFIX = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

function ledgerExists(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && stat.size > 0;
}

function makeKey(name: KeyName, random: (bytes: number) => Uint8Array): Uint8Array {
  if (name !== "signing") return random(32);
  const der = Buffer.concat([PKCS8_PREFIX, random(32)]);
  const pem = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ format: "pem", type: "pkcs8" });
  return utf8(pem.toString());
}

function fromEnvironment(name: KeyName, text: string): Uint8Array {
  if (name === "signing") return utf8(text.replaceAll(String.raw`\n`, "\n"));
  try {
    const key = fromBase64(text.trim());
    if (key.length === 32) return key;
    throw new RangeError("not 32 bytes");
  } catch (cause) {
    throw new LedgerError("KEY_WRONG", `${VARIABLES[name]} is not the base64 of 32 bytes`, {
      cure: `set ${VARIABLES[name]} to the key of this ledger`,
      cause,
    });
  }
}

function findKey(name: KeyName, options: OpenKeysOptions, isNew: boolean): Uint8Array {
  const given = options.environment[VARIABLES[name]];
  if (given !== undefined && given !== "") return fromEnvironment(name, given);
  const directory = keyDirectory(options.file);
  const stored = readKeyFile(directory, name);
  if (stored !== undefined) return stored;
  if (!isNew) {
    throw new LedgerError(
      "KEY_MISSING",
      `the ledger exists but its ${name} key is neither in ${directory} nor in ${VARIABLES[name]}`,
      {
        place: { file: options.file },
        cure: "restore the keys, or run `deleatur keys import` with an export of them; without them the ledger stays closed",
      },
    );
  }
  try {
    writeKeyFile(directory, name, makeKey(name, options.random));
  } catch (error) {
    // Another process made the key first: its key is the one.
    if (!(error instanceof LedgerError && error.code === "KEY_EXISTS")) throw error;
  }
  const written = readKeyFile(directory, name);
  if (written === undefined) throw new LedgerError("KEY_MISSING", `the ${name} key vanished from ${directory}`);
  return written;
}

/** Opens the keys of a ledger. @throws LedgerError KEY_MISSING | KEY_WRONG | KEY_MODE | KEY_UNREADABLE */
export function openKeys(options: OpenKeysOptions): LedgerKeys {
  const isNew = !ledgerExists(options.file);
  return new LedgerKeys(keyDirectory(options.file), {
    guard: findKey("guard", options, isNew),
    request: findKey("request", options, isNew),
    signing: new TextDecoder().decode(findKey("signing", options, isNew)),
  });
}
