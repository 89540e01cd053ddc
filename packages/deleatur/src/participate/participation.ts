// A way to the processes that hold one surface: what an adapter is handed to look with or to act with. Hands and each look have one of their own.
import { canaryMemory } from "./canary-memory.ts";
import { connectParticipants } from "../ledger/participants-connection.ts";
import { StoreError } from "../model/errors.ts";
import { artifactKey, type ArtifactKey, type SurfaceId } from "../model/ids.ts";
import type { Participation } from "../surface.ts";
import { type AskDesk, askAll, silentError } from "./ask-participants.ts";
import { holdLease, type Lease, type LeaseParts } from "./hold-lease.ts";
import { holdMemory } from "./hold-memory.ts";
import { decodeArtifact } from "./messages.ts";

/** How long a process may be silent before it is waited for no longer in this run, in ms. */
export const ANSWER_MS = 5_000;
const CANARY_POLL_MS = 10;

/** Connects when it is first asked. */
export function openParticipation(parts: LeaseParts, surface: SurfaceId, answerMs: number): Participation {
  const { ledger: own, clock, random } = parts;
  let connected: ReturnType<typeof connectParticipants> | undefined;
  /** By the key of the canary that each holds. */
  const staged = new Map<ArtifactKey, Lease>();
  const desk = (): AskDesk => {
    connected ??= connectParticipants(own.file, own.keys, clock, random);
    return { ledger: connected, keys: own.keys, random, answerMs };
  };
  return {
    hasAny: () => desk().ledger.hasParticipated(surface),
    async list(keys, asLook, signal) {
      const body = { act: "list", asLook, ...(keys === undefined ? {} : { keys }) } as const;
      const answers = await askAll(desk(), surface, body, signal);
      return answers.flatMap((answer) => {
        if (answer.state === "silent") throw silentError(surface);
        if (answer.state !== "answered") return [];
        if (answer.end.blind !== undefined) throw blindError(surface, answer.end.blind);
        return [answer.entries.map((entry) => decodeArtifact(surface, entry))];
      });
    },
    async evict(keys, signal) {
      const answers = await askAll(desk(), surface, { act: "evict", keys }, signal);
      const left = new Map<ArtifactKey, string>();
      for (const answer of answers) {
        if (answer.state === "silent") for (const key of keys) left.set(key, "PARTICIPANT_SILENT");
        else if (answer.state === "answered") for (const [key, why] of answer.end.left) left.set(artifactKey(key), why);
      }
      for (const [key, lease] of staged) {
        if (!keys.includes(key) || left.has(key)) continue;
        await lease.end();
        staged.delete(key);
      }
      return left;
    },
    stage(canary) {
      const memory = holdMemory(surface, canaryMemory(canary), parts.boundary.identifiers);
      staged.set(canary.key, holdLease(parts, surface, memory, "control", { pollMs: CANARY_POLL_MS }));
    },
    close() {
      for (const lease of staged.values()) lease.stop();
      connected?.close();
      connected = undefined;
    },
  };
}

function blindError(surface: SurfaceId, why: string): StoreError {
  return new StoreError("PARTICIPANT_BLIND", `a process that holds ${surface} cannot show what it holds (${why})`, {
    place: { surface },
    cure: "mend `entries` of the participant, and give it `put`, so that an empty memory can be shown to list",
  });
}
