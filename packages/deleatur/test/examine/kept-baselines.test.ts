// What a survey keeps of a request in a real ledger: bystanders that are the baseline but for some, and bystanders of their own.
import { describe, expect, test } from "vitest";
import { artifactDigester, refId } from "../../src/examine/artifact-digests.ts";
import { type Baseline, openBaseline } from "../../src/examine/baseline.ts";
import {
  hasBaseline,
  keepBaseline,
  keepBystanders,
  type NoBystanders,
  openKeptBaselines,
} from "../../src/examine/kept-baselines.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RequestId } from "../../src/model/ids.ts";
import { newRequestId, refOf, temporaryLedger } from "../ledger/temporary-ledger.ts";

const EPISODES = refOf("episodes", "e1").surface;
const CACHE = refOf("cache", "c1").surface;

function openedRequest(ledger: Ledger): RequestId {
  const id = newRequestId();
  ledger.openRequest({
    id,
    target: "person",
    identifiers: [{ type: "account", value: "42" }],
    refs: [],
    boundaryDigest: "00",
    due: "2026-12-02",
    options: {},
  });
  return id;
}

function surveyed(ledger: Ledger): { readonly baseline: Baseline; readonly idOf: (key: string) => string } {
  const digester = artifactDigester(ledger);
  const baseline = openBaseline();
  for (const ref of [...["e1", "e2", "e3"].map((key) => refOf("episodes", key)), refOf("cache", "c1")])
    baseline.add(digester.digest({ ...ref, subjects: [], sources: [], content: [] }));
  return {
    baseline,
    idOf: (key) => refId(digester.digest({ ...refOf("episodes", key), subjects: [], sources: [], content: [] })),
  };
}

describe("kept baselines", () => {
  test("bystanders are the baseline without what goes, and without what no store keeps", () => {
    const { ledger } = temporaryLedger();
    const id = openedRequest(ledger);
    const { baseline, idOf } = surveyed(ledger);
    const none: NoBystanders = { surfaces: [CACHE], artifacts: [[EPISODES, [idOf("e2")]]] };
    expect(hasBaseline(ledger, id)).toBe(false);
    keepBaseline(ledger, id, baseline.bytes(), none);
    expect(hasBaseline(ledger, id)).toBe(true);
    const kept = openKeptBaselines(ledger);
    expect([kept.baselineOf(id).sizeOf(EPISODES), kept.baselineOf(id).sizeOf(CACHE)]).toEqual([3, 1]);
    const bystanders = kept.bystandersOf(id);
    expect([bystanders.sizeOf(EPISODES), bystanders.surfaces]).toEqual([2, [EPISODES]]);
  });

  test("surveyed together they are one, with others they are two, and of the closed there is none", () => {
    const { ledger } = temporaryLedger();
    const [first, second, other] = [openedRequest(ledger), openedRequest(ledger), openedRequest(ledger)];
    const { baseline, idOf } = surveyed(ledger);
    const without = (key: string): NoBystanders => ({ surfaces: [], artifacts: [[EPISODES, [idOf(key)]]] });
    for (const id of [first, second]) keepBaseline(ledger, id, baseline.bytes(), without("e1"));
    keepBaseline(ledger, other, baseline.bytes(), without("e2"));
    const kept = openKeptBaselines(ledger);
    expect(kept.bystandersOf(second)).toBe(kept.bystandersOf(first));
    expect(kept.baselineOf(other)).toBe(kept.baselineOf(first));
    expect(kept.bystandersOf(other)).not.toBe(kept.bystandersOf(first));
    ledger.closeRequest(first);
    expect(openKeptBaselines(ledger).bystandersOf(first).surfaces).toEqual([]);
  });

  test("bystanders of their own stand from then on, also where there are none", () => {
    const { ledger } = temporaryLedger();
    const id = openedRequest(ledger);
    const { baseline } = surveyed(ledger);
    keepBaseline(ledger, id, baseline.bytes(), { surfaces: [], artifacts: [] });
    const later = openBaseline(baseline.bytes());
    later.replace(CACHE);
    keepBystanders(ledger, id, later);
    expect(openKeptBaselines(ledger).bystandersOf(id).surfaces).toEqual([EPISODES]);
    keepBystanders(ledger, id, openBaseline());
    expect(openKeptBaselines(ledger).bystandersOf(id).surfaces).toEqual([]);
    expect(openKeptBaselines(ledger).baselineOf(id).surfaces).toEqual([EPISODES, CACHE]);
  });
});
