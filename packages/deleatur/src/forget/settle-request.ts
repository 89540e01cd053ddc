// Settles a request after its attestation: writes the receipt's file, ends the fence where nothing more is to come, closes what is done.
import { mkdirSync, openSync, closeSync, fsyncSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { whereItIsFull } from "../disk-room.ts";
import type { Reason } from "../attest/judgement.ts";
import type { Engine } from "../engine.ts";
import { sealedValue, type SealedValue } from "../ledger/sealed-value.ts";
import { LedgerError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import type { PurgedRound } from "./conclude-requests.ts";
import type { RequestOutcome } from "./outcome.ts";
import { lowerFence } from "./raise-fence.ts";
import type { RecordedSummary } from "./recorded-outcome.ts";
import { endRound } from "./step-journal.ts";
import { utcTime } from "../model/utc-time.ts";

const WAITING_EXIT = 22;
const NOTHING_HELD = { traces: [], unreached: [] } as const;

/** Seals an outcome and its receipt in the caller's transaction. */
export function sealOutcome(
  engine: Engine,
  { id, round }: PurgedRound,
  outcome: RequestOutcome,
  receipt: Uint8Array | undefined,
): RequestOutcome {
  const sealed = receipt === undefined ? outcome : { ...outcome, receipt: receiptPath(engine, id, round) };
  if (receipt !== undefined) engine.ledger.putSealed(id, `receipt/${round}`, receipt);
  outcomeOf(round).put(engine.ledger, id, sealed);
  return sealed;
}

/** The outcome of a round that was attested before a crash; its dates are text. */
export function openSealedOutcome(engine: Engine, id: RequestId, round: number): RequestOutcome | undefined {
  return outcomeOf(round).open(engine.ledger, id);
}

function outcomeOf(round: number): SealedValue<RequestOutcome> {
  return sealedValue(`outcome/${round}`);
}

/** As it may stand in the ledger, in clear. */
function asKept({ signedAs, ...reason }: Reason): Reason {
  return signedAs === undefined ? reason : { ...reason, surface: signedAs };
}

export async function settleRequest(
  engine: Engine,
  { id, round, options }: Pick<PurgedRound, "id" | "round" | "options">,
  outcome: RequestOutcome,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const { ledger } = engine;
  const receipt = ledger.getSealed(id, `receipt/${round}`);
  // A checkpoint that somebody holds must be one that the anchor knows.
  ledger.flushAnchor(options.isReplay);
  const { kind } = outcome.attestation;
  if ((kind === "erasure" || kind === "tombstone") && ledger.anchorState().is === "lost")
    throw new LedgerError("ANCHOR_LOST", "the anchor was lost while the request ran, its receipt is not handed out", {
      place: { request: id },
      cure: "see `deleatur check`; when the anchor is back, run `deleatur forget --resume`",
    });
  if (receipt !== undefined && outcome.receipt !== undefined) writeReceipt(outcome.receipt, receipt, id);
  const summary: RecordedSummary = {
    reasons: outcome.reasons.map(asKept),
    attestation: outcome.attestation,
    suspects: outcome.suspects,
    surfaces: outcome.surfaces,
    bystanders: outcome.bystanders,
    exitCode: outcome.exitCode,
  };
  const { attestation } = outcome;
  ledger.updateRequest(id, {
    ...(outcome.state === "closed" ? { state: "confirming" as const } : { state: outcome.state }),
    why: outcome.why ?? null,
    until: outcome.until ?? null,
    verdict: outcome.verdict ?? null,
    reasons: summary,
    attestation: attestation.kind === "none" ? null : attestation.kind,
    ...(outcome.receipt === undefined ? {} : { receipt: outcome.receipt }),
  });
  // A refusal keeps the fence: what is left must not grow while somebody mends it. So does what a ground keeps: it stays, fenced, until released.
  const isKept = outcome.state !== "closed" && outcome.surfaces.some(({ kept }) => kept > 0);
  const lowered = outcome.state === "stuck" || isKept ? NOTHING_HELD : await lowerFence(engine, id, signal);
  // A store out of reach is uncovered and keeps its request open; where the request would close, it is only busy.
  const isBusy = outcome.state === "closed" && lowered.unreached.length > 0;
  if (lowered.traces.length > 0 || isBusy) {
    // Signed as it was; but the fence itself named the person in these stores, and a reader keeps that from going. Resumed, it is tried again.
    ledger.updateRequest(id, { state: "waiting", why: "reader" });
    const surfaces = outcome.surfaces.map((one): RequestOutcome["surfaces"][number] => {
      const held = lowered.unreached.filter(({ surface }) => surface === one.surface).map(({ why }) => why);
      return held.length === 0 ? one : { ...one, troubles: [...(one.troubles ?? []), ...held] };
    });
    return { ...outcome, surfaces, state: "waiting", why: "reader", exitCode: WAITING_EXIT };
  }
  // In one transaction: a round that ended without its request being closed would be followed by another.
  ledger.transaction(() => {
    endRound(engine, id, round);
    if (outcome.state !== "closed") return;
    ledger.append({ type: "request-closed", at: utcTime(engine.clock()), request: id });
    ledger.closeRequest(id);
  });
  return outcome;
}

/** `receipts/` beside the ledger; a later round's receipt stands beside the earlier one. */
function receiptPath(engine: Engine, id: RequestId, round: number): string {
  const name = round === 1 ? id : `${id}-${round}`;
  return join(dirname(engine.ledger.file), "receipts", `${name}.deleatur.json`);
}

/** Signed and sealed it stands in the ledger: resumed, the request writes its file again. @throws LedgerError RECEIPT_UNWRITTEN */
function writeReceipt(path: string, bytes: Uint8Array, request: RequestId): void {
  try {
    writeDurably(path, bytes);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    const cure = "mend that, then run `deleatur forget --resume`";
    throw new LedgerError(
      "RECEIPT_UNWRITTEN",
      `the receipt cannot be written to ${path} (${code})${whereItIsFull(path)}, ${cure}`,
      { place: { file: path, request }, cure, cause },
    );
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w", 0o600);
  try {
    // A disk that is nearly full takes a part, and says so in the count alone.
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
