// What the kind `in-process` is opened with: which surface, and the way to the processes that hold it.
import type { SurfaceId } from "../../model/ids.ts";
import type { Participation, SurfaceEntry } from "../../surface.ts";

export interface InProcessOptions {
  readonly surface: SurfaceId;
  readonly participation: () => Participation;
}

export function parseInProcess({ declaration, participation }: SurfaceEntry): InProcessOptions {
  return { surface: declaration.id, participation };
}
