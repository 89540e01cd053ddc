// Finds the log entries that a receipt discloses (PROOFS §4), and makes the entry of an epoch's roots. It must not disclose any other entry.
import { type EpochRootsEntry, type HexDigest, type LogEntry, toHex, type UtcTime } from "@deleatur/verify";
import type { TransparencyLog } from "../ledger/ledger.ts";
import { LedgerError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import type { EpochRoots } from "./epoch-commitments.ts";

export interface LogTrail {
  readonly origin: string;
  /** Of the opening or the last re-pinning, the last end of a purge, and the epoch's roots; null where there is none. */
  readonly indices: {
    readonly request: number;
    readonly purgeFinished: number | null;
    readonly epochRoots: number | null;
  };
  /** All that the receipt discloses but the attestation itself, ascending. */
  readonly disclosed: readonly number[];
}

export interface TrailOf {
  readonly request: RequestId;
  /** The attested version of the boundary. */
  readonly boundaryVersion: number;
  /** null where nothing was scanned. */
  readonly epoch: number | null;
}

const DISCLOSED = /"type":"(?:boundary-version|request-opened|request-pinned|purge-finished|epoch-roots)"/;
const WINDOW_MS = 90 * 86_400_000;

/**
 * The trail of one request: all boundary versions of the 90 days before it with the one in force when they began, up to the attested one;
 * its opening and re-pinnings; the last end of a purge; the epoch's roots. @throws LedgerError LOG_INCOMPLETE
 */
export function findLogTrail(
  log: Pick<TransparencyLog, "logEntries" | "logOrigin">,
  { request, boundaryVersion, epoch }: TrailOf,
): LogTrail {
  const versions: { readonly index: number; readonly version: number; readonly atMs: number }[] = [];
  const requests: { readonly index: number; readonly atMs: number }[] = [];
  let purgeFinished: number | null = null;
  let epochRoots: number | null = null;
  for (const { index, entry: text } of log.logEntries()) {
    if (!DISCLOSED.test(text)) continue;
    // The ledger's own canonical text of a typed entry; a damaged one fails the receipt's own check before it leaves.
    const entry: LogEntry = JSON.parse(text);
    const atMs = Date.parse(entry.at);
    if (entry.type === "boundary-version" && entry.version <= boundaryVersion)
      versions.push({ index, version: entry.version, atMs });
    else if (entry.type === "epoch-roots" && entry.epoch === epoch) epochRoots = index;
    else if ("request" in entry && entry.request === request) {
      if (entry.type === "purge-finished") purgeFinished = index;
      else requests.push({ index, atMs });
    }
  }
  const opened = requests[0];
  const last = requests.at(-1);
  if (opened === undefined || last === undefined || versions.at(-1)?.version !== boundaryVersion) {
    throw new LedgerError("LOG_INCOMPLETE", "the log lacks the request's opening or the attested boundary version", {
      place: { request },
      cure: "run `deleatur log --verify`; a log with a gap cannot carry a receipt",
    });
  }
  const since = opened.atMs - WINDOW_MS;
  const inForce = versions.findLastIndex(({ atMs }) => atMs <= since);
  const rest = [purgeFinished, epochRoots].filter((index) => index !== null);
  const disclosed = [...versions.slice(Math.max(0, inForce)), ...requests].map(({ index }) => index);
  return {
    origin: log.logOrigin(),
    indices: { request: last.index, purgeFinished, epochRoots },
    disclosed: [...disclosed, ...rest].toSorted((a, b) => a - b),
  };
}

/** The log entry of an epoch's roots; `logSizeAtScan` is the log's size when the scan began. */
export function epochRootsEntry(
  roots: EpochRoots,
  boundary: { readonly version: number; readonly digest: HexDigest },
  at: UtcTime,
  logSizeAtScan: number,
): EpochRootsEntry {
  return {
    type: "epoch-roots",
    at,
    boundary: { id: roots.boundaryId, version: boundary.version, digest: boundary.digest },
    epoch: roots.epoch,
    root: toHex(roots.B),
    surfaces: roots.surfaces.map(({ id, commitment }) => ({ id, commitment })),
    logSizeAtScan,
  };
}
