// Times: the issuer's clock, the verifier's, and the horizons (ATTEST-8). It must not read a clock itself.
import { fail, pass, warn, type Finding } from "../report.ts";
import type { EpochPredicate, Statement } from "../statement.ts";
import { seconds } from "./boundary.ts";
import type { LogTrail } from "./log.ts";
import { allOf } from "./predicate.ts";

const CLOCK_SKEW_SECONDS = 300;

/** The order of the logged times, and that the statement is not from the future. All but `now` are the issuer's clock. */
export function checkTime({ predicate }: Statement, now: Date, trail: LogTrail | undefined): Finding {
  if (seconds(predicate.issued) > now.getTime() / 1_000 + CLOCK_SKEW_SECONDS) return fail("issued in the future");
  if (trail === undefined) return pass(`issued ${predicate.issued} by the issuer's clock`);
  const times = [trail.opened, trail.request, trail.purge, trail.roots].flatMap((each) =>
    each === null ? [] : [each.entry.at],
  );
  times.push(predicate.issued);
  const isAscending = times.every((time, i) => i === 0 || seconds(times[i - 1] ?? time) <= seconds(time));
  return isAscending
    ? pass(`issued ${predicate.issued} by the issuer's clock`)
    : warn("the issuer's clock ran backwards between the logged entries");
}

/** Whether `effective` is late enough: not before it was issued, before a horizon, or before the declared bound after the request could pass. */
export function checkEffective(predicate: EpochPredicate, now: Date, trail: LogTrail | undefined): readonly Finding[] {
  const effective = seconds(predicate.effective);
  const flaws: Finding[] = [];
  if (effective < seconds(predicate.issued)) flaws.push(fail("effective before it was issued"));
  for (const { id, alg, horizon } of predicate.surfaces) {
    if (horizon === null) continue;
    if (effective < horizon.until) flaws.push(fail("effective before a horizon has passed", id));
    const bound =
      predicate.boundary.publicForm.surfaces.find((surface) => surface.id === id)?.horizon?.maxSeconds ?? null;
    if (alg === 2 && bound !== null && trail !== undefined && horizon.until < seconds(trail.opened.entry.at) + bound)
      flaws.push(fail("a horizon that ends sooner than a copy made before the request can expire", id));
  }
  if (flaws.length > 0) return flaws;
  if (!isEffective(predicate, now)) return [warn(`not yet effective: it holds from ${predicate.effective}`)];
  return allOf([], `effective since ${predicate.effective}`);
}

export function isEffective({ effective }: EpochPredicate, now: Date): boolean {
  return seconds(effective) * 1_000 <= now.getTime();
}
