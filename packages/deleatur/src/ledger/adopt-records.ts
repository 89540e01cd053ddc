// Takes the anchor's records into a ledger that lacks them, in their order; what it has already stays as it is. It must not tell the anchor of it.
import { requestId } from "../model/ids.ts";
import type { AnchorRecord } from "./anchor-records.ts";
import { storeErased, storeLift } from "./erased-contents.ts";
import { packRuns } from "./fingerprints.ts";
import { storeTerm } from "./guard-terms.ts";
import { noteFiled } from "./guard-filter.ts";
import { now, parseJson, type LedgerCore } from "./ledger-core.ts";
import type { Denylist, Fingerprints } from "./ledger.ts";
import type { OpenedLog } from "./log.ts";
import { storeRecordOwners } from "./record-owners.ts";
import { storeStandIn } from "./stand-ins.ts";

export interface Adopting {
  readonly denylist: Denylist;
  readonly fingerprints: Fingerprints;
  readonly log: OpenedLog;
}

/** Answers false where a log entry does not fit: the log has gone on another way, and no further entry is taken. */
export function adoptRecord(core: LedgerCore, parts: Adopting, record: AnchorRecord, isForked: boolean): boolean {
  const { connection } = core;
  const { denylist, fingerprints, log } = parts;
  switch (record.kind) {
    case "log":
      if (isForked || !log.adopt(record.position, record.entry, record.at)) return false;
      adoptBoundaryVersion(core, record.entry);
      return true;
    case "denylist":
      denylist.addDenylist(
        requestId(record.request),
        record.entries.map((entry) => ({ ...entry, owners: record.owners })),
      );
      return true;
    case "lift":
      for (const { kind, digest, request } of record.entries)
        connection.run("DELETE FROM denylist WHERE kind = ? AND digest = ? AND request = ?", kind, digest, request);
      return true;
    case "lift-request":
      storeLift(core, record.request);
      return true;
    case "runs": {
      if (record.isFirst)
        fingerprints.putFingerprints([{ request: requestId(record.request), owners: record.owners, grams: [] }]);
      const { guard } = connection.get<{ guard: number }>(
        "SELECT guard FROM guarded_requests WHERE request = ?",
        record.request,
      ) ?? { guard: 0 };
      for (const { gram, runs } of record.grams)
        connection.run(
          "INSERT INTO fingerprints (gram, guard, runs) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET runs = excluded.runs",
          gram,
          guard,
          packRuns(runs),
        );
      noteFiled(
        core,
        record.grams.map(({ gram }) => gram),
      );
      return true;
    }
    case "drop-runs":
      fingerprints.dropRuns(record.grams, record.request === undefined ? undefined : requestId(record.request));
      return true;
    case "drop-all-runs":
      fingerprints.dropFingerprints(requestId(record.request));
      return true;
    case "allow":
      fingerprints.allowText(record.digests, record.grams);
      return true;
    case "erased":
      storeErased(core, record.request, record.items);
      return true;
    case "term":
      storeTerm(core, record.request, record.until);
      return true;
    case "stands-for":
      storeStandIn(core, record.request, record.originals);
      return true;
    case "record-owners":
      storeRecordOwners(core, record.request, record.owners);
      return true;
    case "hold":
      if (connection.get("SELECT 1 FROM holds WHERE artifact = ?", record.artifact) === undefined)
        connection.run(
          "INSERT INTO adopted_holds VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until",
          record.artifact,
          record.until,
        );
      return true;
    case "release":
      connection.run("DELETE FROM adopted_holds WHERE artifact = ?", record.artifact);
      connection.run("DELETE FROM holds WHERE artifact = ?", record.artifact);
      return true;
    case "writing":
      // What was recorded then is lost; that the ledger was set back is what it tells.
      return true;
  }
}

/** A version that was logged is spent: the next one must not take its number. Its public form stood in the lost ledger only. */
function adoptBoundaryVersion(core: LedgerCore, entry: string): void {
  if (!entry.includes('"type":"boundary-version"')) return;
  const { version, digest, boundary } = parseJson<{ version: number; digest: string; boundary: string }>(entry);
  core.connection.run(
    "INSERT INTO boundary_versions (version, digest, public_form, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    version,
    digest,
    JSON.stringify({ id: boundary }),
    now(core),
  );
}
