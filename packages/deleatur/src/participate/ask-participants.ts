// Asks the processes that hold a surface in their memory, through the ledger. It waits a bounded time, and takes a silent process for neither dead nor done.
import { setTimeout as sleep } from "node:timers/promises";
import { makeExchangePair, sealTo, unsealFrom } from "../ledger/exchange-seal.ts";
import type { LedgerKeys } from "../ledger/keys.ts";
import { currentWriter } from "../ledger/process-identity.ts";
import type { Participant, Participants } from "../ledger/participants.ts";
import { StoreError } from "../model/errors.ts";
import type { SurfaceId } from "../model/ids.ts";
import {
  type AnswerEnd,
  answerPlace,
  decodePart,
  type EncodedArtifact,
  encodeMessage,
  type OrderBody,
  orderPlace,
} from "./messages.ts";

export interface AskDesk {
  readonly ledger: Participants;
  readonly keys: LedgerKeys;
  readonly random: (bytes: number) => Uint8Array;
  /** How long a process may be silent, in ms. */
  readonly answerMs: number;
}

/** `gone`: its process died, or it let go of everything and left, while it was asked. */
export type Answer =
  | {
      readonly from: Participant;
      readonly state: "answered";
      readonly end: AnswerEnd;
      readonly entries: readonly EncodedArtifact[];
    }
  | { readonly from: Participant; readonly state: "gone" | "silent" };

const FIRST_LOOK_MS = 5;
const LOOK_MS = 40;
const ALIVE_MS = 250;

/** Asks every process that is not known dead, all at once. */
export function askAll(
  desk: AskDesk,
  surface: SurfaceId,
  body: OrderBody,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  return Promise.all(desk.ledger.participants(surface).map((one) => ask(desk, one, body, signal)));
}

async function ask(desk: AskDesk, from: Participant, body: OrderBody, signal: AbortSignal): Promise<Answer> {
  const { ledger, keys, random, answerMs } = desk;
  // Made for this order alone: what is answered opens with nothing that is ever written down.
  const pair = makeExchangePair();
  const replyTo = Buffer.from(pair.publicKey).toString("base64");
  const order = ledger.placeOrder(from.id, currentWriter(), (id) =>
    sealTo(keys, from.exchange, orderPlace(id), encodeMessage({ body, replyTo }), random),
  );
  const entries: EncodedArtifact[] = [];
  try {
    let heard = performance.now();
    let asked = heard;
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(LOOK_MS, wait * 2)) {
      const parts = ledger.takeAnswers(order);
      if (parts.length > 0) heard = performance.now();
      for (const { part, sealed } of parts) {
        const message = decodePart(unsealFrom(keys, pair, answerPlace(order, part), sealed));
        if ("end" in message) return { from, state: "answered", end: message.end, entries };
        entries.push(...message.entries);
      }
      const now = performance.now();
      if (now - asked > ALIVE_MS || now - heard > answerMs) {
        asked = now;
        if (!ledger.participants(from.surface).some(({ id }) => id === from.id)) return { from, state: "gone" };
      }
      if (now - heard > answerMs) return { from, state: "silent" };
      await sleep(wait, undefined, { signal });
    }
  } finally {
    ledger.dropOrder(order);
  }
}

export function silentError(surface: SurfaceId): StoreError {
  return new StoreError("PARTICIPANT_SILENT", `a process that holds ${surface} in its memory does not answer`, {
    place: { surface },
    cure: "let it run, or end it, then resume the request",
  });
}
