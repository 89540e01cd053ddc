// What a survey makes of the artifacts that a reading meets: the baseline, what others have too, and whether the closures are as they were read. It opens nothing and asks no ledger, so that a thread can have it.
import { digestOfField } from "../attest/field-digest.ts";
import type { ArtifactDigester } from "../examine/artifact-digests.ts";
import { type Baseline, openBaseline } from "../examine/baseline.ts";
import type { DigestTable } from "../examine/digest-table.ts";
import type { Artifact } from "../model/artifact.ts";
import type { Comparison } from "./wanted-content.ts";

export interface SurveySight {
  /** Of all that was seen. */
  readonly baseline: Baseline;
  /** Whether an artifact of a closure says something else than what was read of it. */
  readonly isChanged: boolean;
  see(artifact: Artifact): void;
}

/** @param closures digests of what is in a closure: it is a bystander to nobody, and no other's content */
export function openSight(digester: ArtifactDigester, closures: DigestTable, compare: Comparison): SurveySight {
  const baseline = openBaseline();
  let isChanged = false;
  return {
    baseline,
    get isChanged() {
      return isChanged;
    },
    see(artifact) {
      const fields = artifact.content.map(digestOfField);
      const digests = digester.digest(artifact, fields);
      baseline.add(digests);
      const before = closures.compare(digests.words);
      if (before === "new") compare(artifact, fields);
      else if (before === "changed") isChanged = true;
    },
  };
}
