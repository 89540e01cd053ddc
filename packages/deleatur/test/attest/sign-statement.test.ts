// A signature is by the ledger's own key over the very canonical bytes, or it is not made.
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonicalJson, envelopeSigners, fromBase64, textOf } from "@deleatur/verify";
import { composeStatement } from "../../src/attest/compose-statement.ts";
import { keyIdOf, signStatement, type StatementSigner } from "../../src/attest/sign-statement.ts";
import { LedgerError } from "../../src/model/errors.ts";
import { requestId } from "../../src/model/ids.ts";
import { FORM, judged } from "./receipt-scene.ts";

function signerOf(): StatementSigner & { readonly spki: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const spki = publicKey.export({ format: "der", type: "spki" });
  return {
    publicKey: new Uint8Array(spki.subarray(-32)),
    sign: (message) => sign(null, message, createPrivateKey(privateKey.export({ format: "pem", type: "pkcs8" }))),
    spki,
  };
}

const statement = composeStatement({
  request: { id: requestId("0".repeat(32)), target: "records", who: [] },
  issued: new Date("2026-11-02T08:00:00Z"),
  boundary: { version: 1, publicForm: FORM },
  judgement: judged({ kind: "withheld", code: "SURVIVOR_FOUND", resumable: true, risks: [] }),
  roots: null,
  evidence: null,
  states: [],
  log: { origin: "deleatur/test", indices: { request: 0, purgeFinished: null, epochRoots: null }, disclosed: [0] },
  hasAnchor: true,
});

describe("signing", () => {
  it("ATTEST-3: puts the canonical bytes into a DSSE envelope that the key's owner verifies", () => {
    const signer = signerOf();
    const { envelope, payload } = signStatement(statement, signer);
    expect(textOf(fromBase64(envelope.payload))).toBe(canonicalJson(statement));
    expect(envelopeSigners(envelope.payloadType, payload, envelope.signatures, [signer.publicKey])).toHaveLength(1);
    expect(envelopeSigners(envelope.payloadType, payload, envelope.signatures, [signerOf().publicKey])).toHaveLength(0);
  });

  it("names the key by the digest of its SPKI", async () => {
    const signer = signerOf();
    const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(signer.spki));
    expect(keyIdOf(signer.publicKey)).toBe(Buffer.from(digest).toString("hex"));
  });

  it("refuses to issue what its own public key does not verify", () => {
    const signer = { ...signerOf(), publicKey: signerOf().publicKey };
    expect(() => signStatement(statement, signer)).toThrow(LedgerError);
  });
});
