// `review`: suspects of a request, kept as lawful or erased by a named role with a reason code (DESIGN §6). Decisions are logged and counted.
import { openReviews, openSuspects, putReviews } from "../examine/suspects.ts";
import type { Suspect } from "../examine/grade-findings.ts";
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { artifactKey, requestId, surfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";

export interface ReviewDecision {
  readonly suspect: string;
  readonly decision: "kept" | "erased";
  /** Who decides, by role, e.g. `privacy-officer`; never a person's name. */
  readonly role: string;
  /** A reason code, e.g. `LEGITIMATE_INTEREST`. */
  readonly reason: string;
}

/** Open suspects, the most alike first. */
export function listSuspects(engine: Engine, request: string): readonly Suspect[] {
  const id = requestId(request);
  const reviewed = openReviews(engine, id);
  return openSuspects(engine, id).filter((suspect) => !reviewed.has(suspect.id));
}

/** Takes a decision; `erased` confirms an edge from the suspect to what it is like, so that `--resume` erases or rewrites it by its surface's policy. */
export function decideSuspect(engine: Engine, request: string, decision: ReviewDecision): void {
  const id = requestId(request);
  const suspect = openSuspects(engine, id).find((one) => one.id === decision.suspect);
  if (suspect === undefined) {
    throw new UsageError("SUSPECT_UNKNOWN", "the request has no such suspect, see `deleatur review`", {
      place: { request },
    });
  }
  const { ledger } = engine;
  ledger.transaction(() => {
    if (decision.decision === "erased") {
      if (suspect.surface === undefined || suspect.key === undefined) {
        throw new UsageError("SUSPECT_UNDECLARED", "the suspect lies in a container that no surface declares", {
          cure: "declare the container first, then resume the request",
        });
      }
      const derived = { surface: surfaceId(suspect.surface), key: artifactKey(suspect.key) };
      const source = { surface: surfaceId(suspect.likeTo.surface), key: artifactKey(suspect.likeTo.key) };
      ledger.recordArtifacts([{ ref: derived, subjects: [], sources: [source], origin: "inferred" }]);
      ledger.confirmEdge(derived, source);
      ledger.append({
        type: "edge-confirmed",
        at: utcTime(engine.clock()),
        derivedSurface: derived.surface,
        sourceSurface: source.surface,
        role: decision.role,
      });
    }
    putReviews(engine, id, new Set([...openReviews(engine, id), suspect.id]));
    ledger.append({ type: "review-decided", at: utcTime(engine.clock()), request: id, ...decision });
  });
}
