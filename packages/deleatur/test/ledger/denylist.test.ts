// The denylist: keyed entries, owners, lifting by name.
import { expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { codeOf, newRequestId, temporaryLedger } from "./temporary-ledger.ts";

const person = { type: "account", value: "42" };

function entriesOf(ledger: Ledger): Parameters<Ledger["addDenylist"]>[1] {
  const owners = [ledger.identifierDigest(person)];
  return [
    { kind: "identifier", digest: ledger.identifierDigest(person), shared: false, owners },
    { kind: "exact", digest: ledger.keyedDigest("exact", "distinctive text"), shared: false, owners },
    { kind: "folded", digest: ledger.keyedDigest("folded", "boilerplate"), shared: true, owners },
  ];
}

test("GUARD-1: entries are found by their keyed digest, in another process too, with whom they are about", () => {
  const { ledger, reopen } = temporaryLedger();
  const request = newRequestId();
  expect(ledger.addDenylist(request, entriesOf(ledger))).toBe(3);
  expect(ledger.addDenylist(request, entriesOf(ledger))).toBe(0);
  const again = reopen();
  const owners = [Buffer.from(again.identifierDigest(person)).toString("hex")];
  expect(again.findDenylist("folded", again.keyedDigest("folded", "boilerplate"))).toMatchObject([
    { request, shared: true, owners },
  ]);
  expect(again.findDenylist("exact", again.keyedDigest("folded", "boilerplate"))).toEqual([]);
  expect(again.denylistCount()).toBe(3);
  expect(again.denylistCount(newRequestId())).toBe(0);
});

test("GUARD-1: the list cannot be tested with another guard key", () => {
  const { ledger } = temporaryLedger();
  const { ledger: other } = temporaryLedger();
  expect(other.keyedDigest("exact", "distinctive text")).not.toEqual(ledger.keyedDigest("exact", "distinctive text"));
});

test("GUARD-1: content entries outlive a lift that names the person only", () => {
  const { ledger } = temporaryLedger();
  const request = newRequestId();
  ledger.addDenylist(request, entriesOf(ledger));
  expect(ledger.liftDenylist({ identifiers: [person] })).toBe(1);
  expect(ledger.denylistCount(request)).toBe(2);
  const [entry] = ledger.findDenylist("exact", ledger.keyedDigest("exact", "distinctive text"));
  expect(ledger.liftDenylist({ ids: [entry?.id ?? ""] })).toBe(1);
  expect(ledger.liftDenylist({ request })).toBe(1);
});

test("GUARD-1: a lift finds the entries that the guard wrote about a person", () => {
  const { ledger } = temporaryLedger();
  const digest = ledger.identifierDigest(person);
  ledger.addDenylist(newRequestId(), [{ kind: "identifier", digest, shared: false, owners: [digest] }]);
  expect(ledger.liftDenylist({ identifiers: [{ type: "account", value: "421" }] })).toBe(0);
  expect(ledger.liftDenylist({ identifiers: [person] })).toBe(1);
});

test("GUARD-1: a lift without a selector is refused, nothing is lifted by accident", () => {
  const { ledger } = temporaryLedger();
  ledger.addDenylist(newRequestId(), entriesOf(ledger));
  expect(codeOf(() => ledger.liftDenylist({}))).toBe("NOTHING_SELECTED");
  expect(ledger.denylistCount()).toBe(3);
});

test("a distinctive entry is not weakened by the same digest as shared, and the other way becomes distinctive", () => {
  const { ledger } = temporaryLedger();
  const request = newRequestId();
  const digest = ledger.keyedDigest("exact", "text");
  for (const shared of [true, false, true])
    ledger.addDenylist(request, [{ kind: "exact", digest, shared, owners: [] }]);
  expect(ledger.findDenylist("exact", digest)).toMatchObject([{ shared: false }]);
});
