// Numbers kept needles and controls as the probes take them.
import type { Artifact } from "../model/artifact.ts";
import type { Needle } from "../model/needle.ts";
import type { KeptNeedle } from "./kept-needles.ts";

/** Needles in order, then controls; a finding names its needle by this position. What is kept by law is not looked for. */
export function toNeedles(kept: readonly KeptNeedle[], controls: readonly Artifact[] = []): readonly Needle[] {
  const needles = kept.flatMap(({ ref, subjects, content, fate }) =>
    fate === "kept" ? [] : [{ ref, subjects, content, fate }],
  );
  const control = controls.map(({ surface, key, subjects, content }) => ({
    ref: { surface, key },
    subjects,
    content,
    fate: "control" as const,
  }));
  return [...needles, ...control].map((needle, index) => ({ ...needle, index }));
}
