// The door of the SDK: a write is an intent in the ledger first, then the application's own write, then a commit (DESIGN §3.3).
import type { Engine } from "../engine.ts";
import { LedgerError, StoreError, WriteRefusedError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import { utcTime } from "../model/utc-time.ts";
import { refuseUndeclaredTypes } from "../model/identifier-types.ts";
import { artifactId } from "../model/ids.ts";
import type { Artifact } from "../model/artifact.ts";
import type { PreparedWrite } from "./given-write.ts";
import { contentDigests, guardWrite, tagOf } from "./guard.ts";
import { type Held, heldDigest, holdWrites } from "./hold-write.ts";
import { markStores } from "./mark-stores.ts";
import { isAsOffered, isSomebodyElses, readThere } from "./what-stands.ts";
import { currentWriter } from "../ledger/process-identity.ts";

/** How long a writer may take between `begin` and `commit` before it is looked for in the store, in ms. */
const LEASE_MS = 60_000;

/**
 * Runs the application's write for a batch of artifacts under one intent each: all are committed or none.
 * Content of somebody forgotten that is not about them is held: the application's write is not run, or undone.
 * @throws UsageError IDENTIFIER_TYPE_UNKNOWN, before anything is written. WriteRefusedError FENCED, ERASED_SOURCE or DENYLISTED; whatever was written is undone first. LedgerError, ROLLED_BACK and ANCHOR_LOST among them: at the begin nothing was written; at the
 * commit the write stands and is announced, and `endUnfinished` commits it. StoreError: what was to be undone stands and is announced, and `endUnfinished` undoes it
 */
export async function writeUnderIntent<Result>(
  engine: Engine,
  writes: readonly PreparedWrite[],
  write: () => Result | Promise<Result>,
  signal: AbortSignal,
): Promise<Result | Held> {
  for (const { ref, subjects } of writes) {
    engine.bound(ref.surface);
    refuseUndeclaredTypes(
      engine.boundary.identifiers,
      subjects.map(({ type }) => type),
    );
  }
  refuseUnsound(engine);
  if (engine.ledger.noteWriting()) refuseUnsound(engine);
  await endUnfinished(engine);
  const offered = askGuard(engine, writes);
  if (offered.held.length > 0) return holdWrites(engine, offered.held);
  await markStores(
    engine,
    writes.map(({ ref }) => ref.surface),
    signal,
  );
  const intents = engine.ledger.beginIntents(
    writes.map(({ ref, subjects, sources, content }) => {
      const [first] = contentDigests(engine.ledger, content);
      return {
        ref,
        subjects,
        sources,
        leaseMs: LEASE_MS,
        isKeyReusable: engine.bound(ref.surface).declaration.keys === "reusable",
        ...(first === undefined ? {} : { contentDigest: first.digest }),
      };
    }),
    currentWriter(),
  );
  try {
    // Asked once more: a whole request may have come and gone between the first question and the intent.
    const { held } = askGuard(engine, writes);
    if (held.length > 0) {
      engine.ledger.abortIntents(intents);
      return holdWrites(engine, held);
    }
  } catch (error) {
    engine.ledger.abortIntents(intents);
    throw error;
  }
  let result: Result;
  try {
    result = await write();
  } catch (error) {
    // The application's write failed: whether it left something is for the store to say, not for the exception.
    await abandon(engine, { writes, intents });
    throw error;
  }
  const held = await finish(engine, { writes, intents });
  return held ?? result;
}

/** Writes that may stand in their store, under the intents that announce them. */
interface Announced {
  readonly writes: readonly PreparedWrite[];
  readonly intents: readonly string[];
}

/** What the ledger or a store could not take, to be tried again: announced still, so nothing of it is lost. */
const unfinished = new WeakMap<Engine, (() => Promise<unknown>)[]>();

function keep(engine: Engine, retries: readonly (() => Promise<unknown>)[]): void {
  unfinished.set(engine, [...(unfinished.get(engine) ?? []), ...retries]);
}

/** What was written is ended, or undone, whether or not its caller still waits: the caller's signal ends the application's write alone. */
const NEVER = new AbortController().signal;

interface Committed {
  readonly held: readonly PreparedWrite[];
  readonly released: readonly PreparedWrite[];
}

/** @throws WriteRefusedError after the writes were undone; LedgerError, and StoreError where they could not be: then they are tried again */
async function finish(engine: Engine, order: Announced): Promise<Held | undefined> {
  let held: readonly PreparedWrite[];
  let released: readonly PreparedWrite[];
  try {
    ({ held, released } = commit(engine, order));
  } catch (error) {
    if (error instanceof WriteRefusedError) await undo(engine, order);
    else if (error instanceof LedgerError) keep(engine, [() => finish(engine, order)]);
    throw error;
  }
  if (held.length === 0) {
    await keepReleased(engine, released);
    return undefined;
  }
  try {
    // Listed and logged first: whether it can be undone is for the store to say.
    return holdWrites(engine, held);
  } finally {
    await undo(engine, order);
  }
}

/** A person said that these may stand: no look asks about them again, as long as they say what was offered. */
async function keepReleased(engine: Engine, released: readonly PreparedWrite[]): Promise<void> {
  const { ledger } = engine;
  const offered = new Map(released.map((write) => [artifactId(write.ref), write]));
  const refs = released.map(({ ref }) => ref);
  try {
    for await (const there of readThere(engine, refs, NEVER)) {
      const write = offered.get(artifactId(there));
      if (write !== undefined && isAsOffered(ledger, there, write)) ledger.keepLikeness(there, tagOf(ledger, there));
    }
  } catch (error) {
    // Written and committed: what cannot be read back or noted now costs one more question.
    if (!(error instanceof StoreError || error instanceof LedgerError)) throw error;
  }
}

/** The writes that are held; where there are none, all were committed, those that a review had released too. @throws WriteRefusedError, LedgerError */
function commit(engine: Engine, { writes, intents }: Announced): Committed {
  // Asked again: an entry may have been made while the application wrote. The fence stands before any entry is made and outlives its
  // making, so whoever passes here and is committed under no fence was not on the list.
  const { held, allowances } = askGuard(engine, writes);
  if (held.length > 0) return { held, released: [] };
  try {
    // A commit alone need not be waited for until it is on the disk; the use of an allowance must not be lost.
    if (allowances.length === 0) engine.ledger.commitIntents(intents);
    else {
      engine.ledger.transaction(() => {
        engine.ledger.commitIntents(intents);
        for (const { digest, write } of allowances)
          if (!engine.ledger.useAllowance(digest)) throw new AllowanceUsedError(write);
      });
    }
    return { held, released: allowances.map(({ write }) => write) };
  } catch (error) {
    if (error instanceof AllowanceUsedError) return { held: [error.write], released: [] };
    throw error;
  }
}

/** Ends what could not be ended before: before the next write or forget, and at close. @throws LedgerError where it still cannot: then nothing new is written either */
export async function endUnfinished(engine: Engine): Promise<void> {
  const others = unfinished.get(engine) ?? [];
  unfinished.delete(engine);
  for (const [at, retry] of others.entries()) {
    try {
      await retry();
    } catch (error) {
      // Undone, and its caller was told of a failure when it was; or a store is still out of reach, which hinders no write to another one.
      if (error instanceof WriteRefusedError || error instanceof StoreError) continue;
      keep(engine, others.slice(at + 1));
      throw error;
    }
  }
}

/** What a ledger that was set back knows is not all that was erased: until a replay no write passes its guard (GUARD-5). @throws LedgerError */
function refuseUnsound({ ledger }: Engine): void {
  // It may be back: an anchor that is only out of reach for a while needs no restart.
  let state = ledger.anchorState();
  if (state.is === "lost") {
    ledger.flushAnchor();
    state = ledger.anchorState();
  }
  if (state.is === "rolled-back")
    throw new LedgerError("ROLLED_BACK", "the ledger was set back to the past, no write is let in before a replay", {
      place: { file: ledger.file },
      cure: "run `deleatur replay --all`: it erases again what a restore brought back",
    });
  if (state.is === "lost")
    throw new LedgerError("ANCHOR_LOST", `the anchor cannot be compared with: ${state.why}; no write is let in`, {
      place: { file: ledger.file },
      cure: "put the anchor's file back where connect.anchor names it, or begin another with `deleatur replay --all --new-anchor`",
    });
}

interface Guarded {
  readonly held: readonly PreparedWrite[];
  /** Writes that a review released, with their digests; each release lets one write in. */
  readonly allowances: readonly { readonly digest: Uint8Array; readonly write: PreparedWrite }[];
}

/** Another writer used the release between our question and our commit: it rolls the commit back and never leaves this file. */
class AllowanceUsedError extends Error {
  readonly write: PreparedWrite;

  constructor(write: PreparedWrite) {
    super("the release of a held write was used by another writer");
    this.write = write;
  }
}

/** @throws WriteRefusedError DENYLISTED */
function askGuard(engine: Engine, writes: readonly PreparedWrite[]): Guarded {
  const held: PreparedWrite[] = [];
  const allowances: { digest: Uint8Array; write: PreparedWrite }[] = [];
  for (const write of writes) {
    const answer = guardWrite(engine.ledger, write);
    if (answer.answer === "pass") continue;
    if (answer.answer === "refuse") refuse(engine, write, answer.by);
    const digest = heldDigest(engine.ledger, write);
    if (engine.ledger.isAllowed(digest)) allowances.push({ digest, write });
    else held.push(write);
  }
  return { held, allowances };
}

function refuse(engine: Engine, write: PreparedWrite, by: string): never {
  engine.ledger.append({
    type: "violation",
    at: utcTime(engine.clock()),
    code: "DENYLISTED",
    surface: write.ref.surface,
  });
  throw new WriteRefusedError(
    "DENYLISTED",
    `a write to ${write.ref.surface} was refused: it is on the do-not-store list (${by})`,
    {
      place: { surface: write.ref.surface },
      cure: "do not retry; after a lawful return use `deleatur lift`",
    },
  );
}

/**
 * After a failed write: an artifact that is not there, or is somebody else's, ends its intent. One that is there as it was offered was written all the same, and is committed or undone like
 * any other; anything else under its key joins the lineage. The caller is told of its own failure.
 */
async function abandon(engine: Engine, order: Announced): Promise<void> {
  const offered: PreparedWrite[] = [];
  const intents: string[] = [];
  try {
    const there = new Map<string, Artifact>();
    const refs = order.writes.map(({ ref }) => ref);
    for await (const artifact of readThere(engine, refs, NEVER)) there.set(artifactId(artifact), artifact);
    const others: { readonly id: string; readonly how: "joined" | "aborted" }[] = [];
    for (const [at, id] of order.intents.entries()) {
      const write = order.writes[at];
      const standing = write === undefined ? undefined : there.get(artifactId(write.ref));
      if (write === undefined || standing === undefined || isSomebodyElses(standing, write))
        others.push({ id, how: "aborted" });
      else if (!isAsOffered(engine.ledger, standing, write) || isKept(engine, write))
        others.push({ id, how: "joined" });
      else {
        offered.push(write);
        intents.push(id);
      }
    }
    engine.ledger.resolveIntents(others);
  } catch (error) {
    keep(engine, [() => abandon(engine, order)]);
    throw error;
  }
  if (offered.length === 0) return;
  try {
    await finish(engine, { writes: offered, intents });
  } catch (error) {
    // Undone, and logged.
    if (!(error instanceof WriteRefusedError)) throw error;
  }
}

/** Under a ground: it stood there before. */
function isKept({ ledger }: Engine, { ref }: PreparedWrite): boolean {
  return ledger.artifact(ref)?.state === "kept";
}

/** What could not be undone stays an open intent, and is tried again. */
async function undo(engine: Engine, order: Announced): Promise<void> {
  const again = (): Promise<void> => undo(engine, order);
  try {
    if (await eraseWritten(engine, order.writes)) engine.ledger.abortIntents(order.intents);
    else keep(engine, [again]);
  } catch (error) {
    keep(engine, [again]);
    throw error;
  }
}

/** Whether each store says that all are gone. */
async function eraseWritten(engine: Engine, writes: readonly PreparedWrite[]): Promise<boolean> {
  for (const [id, refs] of groupBy(
    writes.map(({ ref }) => ref),
    (ref) => ref.surface,
  )) {
    const surface = await engine.open(id);
    const keys = refs.map(({ key }) => key);
    const erased = await surface.erase(keys, NEVER);
    if (erased.length < keys.length || erased.some(({ outcome }) => outcome === "failed")) return false;
  }
  return true;
}
