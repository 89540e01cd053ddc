// Says what each finding is evidence of: a survivor, a suspect for review, or a control that fired. Pure; whether it leads to a verdict is the judge's to say.
import type { Finding, Needle } from "../model/needle.ts";

/** `none`: the key of an artifact that was rewritten and so may stay. */
export type FindingGrade = "survivor" | "suspect" | "control" | "none";

/** A shared run of this many words is a survivor; a shorter one is a suspect, until calibrated (DESIGN §6). */
const SURVIVOR_WORDS = 8;

/** What surviving content explains never becomes a finding: the needles carry it to the matchers (`explainNeedles`). */
export function gradeFinding(finding: Finding, needle: Pick<Needle, "fate">): FindingGrade {
  if (needle.fate === "control") return "control";
  const { match } = finding;
  switch (match.how) {
    case "key":
      return needle.fate === "rewritten" ? "none" : "survivor";
    case "exact":
    case "bytes":
    case "term":
      return "survivor";
    case "run":
      return match.words >= SURVIVOR_WORDS ? "survivor" : "suspect";
    case "vector":
      return match.identical ? "survivor" : "suspect";
    case "name":
      return match.isNumber ? "suspect" : "survivor";
    default:
      return match satisfies never;
  }
}

export interface ClassifiedFindings {
  readonly survivors: readonly Finding[];
  /** Rarest first: the longest runs, then the nearest vectors. */
  readonly suspects: readonly Finding[];
  /** Indexes of the controls that were found. */
  readonly controls: ReadonlySet<number>;
}

function placeId({ place }: Finding): string {
  return JSON.stringify([place.container, place.surface, place.key, place.file, place.offset]);
}

function likeness({ match }: Finding): number {
  if (match.how === "run") return match.words;
  return match.how === "vector" ? 1 / (1 + match.distance) : 0;
}

/** Parts the findings; a place that holds a survivor is not a suspect as well. */
export function classifyFindings(findings: readonly Finding[], needles: readonly Needle[]): ClassifiedFindings {
  const survivors: Finding[] = [];
  const suspects: Finding[] = [];
  const controls = new Set<number>();
  for (const finding of findings) {
    const needle = needles[finding.needle];
    if (needle === undefined) continue;
    const grade = gradeFinding(finding, needle);
    if (grade === "survivor") survivors.push(finding);
    else if (grade === "suspect") suspects.push(finding);
    else if (grade === "control") controls.add(finding.needle);
  }
  const known = new Set(survivors.map(placeId));
  return {
    survivors,
    suspects: suspects.filter((finding) => !known.has(placeId(finding))).toSorted((a, b) => likeness(b) - likeness(a)),
    controls,
  };
}
