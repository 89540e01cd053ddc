// The plan of a round, sealed in a real ledger: what a run has opened once it takes from there only while the same plan stands.
import { expect, test } from "vitest";
import type { Plan } from "../../src/forget/plan.ts";
import { openPlan, planOpener, sealPlan } from "../../src/forget/sealed-plan.ts";
import { surfaceId } from "../../src/model/ids.ts";
import { newRequestId, refOf, temporaryLedger } from "../ledger/temporary-ledger.ts";

const planFor = (key: string): Plan => ({
  items: [
    {
      ref: refOf("episodes", key),
      depth: 0,
      rank: 0,
      origins: [],
      action: "erase",
      because: "own",
      present: true,
      sources: [],
      surviving: [],
      ownSubjects: [],
      otherSubjects: [],
    },
  ],
  identifiers: [{ type: "account", value: "42" }],
  owners: [],
  identifiersUnknown: [],
  withoutLineage: new Map([[surfaceId("summaries"), 2]]),
  lostLineage: [],
  unread: new Map([[surfaceId("search"), "STORE_LOCKED"]]),
  edges: { recorded: 0, declared: 0, inferred: 0 },
});

test("a plan that is opened again is the one that is sealed now, and none once the request is closed", () => {
  const { ledger } = temporaryLedger();
  const [id, other] = [newRequestId(), newRequestId()];
  for (const request of [id, other])
    ledger.openRequest({
      id: request,
      target: "person",
      identifiers: [{ type: "account", value: "42" }],
      refs: [],
      boundaryDigest: "00",
      due: "2026-12-02",
      options: {},
    });
  const open = planOpener({ ledger });
  expect(open(id, 1)).toBeUndefined();
  sealPlan({ ledger }, id, 1, planFor("e1"));
  sealPlan({ ledger }, other, 1, planFor("e9"));
  const first = open(id, 1);
  expect(first).toEqual(planFor("e1"));
  expect(open(id, 1)).toBe(first);
  expect(open(other, 1)).toEqual(planFor("e9"));
  sealPlan({ ledger }, id, 1, planFor("e2"));
  expect(open(id, 1)).toEqual(openPlan({ ledger }, id, 1));
  expect(open(id, 1)).toEqual(planFor("e2"));
  ledger.closeRequest(id);
  expect(open(id, 1)).toBeUndefined();
});
