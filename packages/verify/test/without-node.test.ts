// Bundles the verifier as a web page would and runs it where there is no Node: only what a browser has too.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { beforeAll, describe, expect, it } from "vitest";

const MAX_GZIPPED_BYTES = 40_000;
let bundle = "";

beforeAll(async () => {
  const result = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: true,
      lib: {
        entry: fileURLToPath(new URL("../src/index.ts", import.meta.url)),
        formats: ["iife"],
        name: "deleaturVerify",
      },
    },
  });
  const [first] = Array.isArray(result) ? result : [result];
  if (first === undefined || !("output" in first)) throw new Error("the bundler gave no output");
  bundle = first.output.map((part) => (part.type === "chunk" ? part.code : "")).join("\n");
});

const vector = (name: string): string => readFileSync(new URL(`./vectors/${name}`, import.meta.url), "utf8");

/** The kind of outcome, as the bundle says it in a context that has what ECMAScript has, the text encoders, and nothing else. */
function verifyInBareContext(receipt: string): string {
  const context = createContext({
    TextEncoder,
    TextDecoder,
    receipt,
    options: { publicKey: vector("operator.pem"), boundary: vector("boundary.public-form") },
  });
  return String(
    runInContext(
      `${bundle};
      deleaturVerify.verifyReceipt(receipt, {
        publicKeys: [options.publicKey],
        threshold: 1,
        scope: { boundary: options.boundary },
        acceptSelfAttested: true,
        auditorKeys: [],
        now: new Date("2027-06-01T00:00:00Z"),
      }).outcome.kind`,
      context,
    ),
  );
}

describe("the bundled verifier", () => {
  it("VERIFY-3: verifies a receipt, and refuses a bent one, with nothing of Node's in reach", () => {
    const receipt = vector("valid/erasure.receipt");
    expect(verifyInBareContext(receipt)).toBe("erasure");
    expect(verifyInBareContext(receipt.replace('"proofs":[{', '"proofs":[{"x":1,'))).toBe("invalid");
    expect(verifyInBareContext(vector("valid/tombstone.receipt"))).toBe("tombstone");
  });

  it("is at most 40 kB minified and gzipped, its crypto included", () => {
    expect(gzipSync(bundle).length).toBeLessThanOrEqual(MAX_GZIPPED_BYTES);
  });
});
