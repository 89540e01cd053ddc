// The ledger of residual risks: deadlines, the overdue first, closed by evidence only.
import { expect, test } from "vitest";
import { surfaceId } from "../../src/model/ids.ts";
import { codeOf, newRequestId, temporaryLedger } from "./temporary-ledger.ts";

test("RISK-1: risks are opened once, listed the overdue first, and closed by evidence only", () => {
  const { ledger, setClock } = temporaryLedger();
  const request = newRequestId();
  const risk = { request, kind: "UNBOUNDED", cure: "bound the cache", detail: { seconds: 60 } };
  const later = { ...risk, surface: surfaceId("prompt-cache"), deadline: "2026-12-01T00:00:00.000Z" };
  const sooner = { ...risk, surface: surfaceId("answers"), deadline: "2026-11-03T00:00:00.000Z" };
  const ids = ledger.openRisks([later, sooner]);
  expect(ledger.openRisks([{ ...later, cure: "ask the provider" }])).toEqual([ids[0]]);
  setClock("2026-11-04T00:00:00.000Z");
  expect(ledger.risks().map(({ surface, overdue }) => [surface, overdue])).toEqual([
    ["answers", true],
    ["prompt-cache", false],
  ]);
  expect(ledger.risks()[1]).toMatchObject({ cure: "ask the provider", detail: { seconds: 60 } });
  const early = { kind: "horizon", until: "2026-11-05T00:00:00.000Z" } as const;
  expect(codeOf(() => ledger.closeRisk(ids[1] ?? "", early))).toBe("HORIZON_OPEN");
  ledger.closeRisk(ids[1] ?? "", { kind: "audit", epoch: 4, logIndex: 9 });
  expect(ledger.risks().map(({ surface }) => surface)).toEqual(["prompt-cache", "answers"]);
  expect(ledger.risks()[1]?.closed).toMatchObject({ evidence: { kind: "audit", epoch: 4 } });
  expect(codeOf(() => ledger.closeRisk("unknown", early))).toBe("NO_SUCH_RISK");
});
