// Folds many equal reasons into one line each: code, data location and count; a cure is said once for its code.
import type { Reason } from "../../attest/judgement.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Paint } from "../verb.ts";

export function reasonLines(reasons: readonly Reason[], paint: Paint): readonly string[] {
  return [...groupBy(reasons, ({ code }) => code).values()].flatMap((all) => [
    ...ruleLines(all, paint),
    ...[...new Set(all.map(({ cure }) => cure))].map((cure) => paint.dim(`      → ${cure}`)),
  ]);
}

/** What was broken and where, without the cures. */
export function ruleLines(reasons: readonly Reason[], paint: Paint): readonly string[] {
  return [...groupBy(reasons, ({ code, surface, rule }) => JSON.stringify([code, surface, rule])).values()].flatMap(
    (same) => {
      const [first] = same;
      if (first === undefined) return [];
      const total = same.reduce((sum, one) => sum + (one.count ?? 1), 0);
      const times = total > 1 ? ` ×${total}` : "";
      const place = first.surface === undefined || first.surface === "" ? "" : `, ${first.surface}`;
      return [`  ${paint.bold(first.code)} (${first.class}${place})${times}: ${first.rule}`];
    },
  );
}
