// `review`: suspects of a request, kept as lawful or erased by a named role with a reason code (DESIGN §6). Decisions are logged and counted.
import { shownContent } from "./find-person.ts";
import { type NamedAct, namedAct } from "./named-act.ts";
import { openReviews, openSuspects, putReviews, recordOf } from "../examine/suspects.ts";
import type { Suspect } from "../examine/grade-findings.ts";
import type { Engine } from "../engine.ts";
import { UsageError } from "../model/errors.ts";
import { artifactKey, type ArtifactRef, requestId, surfaceId } from "../model/ids.ts";
import { utcTime } from "../model/utc-time.ts";

export interface ReviewDecision extends NamedAct {
  readonly suspect: string;
  readonly decision: "kept" | "erased";
}

/** Open suspects, the most alike first. */
export function listSuspects(engine: Engine, request: string): readonly Suspect[] {
  const id = requestId(request);
  const reviewed = openReviews(engine, id);
  return openSuspects(engine, id)
    .filter((suspect) => !reviewed.has(suspect.id))
    .toSorted((a, b) => (b.words ?? 0) - (a.words ?? 0) || (a.distance ?? 0) - (b.distance ?? 0));
}

/** Takes a decision; `erased` confirms an edge from the suspect to what it is like, so that `--resume` erases or rewrites it by its surface's policy. */
export function decideSuspect(engine: Engine, request: string, decision: ReviewDecision): void {
  namedAct(decision);
  const id = requestId(request);
  const suspect = openSuspects(engine, id).find((one) => one.id === decision.suspect);
  if (suspect === undefined) {
    throw new UsageError("SUSPECT_UNKNOWN", "the request has no such suspect, see `deleatur review`", {
      place: { request },
    });
  }
  if (decision.decision === "kept" && suspect.isSurvivor === true) {
    throw new UsageError(
      "SURVIVOR_NOT_KEPT",
      "a survivor cannot be kept by review, only confirmed as derived and erased",
      {
        place: { request },
        cure: "confirm it, or keep it by a hold or an exemption that names its ground",
      },
    );
  }
  const { ledger } = engine;
  const record = recordOf(suspect);
  ledger.transaction(() => {
    if (decision.decision === "erased") {
      if (record === undefined) {
        throw new UsageError("SUSPECT_UNDECLARED", "the suspect is no record that could be erased", {
          cure: "declare its container, or rename or remove the file that it is the name of, then resume the request",
        });
      }
      const { likeTo } = suspect;
      // What an earlier request erased has no record left to derive it from: it joins this request itself.
      if (likeTo === undefined) ledger.putItems(id, [{ ref: record, action: "erase", depth: 0, origins: [] }]);
      else confirmLikeness(engine, record, likeTo, decision);
    } else if (record !== undefined && suspect.tag !== undefined) {
      ledger.keepLikeness(record, Buffer.from(suspect.tag, "hex"));
    }
    putReviews(engine, id, new Set([...openReviews(engine, id), suspect.id]));
    ledger.append({ type: "review-decided", at: utcTime(engine.clock()), request: id, ...decision });
  });
}

function confirmLikeness(
  { ledger, clock }: Engine,
  derived: ArtifactRef,
  likeTo: { readonly surface: string; readonly key: string },
  { role }: ReviewDecision,
): void {
  const source = { surface: surfaceId(likeTo.surface), key: artifactKey(likeTo.key) };
  ledger.recordArtifacts([{ ref: derived, subjects: [], sources: [source], origin: "inferred" }]);
  ledger.confirmEdge(derived, source);
  ledger.append({
    type: "edge-confirmed",
    at: utcTime(clock()),
    derivedSurface: derived.surface,
    sourceSurface: source.surface,
    role,
  });
}

/** What a suspect says, for the person who decides; absent where it lies in no record, or is gone. */
export async function readSuspect(
  engine: Engine,
  { surface, key }: Suspect,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (surface === undefined || key === undefined) return undefined;
  const opened = await engine.open(surfaceId(surface));
  for await (const artifact of opened.read([artifactKey(key)], signal)) return shownContent(artifact);
  return undefined;
}
