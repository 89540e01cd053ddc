// Byte scans of everything that stands beside the ledger: nothing in clear while it lives, nothing at all once it is gone.
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RequestId } from "../../src/model/ids.ts";
import { bytesOnDisk, close, newRequestId, refOf, temporaryLedger, writer } from "./temporary-ledger.ts";

const SECRETS = {
  key: "key-marker-4f1c9a",
  identifier: "identifier-marker-77b2",
  reference: "reference-marker-90aa",
  option: "option-marker-13de",
  content: "content-marker-5e5e",
  receipt: "receipt-marker-c0de",
  ground: "ground-marker-beef",
};
const digest = Buffer.from("00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef", "hex");
const ref = refOf("episodes", SECRETS.key);
const person = { type: "account", value: SECRETS.identifier };

function fill(ledger: Ledger, request: RequestId): void {
  ledger.recordArtifacts([
    { ref, subjects: [person], sources: [], origin: "recorded", contentDigest: digest },
    { ref: refOf("summaries", `${SECRETS.key}-2`), subjects: [person], sources: [ref], origin: "declared" },
  ]);
  ledger.placeHold([refOf("summaries", `${SECRETS.key}-2`)], SECRETS.ground, "2027-01-01");
  ledger.openRequest({
    id: request,
    target: "person",
    identifiers: [person],
    refs: [ref],
    boundaryDigest: "00",
    due: "2026-12-02",
    reference: SECRETS.reference,
    options: { rederive: SECRETS.option },
  });
  ledger.updateRequest(request, { state: "erasing", receipt: `/out/${SECRETS.receipt}.deleatur.json` });
  ledger.raiseFence(request, { identifiers: [], refs: [] });
  ledger.beginIntents([{ ref, subjects: [person], sources: [], contentDigest: digest, leaseMs: 1000 }], writer);
  ledger.raiseFence(request, { identifiers: [person], refs: [ref] });
  ledger.putItems(request, [{ ref, action: "erase", depth: 0, origins: ["recorded"] }]);
  ledger.putSealed(request, "needles", Buffer.from(SECRETS.content.repeat(2000)));
  ledger.addDenylist(request, [
    {
      kind: "identifier",
      digest: ledger.identifierDigest(person),
      shared: false,
      owners: [ledger.identifierDigest(person)],
    },
  ]);
}

function expectNothingInClear(directory: string): void {
  const bytes = bytesOnDisk(directory);
  // The control: a surface's id stands in clear, so the scan has eyes.
  expect(bytes.includes("episodes")).toBe(true);
  for (const secret of Object.values(SECRETS)) {
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes(Buffer.from(secret, "utf16le"))).toBe(false);
    expect(bytes.includes(Buffer.from(secret).toString("hex"))).toBe(false);
    expect(bytes.includes(Buffer.from(secret).toString("base64").slice(0, 12))).toBe(false);
  }
  expect(bytes.includes(digest)).toBe(false);
  expect(bytes.includes(digest.toString("hex"))).toBe(false);
}

function sealedValues(file: string): Buffer[] {
  const database = new Database(file, { readonly: true });
  try {
    return [
      "SELECT sealed FROM artifacts WHERE sealed IS NOT NULL",
      "SELECT sealed FROM identifiers",
      "SELECT sealed FROM request_items",
      "SELECT value FROM request_sealed",
      "SELECT wrapped_key FROM requests WHERE wrapped_key IS NOT NULL",
      "SELECT sealed_order FROM requests WHERE sealed_order IS NOT NULL",
    ].flatMap((sql) => database.prepare<[], Buffer>(sql).pluck().all());
  } finally {
    database.close();
  }
}

