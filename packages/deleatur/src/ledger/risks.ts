// Residual risks with a deadline and a cure, closed by evidence only (RISK-1). It must not let one expire silently.
import { UsageError } from "../model/errors.ts";
import { requestId, surfaceId } from "../model/ids.ts";
import { newId, now, parseJson, type LedgerCore } from "./ledger-core.ts";
import type { Risk, RiskEvidence, RiskOrder, Risks } from "./ledger.ts";

type RiskRow = Readonly<
  Record<"id" | "request" | "surface" | "kind" | "cure" | "deadline" | "detail" | "opened", string>
> &
  Readonly<Record<"closed" | "evidence", string | null>>;

function toRisk(row: RiskRow, at: string): Risk {
  return {
    id: row.id,
    request: requestId(row.request),
    surface: surfaceId(row.surface),
    kind: row.kind,
    cure: row.cure,
    deadline: row.deadline,
    detail: parseJson<unknown>(row.detail),
    opened: row.opened,
    overdue: row.closed === null && new Date(row.deadline) <= new Date(at),
    ...(row.closed === null || row.evidence === null
      ? {}
      : { closed: { at: row.closed, evidence: parseJson<RiskEvidence>(row.evidence) } }),
  };
}

export function createRisks(core: LedgerCore): Risks {
  const { connection } = core;

  function openOne({ request, surface, kind, cure, deadline, detail }: RiskOrder): string {
    const text = JSON.stringify(detail ?? null);
    const known = connection.get<{ id: string }>(
      "SELECT id FROM risks WHERE request = ? AND surface = ? AND kind = ? AND closed IS NULL",
      request,
      surface,
      kind,
    );
    if (known !== undefined) {
      connection.run(
        "UPDATE risks SET cure = ?, deadline = ?, detail = ? WHERE id = ?",
        cure,
        deadline,
        text,
        known.id,
      );
      return known.id;
    }
    const id = newId(core);
    connection.run(
      "INSERT INTO risks (id, request, surface, kind, cure, deadline, detail, opened) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      id,
      request,
      surface,
      kind,
      cure,
      deadline,
      text,
      now(core),
    );
    return id;
  }

  return {
    openRisks: (list) => connection.transaction(() => list.map((order) => openOne(order))),
    risks() {
      const at = now(core);
      return connection
        .all<RiskRow>("SELECT * FROM risks ORDER BY closed IS NOT NULL, deadline, id")
        .map((row) => toRisk(row, at));
    },
    closeRisk(id, evidence) {
      connection.transaction(() => {
        const row = connection.get<RiskRow>("SELECT * FROM risks WHERE id = ?", id);
        if (row === undefined)
          throw new UsageError("NO_SUCH_RISK", "the ledger knows no such risk, see `deleatur risks`");
        if (row.closed !== null) return;
        if (evidence.kind === "horizon" && new Date(evidence.until) > core.clock())
          throw new UsageError("HORIZON_OPEN", "the horizon has not passed, so it is no evidence yet");
        connection.run(
          "UPDATE risks SET closed = ?, evidence = ? WHERE id = ?",
          now(core),
          JSON.stringify(evidence),
          id,
        );
      });
    },
  };
}
