// Folds many equal reasons into one line each: code, data location and count; a cure is said once for its code.
import type { Reason } from "../../attest/judgement.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Paint } from "../verb.ts";

export function reasonLines(reasons: readonly Reason[], paint: Paint): readonly string[] {
  return [...groupBy(reasons, ({ code }) => code)].flatMap(([code, all]) => [
    ...[...groupBy(all, ({ surface, rule }) => JSON.stringify([surface, rule])).values()].map((same) => {
      const [first] = same;
      const total = same.reduce((sum, one) => sum + (one.count ?? 1), 0);
      const times = total > 1 ? ` ×${total}` : "";
      const place = first?.surface === undefined || first.surface === "" ? "" : `, ${first.surface}`;
      return `  ${paint.bold(code)} (${first?.class ?? "technical"}${place})${times}: ${first?.rule ?? ""}`;
    }),
    ...[...new Set(all.map(({ cure }) => cure))].map((cure) => paint.dim(`      → ${cure}`)),
  ]);
}
