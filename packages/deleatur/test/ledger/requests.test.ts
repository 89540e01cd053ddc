// Requests in the ledger: sealed until the close, joined by person, claimed by one process, journalled step by step.
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { RequestOrder } from "../../src/ledger/request-record.ts";
import { currentWriter } from "../../src/ledger/process-identity.ts";
import type { RequestId } from "../../src/model/ids.ts";
import { codeOf, newRequestId, refOf, temporaryLedger } from "./temporary-ledger.ts";

const account = { type: "account", value: "42" };
const email = { type: "email", value: "s@example.org" };
const ref = refOf("episodes", "e1");
const second = refOf("episodes", "e2");

function orderOf(id: RequestId, more: Partial<RequestOrder> = {}): RequestOrder {
  return {
    id,
    target: "person",
    identifiers: [account, email],
    refs: [],
    boundaryDigest: "d1",
    due: "2026-12-02",
    options: { allowTombstone: true },
    ...more,
  };
}

describe("a request", () => {
  test("is opened with a person code of its own, and read back whole", () => {
    const { ledger, reopen } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id, { received: "2026-11-01", reference: "ticket 7" }));
    const record = reopen().request(id);
    expect(record).toMatchObject({
      state: "received",
      identifiers: [account, email],
      boundaryDigest: "d1",
      received: "2026-11-01",
      reference: "ticket 7",
      options: { allowTombstone: true },
    });
    expect(record?.personCode).toHaveLength(32);
    expect(record?.verdict).toBeUndefined();
    expect(codeOf(() => ledger.openRequest(orderOf(id)))).toBe("LEDGER_CLOSED");
  });

  test("is updated member by member, and null clears", () => {
    const { ledger } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id));
    ledger.updateRequest(id, { state: "waiting", why: "purge window", until: "2026-11-08T02:00:00Z" });
    ledger.updateRequest(id, { verdict: "PARTIAL", reasons: [{ code: "PURGE_PENDING" }], receipt: "/out/r.json" });
    ledger.updateRequest(id, { state: "erasing", why: null, until: null, boundaryDigest: "d2", epoch: 3 });
    const record = ledger.request(id);
    expect(record).toMatchObject({ state: "erasing", verdict: "PARTIAL", receipt: "/out/r.json", epoch: 3 });
    expect(record?.boundaryDigest).toBe("d2");
    expect(record?.reasons).toEqual([{ code: "PURGE_PENDING" }]);
    expect(record).not.toHaveProperty("why");
    expect(record).not.toHaveProperty("until");
    expect(codeOf(() => ledger.updateRequest(newRequestId(), { state: "stuck" }))).toBe("REQUEST_UNKNOWN");
    expect(ledger.request(newRequestId())).toBeUndefined();
  });

  test("is found running by any one identifier of its person, and by exactly its records", () => {
    const { ledger } = temporaryLedger();
    const person = newRequestId();
    const records = newRequestId();
    ledger.openRequest(orderOf(person));
    ledger.openRequest(orderOf(records, { target: "records", identifiers: [], refs: [ref, second] }));
    expect(ledger.findRunningRequest({ identifiers: [email, { type: "thread", value: "9" }] })).toBe(person);
    expect(ledger.findRunningRequest({ identifiers: [{ type: "account", value: "421" }] })).toBeUndefined();
    expect(ledger.findRunningRequest({ refs: [second, ref] })).toBe(records);
    expect(ledger.findRunningRequest({ refs: [ref] })).toBeUndefined();
    ledger.closeRequest(person);
    expect(ledger.findRunningRequest({ identifiers: [email] })).toBeUndefined();
    expect(
      ledger
        .requests()
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(["closed", "received"]);
  });

  test("takes a further identifier of its person, and is found by it from then on", () => {
    const { ledger } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id, { identifiers: [account] }));
    expect(ledger.findRunningRequest({ identifiers: [email] })).toBeUndefined();
    expect(ledger.extendRequest(id, [account, email], { none: ["thread"] })).toBe(1);
    expect(ledger.findRunningRequest({ identifiers: [email] })).toBe(id);
    expect(ledger.request(id)).toMatchObject({ identifiers: [account, email], options: { none: ["thread"] } });
    ledger.closeRequest(id);
    expect(codeOf(() => ledger.extendRequest(id, [email]))).toBe("REQUEST_CLOSED");
  });

  test("PRIVACY-1: loses everything that was sealed at its close, and keeps counts and facts", () => {
    const { ledger } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id));
    ledger.putItems(id, [
      { ref, action: "erase", depth: 0, origins: ["recorded"], outcome: "erased" },
      { ref: second, action: "keep", depth: 1, origins: ["declared", "inferred"] },
    ]);
    ledger.putSealed(id, "needles", Uint8Array.of(1, 2, 3));
    ledger.startStep(id, "fence");
    ledger.finishStep(id, "fence", { strength: "strong" });
    const counts = ledger.itemCounts(id);
    ledger.closeRequest(id);
    ledger.closeRequest(id);
    expect(ledger.request(id)).toMatchObject({ state: "closed", identifiers: [], refs: [] });
    expect(ledger.request(id)?.personCode).toBeUndefined();
    expect(ledger.items(id)).toEqual([]);
    expect(ledger.sealedNames(id)).toEqual([]);
    expect(ledger.getSealed(id, "needles")).toBeUndefined();
    expect(ledger.itemCounts(id)).toEqual(counts);
    expect(ledger.steps(id)).toMatchObject([{ name: "fence", state: "finished", detail: { strength: "strong" } }]);
    expect(codeOf(() => ledger.putSealed(id, "needles", new Uint8Array()))).toBe("REQUEST_CLOSED");
    expect(codeOf(() => ledger.updateRequest(id, { state: "erasing" }))).toBe("REQUEST_CLOSED");
    ledger.updateRequest(id, { receipt: "/out/moved.json" });
    expect(ledger.request(id)?.receipt).toBe("/out/moved.json");
  });
});