/** How many of the values have left a run of 16 of their bytes anywhere: one pass over the files, at every offset. */
function traces(directory: string, values: readonly Buffer[]): number {
  const bytes = bytesOnDisk(directory);
  const chunks = new Map<bigint, { value: Buffer; at: number }>();
  for (const value of values)
    for (let at = 0; at + 16 <= Math.min(value.length, 4096); at += 8)
      chunks.set(value.readBigUInt64LE(at), { value, at });
  const found = new Set<Buffer>();
  for (let offset = 0; offset + 16 <= bytes.length; offset += 1) {
    const chunk = chunks.get(bytes.readBigUInt64LE(offset));
    if (chunk === undefined || found.has(chunk.value)) continue;
    if (bytes.subarray(offset, offset + 16).equals(chunk.value.subarray(chunk.at, chunk.at + 16)))
      found.add(chunk.value);
  }
  return found.size;
}

describe("PRIVACY-1: the ledger's files", () => {
  test("show neither key, identifier, reference, option, content nor content digest while they live", () => {
    expect.hasAssertions();
    const { ledger, directory } = temporaryLedger();
    fill(ledger, newRequestId());
    expectNothingInClear(directory);
    close(ledger);
    expectNothingInClear(directory);
  });

  test("hold no trace of a sealed key or person once the artifact is erased and the file compacted", () => {
    const { ledger, directory, file } = temporaryLedger();
    const refs = Array.from({ length: 1500 }, (_, at) => refOf("episodes", `e${at}${"x".repeat(at % 60)}`));
    for (let at = 0; at < refs.length; at += 100) {
      ledger.recordArtifacts(
        refs.slice(at, at + 100).map((one, place) => ({
          ref: one,
          subjects: [{ type: "account", value: `${(at + place) % 90}` }],
          sources: at + place === 0 ? [] : [refs[(at + place) >> 1] ?? ref],
          origin: "recorded" as const,
        })),
      );
    }
    const before = sealedValues(file);
    expect(traces(directory, before)).toBe(before.length);
    ledger.markErased(refs, newRequestId());
    expect(ledger.flush()).toBe("flushed");
    expect(ledger.compact()).toBe("compacted");
    expect(traces(directory, before)).toBe(0);
    expect(ledger.compact()).toBe("not due");
  });

  test("hold no trace of a request's key and sealed values once it is closed", () => {
    const { ledger, directory, file } = temporaryLedger();
    const request = newRequestId();
    fill(ledger, request);
    ledger.markErased([ref, refOf("summaries", `${SECRETS.key}-2`)], request);
    const before = sealedValues(file);
    expect(traces(directory, before)).toBe(before.length);
    ledger.closeRequest(request);
    close(ledger);
    expect(traces(directory, before)).toBe(0);
    expectNothingInClear(directory);
  });

  test("are flushed and compacted by the next opening when a crash or a reader came between", () => {
    const { ledger, directory, file, reopen } = temporaryLedger();
    const request = newRequestId();
    fill(ledger, request);
    const before = sealedValues(file);
    const reader = new Database(file, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM artifacts").get();
    ledger.markErased([ref, refOf("summaries", `${SECRETS.key}-2`)], request);
    ledger.closeRequest(request);
    expect(ledger.flush()).toBe("busy");
    expect(ledger.compact()).toBe("busy");
    close(ledger);
    expect(traces(directory, before)).toBeGreaterThan(0);
    reader.close();
    const again = reopen();
    expect(again.compact()).toBe("compacted");
    expect(traces(directory, before)).toBe(0);
  });

  test("do not open a sealed value that was moved to another row", () => {
    const { ledger, file, reopen } = temporaryLedger();
    ledger.recordArtifacts([
      { ref: refOf("a", "1"), subjects: [], sources: [], origin: "recorded" },
      { ref: refOf("a", "2"), subjects: [], sources: [refOf("a", "1")], origin: "recorded" },
    ]);
    close(ledger);
    const database = new Database(file);
    database.exec("UPDATE artifacts SET sealed = (SELECT sealed FROM artifacts ORDER BY digest LIMIT 1)");
    database.close();
    const again = reopen();
    expect(() => [again.closure([refOf("a", "1")]), again.sourcesOf(refOf("a", "2"))]).toThrow("does not open");
  });
});
