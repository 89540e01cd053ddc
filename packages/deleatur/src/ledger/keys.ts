// The ledger's keys in memory: guard, request and signing key, and the epoch keys in their files. It must not print, log or serialise a key.
import { createHmac, createPrivateKey, createPublicKey, sign, type KeyObject } from "node:crypto";
import { publicKeyPem, utf8 } from "@deleatur/verify";
import { LedgerError } from "../model/errors.ts";
import { listKeyFiles, readKeyFile, removeKeyFile, writeKeyFile } from "./key-files.ts";
import { createKeyedHash, type KeyedHash } from "./keyed-hash.ts";
import { createKeySeal, type KeySeal } from "./key-seal.ts";
import { deriveKey } from "./seal.ts";

const EPOCH_FILE = /^epoch-([1-9][0-9]{0,14})$/;

export interface KeyMaterial {
  /** 32 bytes: keys the digests, and seals what the ledger itself must read. */
  readonly guard: Uint8Array;
  /** 32 bytes: wraps the keys of single requests. */
  readonly request: Uint8Array;
  /** PKCS #8 PEM of an Ed25519 key. */
  readonly signing: string;
}

/** Guards key material: what leaves it are digests, signatures and public keys; `material` is for the encrypted export only. */
export class LedgerKeys {
  /** Where key files stand, epoch keys always. */
  readonly directory: string;
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** HMAC-SHA-256 under the guard key. */
  readonly guardHash: KeyedHash;
  /** Seals the keys of artifacts. */
  readonly artifactSeal: KeySeal;
  readonly #material: KeyMaterial;
  readonly #signing: KeyObject;
  readonly #guardSeal: Uint8Array;
  readonly #requestWrap: Uint8Array;
  readonly #anchorSeal: Uint8Array;

  constructor(directory: string, material: KeyMaterial) {
    this.directory = directory;
    this.#material = material;
    for (const [name, key] of [
      ["guard", material.guard],
      ["request", material.request],
    ] as const) {
      if (key.length !== 32) throw new LedgerError("KEY_WRONG", `the ${name} key is not 32 bytes, restore it`);
    }
    this.#signing = parseSigningKey(material.signing);
    const jwk = createPublicKey(this.#signing).export({ format: "jwk" });
    this.publicKey = new Uint8Array(Buffer.from(jwk.x ?? "", "base64url"));
    this.guardHash = createKeyedHash(material.guard);
    this.artifactSeal = createKeySeal(deriveKey(material.guard, "artifact-seal"));
    this.#guardSeal = deriveKey(material.guard, "guard-seal");
    this.#requestWrap = deriveKey(material.request, "request-wrap");
    this.#anchorSeal = deriveKey(material.guard, "anchor-seal");
  }

  /** Seals what the ledger must read as long as an artifact lives. */
  get guardSeal(): Uint8Array {
    return this.#guardSeal;
  }

  /** Wraps the keys of single requests. */
  get requestWrap(): Uint8Array {
    return this.#requestWrap;
  }

  /** Seals the frames of an anchor. */
  get anchorSeal(): Uint8Array {
    return this.#anchorSeal;
  }

  /** What the ledger keeps to know a key again: says nothing about the key. */
  checkValue(name: "guard" | "request"): Uint8Array {
    return createHmac("sha256", this.#material[name]).update(utf8("deleatur/key-check/v1\0")).digest();
  }

  /** An Ed25519 signature. */
  sign(message: Uint8Array): Uint8Array {
    return sign(null, message, this.#signing);
  }

  publicKeyPem(): string {
    return publicKeyPem(this.publicKey);
  }

  /** Key material in clear, for the encrypted export only. */
  material(): KeyMaterial {
    return this.#material;
  }

  epochs(): readonly number[] {
    return listKeyFiles(this.directory)
      .map((name) => Number(EPOCH_FILE.exec(name)?.[1] ?? 0))
      .filter((epoch) => epoch > 0)
      .toSorted((a, b) => a - b);
  }

  epochKey(epoch: number): Uint8Array | undefined {
    const key = readKeyFile(this.directory, `epoch-${epoch}`);
    if (key !== undefined && key.length !== 32)
      throw new LedgerError("KEY_WRONG", `the key file of epoch ${epoch} is damaged, restore it from an export`);
    return key;
  }

  /** @throws LedgerError KEY_EXISTS where the epoch has another key already */
  writeEpochKey(epoch: number, key: Uint8Array): void {
    writeKeyFile(this.directory, `epoch-${epoch}`, key);
  }

  destroyEpochKey(epoch: number): void {
    removeKeyFile(this.directory, `epoch-${epoch}`);
  }
}

function parseSigningKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw new LedgerError("KEY_WRONG", "the signing key is no private key in PEM, restore it", {
      cure: "restore the signing key from an export with `deleatur keys import`",
      cause,
    });
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw new LedgerError("KEY_WRONG", "the signing key is no Ed25519 key, restore it");
  return key;
}