describe("the journal", () => {
  test("keeps steps in the order in which they began, started ones included", () => {
    const { ledger, setClock } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id));
    ledger.startStep(id, "zero");
    setClock("2026-11-02T09:00:00Z");
    ledger.finishStep(id, "zero");
    ledger.startStep(id, "erase");
    expect(ledger.steps(id)).toEqual([
      { name: "zero", state: "finished", at: "2026-11-02T09:00:00.000Z", detail: undefined },
      { name: "erase", state: "started", at: "2026-11-02T09:00:00.000Z", detail: undefined },
    ]);
    ledger.startStep(id, "zero");
    expect(ledger.steps(id).map(({ name, state }) => [name, state])).toEqual([
      ["zero", "started"],
      ["erase", "started"],
    ]);
  });

  test("keeps items with their outcomes, and a second put does not undo an outcome", () => {
    const { ledger } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id));
    const items = [
      { ref, action: "erase", depth: 0, origins: [] },
      { ref: second, action: "rewrite", depth: 1, origins: ["declared"] },
    ] as const;
    ledger.putItems(id, items);
    ledger.updateItems(id, [{ ref, outcome: "failed", why: "STORE_LOCKED" }]);
    ledger.putItems(id, items);
    expect(ledger.items(id)[0]).toEqual({ ...items[0], outcome: "failed", why: "STORE_LOCKED" });
    ledger.updateItems(id, [{ ref, outcome: "erased" }]);
    expect(ledger.items(id)).toEqual([{ ...items[0], outcome: "erased" }, items[1]]);
    expect(ledger.itemCounts(id)).toEqual([
      { surface: "episodes", action: "erase", outcome: "erased", count: 1 },
      { surface: "episodes", action: "rewrite", outcome: "pending", count: 1 },
    ]);
  });

  test("gives sealed values back byte for byte, the last one of a name", () => {
    const { ledger, reopen } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id));
    ledger.putSealed(id, "b", Uint8Array.of(1));
    ledger.putSealed(id, "a", new Uint8Array(100_000).fill(7));
    ledger.putSealed(id, "b", Uint8Array.of(2));
    const again = reopen();
    expect(again.sealedNames(id)).toEqual(["a", "b"]);
    expect(again.getSealed(id, "b")).toEqual(Uint8Array.of(2));
    expect(again.getSealed(id, "a")).toHaveLength(100_000);
    again.dropSealed(id, "b");
    expect(again.getSealed(id, "b")).toBeUndefined();
  });
});

describe("a claim", () => {
  const other = { host: "another-host", pid: 12, started: "x" };

  test("lets one process work on a request at a time, until its lease ends", () => {
    const { ledger, setClock } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id));
    expect(ledger.claimRequest(id, other, 60_000)).toBe(true);
    expect(ledger.claimRequest(id, other, 60_000)).toBe(true);
    expect(ledger.claimRequest(id, currentWriter(), 60_000)).toBe(false);
    setClock("2026-11-02T08:01:00.000Z");
    expect(ledger.claimRequest(id, currentWriter(), 60_000)).toBe(true);
    ledger.releaseRequest(id, other);
    expect(ledger.claimRequest(id, other, 60_000)).toBe(false);
    ledger.releaseRequest(id, currentWriter());
    expect(ledger.claimRequest(id, other, 60_000)).toBe(true);
    ledger.closeRequest(id);
    expect(ledger.claimRequest(id, other, 60_000)).toBe(false);
  });

  test("of a process that died on this host is taken over at once", () => {
    const { ledger } = temporaryLedger();
    const id = newRequestId();
    ledger.openRequest(orderOf(id));
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    expect(ledger.claimRequest(id, { ...currentWriter(), pid }, 3_600_000)).toBe(true);
    expect(ledger.claimRequest(id, currentWriter(), 60_000)).toBe(true);
  });
});
