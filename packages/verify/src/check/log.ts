// The disclosed log entries: all under one signed checkpoint, in the one order in which an honest run writes them, and about this statement.
import { utf8 } from "../bytes.ts";
import { canonicalJson } from "../canonical-json.ts";
import { decodeLogEntry } from "../decode/log-entry.ts";
import { MalformedError } from "../decode/strict-json.ts";
import { fromBase64 } from "../encodings.ts";
import type {
  AttestationEntry,
  BoundaryVersionEntry,
  EpochRootsEntry,
  LogEntry,
  PurgeFinishedEntry,
  RequestEntry,
} from "../log-entry.ts";
import { logLeafHash, verifyInclusion } from "../merkle-log.ts";
import type { ReceiptLog } from "../receipt.ts";
import { fail, type Finding } from "../report.ts";
import { parseCheckpoint, parseNote, verifyNote, type Checkpoint } from "../signed-note.ts";
import type { Statement } from "../statement.ts";
import { WITHHELD_PREDICATE } from "../statement.ts";
import { allOf } from "./predicate.ts";

export interface Logged<Entry extends LogEntry> {
  readonly index: number;
  readonly entry: Entry;
}

/** The entries that a receipt must disclose, each found once. */
export interface LogTrail {
  readonly versions: readonly Logged<BoundaryVersionEntry>[];
  readonly opened: Logged<RequestEntry>;
  /** The opening, or the last re-pinning. */
  readonly request: Logged<RequestEntry>;
  readonly purge: Logged<PurgeFinishedEntry> | null;
  readonly roots: Logged<EpochRootsEntry> | null;
  readonly attestation: Logged<AttestationEntry>;
}

/** The checkpoint, if a trusted key signed it. Its key's name must be the log's origin. */
export function openCheckpoint(
  log: ReceiptLog,
  keys: readonly Uint8Array[],
  origin: string | null,
): Checkpoint | Finding {
  const stated = parseCheckpoint(parseNote(log.checkpoint)?.text ?? "");
  if (stated === undefined) return fail("the log's checkpoint is malformed");
  if (origin !== null && stated.origin !== origin)
    return fail("the checkpoint is of another log than the statement names");
  const note = verifyNote(
    log.checkpoint,
    keys.map((publicKey) => ({ name: stated.origin, publicKey })),
  );
  if (!note.ok) return fail(`the log's checkpoint does not verify: ${note.reason}`);
  // The same text that was verified.
  return parseCheckpoint(note.text) ?? fail("the log's checkpoint is malformed");
}

function isMalformed(error: unknown): string {
  if (error instanceof MalformedError) return error.message;
  throw error;
}

/** The decoded entries where each stands under the checkpoint, in strictly ascending order; else what is wrong. */
export function includedEntries(log: ReceiptLog, checkpoint: Checkpoint): readonly Logged<LogEntry>[] | Finding {
  const included: Logged<LogEntry>[] = [];
  for (const { index, entry: source, proof } of log.entries) {
    if (index <= (included.at(-1)?.index ?? -1)) return fail("the log entries are not in ascending order");
    const leaf = logLeafHash(utf8(source));
    if (!verifyInclusion(leaf, index, checkpoint.size, proof.map(fromBase64), checkpoint.root))
      return fail("a log entry is not included under the checkpoint");
    try {
      included.push({ index, entry: decodeLogEntry(source) });
    } catch (error) {
      return fail(`a log entry is malformed: ${isMalformed(error)}`);
    }
  }
  return included.length === 0 ? fail("no log entry is disclosed") : included;
}

/** Sorts the entries out by type; undefined where one is missing or stands twice. */
export function trailOf(entries: readonly Logged<LogEntry>[]): LogTrail | undefined {
  const versions: Logged<BoundaryVersionEntry>[] = [];
  const requests: Logged<RequestEntry>[] = [];
  const purges: Logged<PurgeFinishedEntry>[] = [];
  const roots: Logged<EpochRootsEntry>[] = [];
  const attestations: Logged<AttestationEntry>[] = [];
  for (const { index, entry } of entries) {
    switch (entry.type) {
      case "boundary-version":
        versions.push({ index, entry });
        break;
      case "request-opened":
      case "request-pinned":
        requests.push({ index, entry });
        break;
      case "purge-finished":
        purges.push({ index, entry });
        break;
      case "epoch-roots":
        roots.push({ index, entry });
        break;
      case "attestation":
        attestations.push({ index, entry });
        break;
      default:
        entry satisfies never;
    }
  }
  const [opened, ...pins] = requests;
  const [attestation, ...moreAttestations] = attestations;
  if (opened?.entry.type !== "request-opened" || pins.some((pin) => pin.entry.type !== "request-pinned"))
    return undefined;
  if (attestation === undefined || moreAttestations.length > 0 || purges.length > 1 || roots.length > 1)
    return undefined;
  return {
    versions,
    opened,
    request: pins.at(-1) ?? opened,
    purge: purges[0] ?? null,
    roots: roots[0] ?? null,
    attestation,
  };
}

