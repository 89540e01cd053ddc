// Fingerprints in the ledger: filed by request, found by gram, taken away by run or by request.
import { expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { guardWrite } from "../../src/record/guard.ts";
import { bytesOnDisk, close, newRequestId, refOf, temporaryLedger } from "./temporary-ledger.ts";

const words = (name: string, length = 20): string[] => Array.from({ length }, (_, at) => `${name}${at}`);

const containsErased = (ledger: Ledger, text: string): boolean =>
  guardWrite(ledger, {
    ref: refOf("episodes", "new"),
    subjects: [{ type: "account", value: "43" }],
    content: [{ type: "text", name: "text", text }],
  }).answer === "hold";

function file(ledger: Ledger, request: ReturnType<typeof newRequestId>, texts: readonly (readonly string[])[]): number {
  const owner = ledger.identifierDigest({ type: "account", value: "42" });
  const grams = texts.flatMap((text) => [...ledger.runGrams(ledger.hashWords(text.join(" ")))]);
  return ledger.putFingerprints([{ request, owners: [owner], grams }]);
}

test("GUARD-1 GUARD-2: runs are found in another process too, with whose they are", () => {
  const { ledger, reopen } = temporaryLedger();
  const request = newRequestId();
  expect(file(ledger, request, [words("a")])).toBe(13);
  const again = reopen();
  const grams = [...again.runGrams(again.hashWords([...words("x"), ...words("a"), ...words("y")].join(" ")))];
  const found = again.findFingerprints(grams.map(({ gram }) => gram));
  const owners = [Buffer.from(again.identifierDigest({ type: "account", value: "42" })).toString("hex")];
  expect(found.flatMap(({ runs }) => runs)).toHaveLength(13);
  for (const one of found) expect(one).toMatchObject({ request, owners });
});

test("GUARD-2: a second round takes the place of the first; two requests stand beside each other", () => {
  const { ledger } = temporaryLedger();
  const [one, other] = [newRequestId(), newRequestId()];
  file(ledger, one, [words("a"), words("b")]);
  file(ledger, one, [words("b")]);
  file(ledger, other, [words("b")]);
  const contains = (name: string): boolean => containsErased(ledger, words(name).join(" "));
  expect([contains("a"), contains("b")]).toEqual([false, true]);
  expect(ledger.dropFingerprints(one)).toBeGreaterThan(0);
  expect(contains("b")).toBe(true);
  expect(ledger.dropFingerprints(other)).toBeGreaterThan(0);
  expect(contains("b")).toBe(false);
});

test("GUARD-2: a dropped run is let in, the runs beside it are not", () => {
  const { ledger } = temporaryLedger();
  const request = newRequestId();
  file(ledger, request, [words("a")]);
  const part = words("a").slice(0, 8);
  expect(ledger.dropRuns(ledger.runGrams(ledger.hashWords(part.join(" "))), newRequestId())).toBe(0);
  expect(containsErased(ledger, part.join(" "))).toBe(true);
  expect(ledger.dropRuns(ledger.runGrams(ledger.hashWords(part.join(" "))))).toBe(1);
  expect(containsErased(ledger, part.join(" "))).toBe(false);
  expect(containsErased(ledger, words("a").slice(1, 9).join(" "))).toBe(true);
});

test("GUARD-2: no erased run in a page of 100,000 other words, and one at its end is found", () => {
  const { ledger } = temporaryLedger();
  file(ledger, newRequestId(), [words("a", 8)]);
  const page = words("w", 100_000);
  expect(containsErased(ledger, page.join(" "))).toBe(false);
  expect(containsErased(ledger, [...page, ...words("a", 8)].join(" "))).toBe(true);
  expect(containsErased(ledger, [...page, ...words("a", 7)].join(" "))).toBe(false);
});

test("GUARD-2: a text of 50 MB is read to its end", () => {
  const { ledger } = temporaryLedger();
  file(ledger, newRequestId(), [words("a", 8)]);
  const page = "nobody ever erased a page like this one ".repeat(1_300_000);
  expect(page.length).toBeGreaterThan(50_000_000);
  expect(containsErased(ledger, `${page}${words("a", 8).join(" ")}`)).toBe(true);
});

test("PRIVACY-1: the ledger's files hold no word of what they guard", () => {
  const { ledger, directory } = temporaryLedger();
  const text = words("unmistakable");
  file(ledger, newRequestId(), [text]);
  close(ledger);
  expect(bytesOnDisk(directory).includes("unmistakable")).toBe(false);
});
