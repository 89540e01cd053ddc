// What a case is: a name, what it holds true, which guarantee forbids to excuse it, and the run. Data; no test runner knows of it.
import type { Guarantees } from "../surface.ts";
import type { Stage } from "./stage.ts";

export interface ConformanceCase {
  readonly name: string;
  readonly says: string;
  /** The guarantee that the case is the proof of: whoever gives it cannot be excused. `how` it ended: it failed, or the bench could not lay it. */
  readonly demandedBy: (guarantees: Guarantees, how: "failed" | "impossible") => string | undefined;
  run(stage: Stage, signal: AbortSignal): Promise<void>;
}

export const byScan = ({ scan }: Guarantees): string | undefined =>
  scan === "complete" ? "scan: complete" : undefined;

/** What can be scanned has containers, unless it lives in processes' memory. */
export const byContainers = ({ scan, deletion }: Guarantees): string | undefined =>
  scan === "complete" && deletion !== "memory" ? `scan: complete, deletion: ${deletion}` : undefined;

export const bySnapshot = ({ snapshot }: Guarantees): string | undefined =>
  snapshot === "yes" ? "snapshot: yes" : undefined;

export const byFileLevel = ({ deletion }: Guarantees): string | undefined =>
  deletion === "file-level" ? "deletion: file-level" : undefined;

export const byStrongFence = ({ fence }: Guarantees): string | undefined =>
  fence === "strong" ? "fence: strong" : undefined;

export const byNeighbours = ({ probes }: Guarantees): string | undefined =>
  probes.includes("neighbour") ? "probes: neighbour" : undefined;

/** May be excused where the bench has no way to lay it, and never where it was laid and failed: that is a wrong answer, whatever the kind promises. */
export const byOutcome = (_: Guarantees, how: "failed" | "impossible"): string | undefined =>
  how === "failed" ? "that no answer says more than is true" : undefined;

/** May be excused with a reason. */
export const byNothing = (): undefined => undefined;
