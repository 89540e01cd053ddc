// The boundary's versions in the log: the attested one was logged before it was used, and what was dropped shortly before the request is said (VERIFY-1).
import { compareUtf8 } from "../bytes.ts";
import { canonicalJson } from "../canonical-json.ts";
import { fail, pass, warn, type Finding } from "../report.ts";
import type { AttestedBoundary } from "../statement.ts";
import { seconds } from "./boundary.ts";
import type { LogTrail } from "./log.ts";

const WINDOW_SECONDS = 90 * 86_400;

/** The trail comes from entries whose inclusion holds. */
export function checkBoundaryHistory(
  boundary: AttestedBoundary,
  { versions, opened, request }: LogTrail,
): readonly Finding[] {
  const current = versions.at(-1);
  const declared = boundary.publicForm.surfaces.map(({ id, role }) => ({ id, role }));
  if (current === undefined || current.entry.digest !== boundary.digest || current.entry.version !== boundary.version)
    return [fail("the attested version of the inventory is not in the log, or a later one is")];
  if (versions.some(({ entry }) => entry.boundary !== boundary.id))
    return [fail("a logged version is of another inventory")];
  if (canonicalJson(current.entry.surfaces) !== canonicalJson(declared))
    return [fail("the logged version does not have the attested data locations")];
  if (current.index >= request.index) return [fail("the inventory was used before it was logged")];

  const findings: Finding[] = [];
  const since = seconds(opened.entry.at) - WINDOW_SECONDS;
  const isConsecutive = versions.every(
    ({ entry }, i) => i === 0 || entry.version === (versions[i - 1]?.entry.version ?? 0) + 1,
  );
  const first = versions[0]?.entry ?? current.entry;
  if (!isConsecutive || (first.version !== 1 && seconds(first.at) > since))
    findings.push(warn("the inventory's versions of the last 90 days are not all disclosed"));
  const known = new Set(declared.map(({ id }) => id));
  const gone = new Set(
    versions.flatMap(({ entry }) => entry.surfaces.map(({ id }) => id)).filter((id) => !known.has(id)),
  );
  for (const surface of [...gone].toSorted(compareUtf8))
    findings.push({ ...warn("a data location was dropped from the inventory before the request"), surface });
  return findings.length > 0 ? findings : [pass("no data location was dropped in the 90 days before the request")];
}
