// Answers the orders that stand in the ledger for one participant, one after the other. It must not keep an order, nor answer one that nobody waits for.
import { setTimeout as sleep } from "node:timers/promises";
import { type ExchangePair, sealTo, unsealFrom } from "../ledger/exchange-seal.ts";
import type { LedgerKeys } from "../ledger/keys.ts";
import type { Participants } from "../ledger/participants.ts";
import type { HeldMemory } from "./hold-memory.ts";
import {
  type AnswerEnd,
  answerPlace,
  type AnswerPart,
  decodeOrder,
  encodeArtifact,
  type EncodedArtifact,
  encodeMessage,
  isAsked,
  type OrderBody,
  orderPlace,
} from "./messages.ts";

export interface AnswerDesk {
  readonly ledger: Participants & { readonly keys: LedgerKeys };
  readonly random: (bytes: number) => Uint8Array;
  readonly memory: HeldMemory;
  readonly exchange: ExchangePair;
}

/** A part holds at least one entry and at most about so many characters of JSON. */
const PART_CHARS = 256 * 1024;
/** Parts that may wait for their asker: the ledger is no store for what is in memory. */
const MAX_WAITING = 16;
const BACKLOG_MS = 20;

/** Answers what stands there. `answered` are orders that have their answer and wait to be taken. */
export async function answerOrders(
  desk: AnswerDesk,
  participant: string,
  answered: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const { ledger } = desk;
  for (const id of answered) if (!ledger.orderState(id).isWanted) answered.delete(id);
  for (;;) {
    signal.throwIfAborted();
    const order = ledger.nextOrder(participant, answered);
    if (order === undefined) return;
    answered.add(order.id);
    const bytes = unsealFrom(ledger.keys, desk.exchange, orderPlace(order.id), order.sealed);
    const { body, replyTo } = decodeOrder(bytes);
    await answer(desk, order.id, body, new Uint8Array(Buffer.from(replyTo, "base64")), signal);
  }
}

async function answer(
  desk: AnswerDesk,
  order: string,
  body: OrderBody,
  replyTo: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, memory, random } = desk;
  let part = 0;
  const put = async (message: AnswerPart): Promise<boolean> => {
    for (;;) {
      const { isWanted, waiting } = ledger.orderState(order);
      if (!isWanted) return false;
      if (waiting < MAX_WAITING) break;
      await sleep(BACKLOG_MS, undefined, { signal, ref: false });
    }
    ledger.putAnswer(
      order,
      part,
      sealTo(ledger.keys, replyTo, answerPlace(order, part), encodeMessage(message), random),
    );
    part += 1;
    return true;
  };
  const finish = (end: AnswerEnd): Promise<boolean> => put({ end });

  switch (body.act) {
    case "call":
      await finish({ left: [] });
      return;
    case "evict":
      await finish({ left: await memory.letGo(body.keys, signal) });
      return;
    case "list": {
      const keys = body.keys === undefined ? undefined : new Set(body.keys);
      const { artifacts, blind } = await memory.look(body.asLook, random, signal);
      for (const entries of inParts(artifacts.filter(({ key }) => isAsked(key, keys)).map(encodeArtifact)))
        if (!(await put({ entries }))) return;
      await finish({ left: [], ...(blind === undefined ? {} : { blind }) });
      return;
    }
    default:
      body satisfies never;
  }
}

function* inParts(entries: readonly EncodedArtifact[]): Generator<readonly EncodedArtifact[]> {
  let part: EncodedArtifact[] = [];
  let size = 0;
  for (const entry of entries) {
    const chars = JSON.stringify(entry).length;
    if (part.length > 0 && size + chars > PART_CHARS) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(entry);
    size += chars;
  }
  if (part.length > 0) yield part;
}