/** request < purge finished < scan began <= epoch roots < attestation, and the statement's own indices. */
export function checkLogOrder(statement: Statement, trail: LogTrail): readonly Finding[] {
  const { request, purge, roots, attestation } = trail;
  const flaws: Finding[] = [];
  const before = (a: number, b: number, message: string): void => {
    if (a >= b) flaws.push(fail(message));
  };
  before(request.index, attestation.index, "the attestation was logged before the request");
  if (roots !== null) {
    before(request.index, roots.index, "the epoch is older than the request");
    before(roots.index, attestation.index, "the attestation was logged before the epoch's roots");
    before(roots.entry.logSizeAtScan, roots.index + 1, "the scan claims to have begun after its roots were logged");
  }
  if (statement.predicateType !== WITHHELD_PREDICATE) {
    const { indices } = statement.predicate.log;
    if (purge === null || roots === null) return [fail("the end of the purge or the epoch's roots are not disclosed")];
    before(request.index, purge.index, "the purge ended before the request");
    before(purge.index, roots.entry.logSizeAtScan, "the scan began before the purge had ended");
    if (
      indices.request !== request.index ||
      indices.purgeFinished !== purge.index ||
      indices.epochRoots !== roots.index
    )
      flaws.push(fail("the log indices are not those that the statement names"));
  }
  return allOf(
    flaws,
    statement.predicateType === WITHHELD_PREDICATE
      ? "logged in order: request, attestation"
      : "logged in order: request, end of purge, scan and roots, attestation",
  );
}

/** Whether the entries are about this statement: ids, people, boundary, roots, and the digest of the very payload. */
export function checkLogBinding(statement: Statement, payloadDigest: string, trail: LogTrail): readonly Finding[] {
  const { predicate, predicateType, subject } = statement;
  const { boundary, request: requestId, who, target } = predicate;
  const flaws: Finding[] = [];
  const need = (holds: boolean, message: string): void => {
    if (!holds) flaws.push(fail(message));
  };
  const pinned = canonicalJson({ id: boundary.id, version: boundary.version, digest: boundary.digest });
  for (const { entry } of [trail.opened, trail.request])
    need(entry.request === requestId && entry.target === target, "the logged request is another one");
  need(canonicalJson(trail.request.entry.who) === canonicalJson(who), "the logged request is about another person");
  // Identifiers that a mapping joins to those given are pinned later; none that was given may be lost again.
  const named = new Set(who.map((each) => canonicalJson({ ...each })));
  need(
    trail.opened.entry.who.every((each) => named.has(canonicalJson({ ...each }))),
    "the request was opened about an identifier that the statement does not name",
  );
  need(canonicalJson(trail.request.entry.boundary) === pinned, "the request was pinned to another inventory");
  need(trail.purge === null || trail.purge.entry.request === requestId, "the logged purge is of another request");
  const { entry: attested } = trail.attestation;
  need(
    attested.request === requestId && attested.predicateType === predicateType,
    "the logged attestation is another one",
  );
  need(attested.payloadDigest === payloadDigest, "the logged attestation is of other bytes");
  need((trail.roots === null) === (predicate.epoch === null), "the epoch of the statement is not the logged one");
  if (trail.roots !== null) {
    const { entry: roots } = trail.roots;
    need(
      roots.epoch === predicate.epoch && roots.root === subject[0].digest.sha256,
      "the logged roots are of another epoch",
    );
    need(canonicalJson(roots.boundary) === pinned, "the logged roots are of another inventory");
    if (statement.predicateType !== WITHHELD_PREDICATE) {
      const stated = statement.predicate.surfaces.map(({ id, commitment }) => ({ id, commitment }));
      need(canonicalJson(roots.surfaces) === canonicalJson(stated), "the logged commitments are not the attested ones");
    }
  }
  return allOf(flaws, "the log is about this request, inventory, epoch and these very bytes");
}

/** Whether a step gave a finding in place of its value. */
export function isFinding(value: object): value is Finding {
  return "status" in value;
}
