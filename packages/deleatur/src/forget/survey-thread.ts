// Has a thread of its own look at the artifacts that a survey lays, while the caller reads on. It must not be needed: what it has no room for the caller looks at, and where it dies the survey is made again.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Artifact, ContentField } from "../model/artifact.ts";
import type { SurfaceRole } from "../model/declaration.ts";
import type { SurfaceId } from "../model/ids.ts";
import { type LaidArtifacts, layArtifacts, type Layer } from "./laid-artifacts.ts";

/** What the thread is given. */
export interface SurveyOnThread {
  /** What the ledger's key makes of the domains that a look needs; the key itself stays. */
  readonly secrets: ReadonlyMap<string, Uint8Array>;
  readonly roles: ReadonlyMap<SurfaceId, SurfaceRole>;
  /** A table of digests. */
  readonly closures: Uint8Array;
  readonly marks: ReadonlySet<number>;
  readonly runs: ReadonlySet<number>;
}

/** What it says: that a part is done, and at last what all of them came to. */
export type ToldOfSurvey = "taken" | SeenOnThread;

export interface SeenOnThread {
  readonly baseline: Uint8Array;
  readonly isChanged: boolean;
  readonly sharedRuns: ReadonlySet<number>;
  /** Fields of others that look as if they were wanted. */
  readonly met: readonly ContentField[];
}

export interface SurveyThread {
  /** False where it has no room: then the caller looks itself. What it takes must name nobody whom the survey is for. */
  take(artifact: Artifact): boolean;
  /** Nothing more comes. Undefined where the thread has died: what it had is lost. */
  end(): Promise<SeenOnThread | undefined>;
}

const PROGRAM = new URL("./survey-on-thread.js", import.meta.url);

/** Parts that wait for it at most, a quarter of a megabyte each. */
const MOST_WAITING = 24;
/** What it holds are the artifacts of one part, and a table. */
const YOUNG_MB = 8;

/** Whether a thread can be had that spares the caller something: only a build has its program, and a machine of one core nothing to spare. */
export function canSurveyOnThread(): boolean {
  return import.meta.url.endsWith(".js") && availableParallelism() > 1;
}

/** It is started with the first part: for less it would take longer to begin than to look. A process that ends does not wait for it. */
export function openSurveyThread(order: () => SurveyOnThread, program: URL = PROGRAM): SurveyThread {
  let layer: Layer | undefined;
  let surface: SurfaceId | undefined;
  let thread: Worker | undefined;
  let isLost = false;
  let waiting = 0;
  let answer: ((seen: SeenOnThread | undefined) => void) | undefined;
  const lose = (): void => {
    isLost = true;
    answer?.(undefined);
  };
  const start = (): void => {
    try {
      thread = new Worker(program, { workerData: order(), resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
      thread.unref();
      thread.on("message", (told: ToldOfSurvey) => {
        if (told === "taken") waiting -= 1;
        else answer?.(told);
      });
      thread.on("error", lose);
      thread.on("exit", lose);
    } catch {
      lose();
    }
  };
  const send = (part: LaidArtifacts | undefined): void => {
    if (thread === undefined && !isLost) start();
    waiting += 1;
    thread?.postMessage(part, part === undefined ? [] : [part.bytes.buffer, part.shapes.buffer]);
  };
  const flush = (): void => {
    if (layer?.isEmpty === false) send(layer.take());
  };
  return {
    take(artifact) {
      if (waiting >= MOST_WAITING || isLost) return false;
      if (artifact.surface !== surface) {
        flush();
        surface = artifact.surface;
        layer = layArtifacts(surface);
      }
      layer?.add(artifact);
      if (layer?.isFull === true) flush();
      return true;
    },
    async end() {
      flush();
      if (isLost) return undefined;
      if (thread === undefined) return { baseline: new Uint8Array(), isChanged: false, sharedRuns: new Set(), met: [] };
      thread.ref();
      const seen = await new Promise<SeenOnThread | undefined>((done) => {
        answer = done;
        send(undefined);
      });
      thread.unref();
      return seen;
    },
  };
}
