// Requests: who is to be forgotten, where the request is, which process works on it; sealed until the close. It must not decide what happens next.
import { markDropped } from "./compaction.ts";
import { concatBytes, fromBase64, toBase64, utf8, compareBytes, textOf } from "@deleatur/verify";
import { LedgerError } from "../model/errors.ts";
import { requestId, type ArtifactRef, type RequestId, type SubjectIdentifier } from "../model/ids.ts";
import {
  hexList,
  jsonBytes,
  now,
  parseJsonBytes,
  plainIdentifier,
  plainRef,
  sealByGuard,
  unsealByGuard,
  parseJson,
  type LedgerCore,
} from "./ledger-core.ts";
import { isKnownDead, isSameWriter } from "./process-identity.ts";
import { findRequestKey, makeRequestKey, needRequestKey, sealForRequest, unsealForRequest } from "./request-keys.ts";
import type { RequestJournal, RequestOrder, RequestPatch, RequestRecord } from "./request-record.ts";
import type { SqlValue } from "./connection.ts";

type Requests = Pick<
  RequestJournal,
  | "openRequest"
  | "request"
  | "requests"
  | "openRequests"
  | "findRunningRequest"
  | "updateRequest"
  | "extendRequest"
  | "claimRequest"
  | "releaseRequest"
  | "closeRequest"
>;

interface SealedOrder {
  readonly identifiers: readonly SubjectIdentifier[];
  readonly refs: readonly ArtifactRef[];
  readonly reference?: string;
  readonly options: unknown;
  readonly personCode: string;
}

type RequestRow = Readonly<
  Record<"id" | "boundary_digest" | "due" | "opened" | "updated", string> &
    Record<"why" | "until" | "received" | "closed" | "reasons" | "effective", string | null> &
    Record<"claim_host" | "claim_started" | "claim_until", string | null> &
    Record<"sealed_order" | "sealed_receipt", Uint8Array | null>
> & {
  readonly target: RequestRecord["target"];
  readonly state: RequestRecord["state"];
  readonly verdict: RequestRecord["verdict"] | null;
  readonly attestation: RequestRecord["attestation"] | null;
  readonly epoch: number | null;
  readonly claim_pid: number | null;
};

/** One optional member: absent where the column is NULL. */
function member<Name extends string, Value>(name: Name, value: Value | null | undefined): { [N in Name]?: Value } {
  const members: { [N in Name]?: Value } = {};
  if (value !== null && value !== undefined) members[name] = value;
  return members;
}

const receiptPlace = (id: string): string => `requests/${id}/receipt`;

export function createRequests(core: LedgerCore): Requests {
  const { connection, digests } = core;

  /** A person is found by any one identifier, records only by the whole set. */
  function selectorDigests(
    identifiers: readonly SubjectIdentifier[],
    refs: readonly ArtifactRef[],
  ): readonly Uint8Array[] {
    const persons = identifiers.map((identifier) => digests.identifierDigest(identifier));
    if (persons.length > 0 || refs.length === 0) return persons;
    const records = refs.map((ref) => digests.artifactDigest(ref)).toSorted(compareBytes);
    return [digests.keyedDigest("records", concatBytes(...records))];
  }

  function rowOf(id: RequestId): RequestRow | undefined {
    return connection.get<RequestRow>("SELECT * FROM requests WHERE id = ?", id);
  }

  function openOrder(row: RequestRow): SealedOrder | undefined {
    const id = requestId(row.id);
    const key = row.sealed_order === null ? undefined : findRequestKey(core, id);
    if (key === undefined || row.sealed_order === null) return undefined;
    return parseJsonBytes<SealedOrder>(unsealForRequest(key, id, "order", row.sealed_order));
  }

  function record(row: RequestRow): RequestRecord {
    const order = openOrder(row);
    const receipt = row.sealed_receipt;
    return {
      id: requestId(row.id),
      target: row.target,
      state: row.state,
      identifiers: order?.identifiers ?? [],
      refs: order?.refs ?? [],
      boundaryDigest: row.boundary_digest,
      due: row.due,
      opened: row.opened,
      updated: row.updated,
      ...member("why", row.why),
      ...member("until", row.until),
      ...member("reference", order?.reference),
      ...member("personCode", order === undefined ? undefined : fromBase64(order.personCode)),
      ...member("received", row.received),
      ...member("closed", row.closed),
      ...member("verdict", row.verdict),
      ...member("attestation", row.attestation),
      ...member("effective", row.effective),
      ...member("epoch", row.epoch),
      ...member("receipt", receipt === null ? null : textOf(unsealByGuard(core, receiptPlace(row.id), receipt))),
      ...(order === undefined ? {} : { options: order.options }),
      ...(row.reasons === null ? {} : { reasons: parseJson<unknown>(row.reasons) }),
    };
  }

  function insert(order: RequestOrder): void {
    const { key, wrapped } = makeRequestKey(core, order.id);
    const sealed: SealedOrder = {
      identifiers: order.identifiers.map((identifier) => plainIdentifier(identifier)),
      refs: order.refs.map((ref) => plainRef(ref)),
      options: order.options ?? null,
      personCode: toBase64(core.random(32)),
      ...(order.reference === undefined ? {} : { reference: order.reference }),
    };
    const at = now(core);
    connection.run(
      `INSERT INTO requests (id, target, state, wrapped_key, sealed_order, boundary_digest, received, due, opened, updated)
       VALUES (?, ?, 'received', ?, ?, ?, ?, ?, ?, ?)`,
      order.id,
      order.target,
      wrapped,
      sealForRequest(core, key, order.id, "order", jsonBytes(sealed)),
      order.boundaryDigest,
      order.received ?? null,
      order.due,
      at,
      at,
    );
    addSelectors(order.id, order.identifiers, order.refs);
  }

  function addSelectors(id: RequestId, identifiers: readonly SubjectIdentifier[], refs: readonly ArtifactRef[]): void {
    for (const digest of selectorDigests(identifiers, refs)) {
      connection.run(
        "INSERT INTO request_selectors (digest, request) VALUES (?, ?) ON CONFLICT DO NOTHING",
        digest,
        id,
      );
    }
  }

  function changes(id: RequestId, patch: RequestPatch): [string, SqlValue][] {
    const { receipt, boundaryDigest, reasons, ...plain } = patch;
    const columns: [string, SqlValue][] = [];
    // The names of the other members are those of their columns.
    for (const name of ["state", "why", "until", "verdict", "attestation", "effective", "epoch", "due"] as const) {
      const value = plain[name];
      if (value !== undefined) columns.push([name, value]);
    }
    if (reasons !== undefined) columns.push(["reasons", reasons === null ? null : JSON.stringify(reasons)]);
    if (boundaryDigest !== undefined) columns.push(["boundary_digest", boundaryDigest]);
    if (receipt !== undefined) {
      const sealed = receipt === null ? null : sealByGuard(core, receiptPlace(id), utf8(receipt));
      columns.push(["sealed_receipt", sealed]);
    }
    return columns;
  }

  return {
    openRequest(order) {
      connection.transaction(() => {
        if (rowOf(order.id) !== undefined) {
          throw new LedgerError("REQUEST_EXISTS", "a request of this id was opened already, draw a new random id", {
            place: { request: order.id },
          });
        }
        insert(order);
      });
    },
    request(id) {
      const row = rowOf(id);
      return row === undefined ? undefined : record(row);
    },
    requests: () => connection.all<RequestRow>("SELECT * FROM requests ORDER BY opened, id").map((row) => record(row)),
    openRequests: () =>
      connection.rows<[string]>("SELECT id FROM requests WHERE state <> 'closed'").map(([id]) => requestId(id)),
    findRunningRequest({ identifiers = [], refs = [] }) {
      return connection.get<{ request: RequestId }>(
        `SELECT s.request FROM json_each(?) AS j CROSS JOIN request_selectors AS s ON s.digest = unhex(j.value)
         JOIN requests AS r ON r.id = s.request WHERE r.state <> 'closed' ORDER BY r.opened, r.id LIMIT 1`,
        hexList(selectorDigests(identifiers, refs)),
      )?.request;
    },
    updateRequest(id, patch) {
      connection.transaction(() => {
        const row = rowOf(id);
        const columns = changes(id, patch);
        if (patch.state !== undefined && row?.state === "closed") needRequestKey(core, id);
        if (row === undefined) findRequestKey(core, id);
        const names = [...columns.map(([name]) => `${name} = ?`), "updated = ?"].join(", ");
        connection.run(
          `UPDATE requests SET ${names} WHERE id = ?`,
          ...columns.map(([, value]) => value),
          now(core),
          id,
        );
      });
    },
    extendRequest: (id, identifiers, options) =>
      connection.transaction(() => {
        const row = rowOf(id);
        const order = row === undefined ? undefined : openOrder(row);
        if (order === undefined) {
          throw new LedgerError(
            "REQUEST_CLOSED",
            "a request that is closed takes no further identifier, open a new one",
            {
              place: { request: id },
            },
          );
        }
        const known = new Set(order.identifiers.map(({ type, value }) => JSON.stringify([type, value])));
        const added = identifiers.filter(({ type, value }) => !known.has(JSON.stringify([type, value])));
        const extended: SealedOrder = {
          ...order,
          identifiers: [...order.identifiers, ...added.map((identifier) => plainIdentifier(identifier))],
          options: options ?? order.options,
        };
        const sealed = sealForRequest(core, needRequestKey(core, id), id, "order", jsonBytes(extended));
        connection.run("UPDATE requests SET sealed_order = ?, updated = ? WHERE id = ?", sealed, now(core), id);
        addSelectors(id, added, []);
        return added.length;
      }),
    claimRequest: (id, owner, leaseMs) =>
      connection.transaction(() => {
        const row = rowOf(id);
        if (row === undefined || row.state === "closed") return false;
        if (row.claim_host !== null && row.claim_pid !== null && row.claim_started !== null) {
          const holder = { host: row.claim_host, pid: row.claim_pid, started: row.claim_started };
          const isOver = row.claim_until !== null && row.claim_until <= now(core);
          // On this host a claim ends with its holder alone: one that is busy, or was suspended, still acts on the request.
          const isElsewhere = holder.host !== owner.host;
          const isEnded = isKnownDead(holder, owner) || (isElsewhere && isOver);
          if (!isSameWriter(holder, owner) && !isEnded) return false;
        }
        connection.run(
          "UPDATE requests SET claim_host = ?, claim_pid = ?, claim_started = ?, claim_until = ? WHERE id = ?",
          owner.host,
          owner.pid,
          owner.started,
          new Date(core.clock().getTime() + leaseMs).toISOString(),
          id,
        );
        return true;
      }),
    releaseRequest(id, owner) {
      connection.run(
        `UPDATE requests SET claim_host = NULL, claim_pid = NULL, claim_started = NULL, claim_until = NULL
         WHERE id = ? AND claim_host = ? AND claim_pid = ? AND claim_started = ?`,
        id,
        owner.host,
        owner.pid,
        owner.started,
      );
    },
    closeRequest(id) {
      connection.transaction(() => {
        if (findRequestKey(core, id) === undefined) return;
        const at = now(core);
        connection.run(
          `INSERT INTO request_item_counts (request, surface, action, outcome, count)
           SELECT request, surface, action, coalesce(outcome, 'pending'), count(*) FROM request_items
           WHERE request = ? GROUP BY request, surface, action, coalesce(outcome, 'pending')`,
          id,
        );
        for (const table of ["request_items", "request_sealed", "request_selectors"])
          connection.run(`DELETE FROM ${table} WHERE request = ?`, id);
        connection.run(
          `UPDATE requests SET state = 'closed', closed = ?, updated = ?, wrapped_key = NULL, sealed_order = NULL,
             claim_host = NULL, claim_pid = NULL, claim_started = NULL, claim_until = NULL WHERE id = ?`,
          at,
          at,
          id,
        );
        markDropped(core);
      });
    },
  };
}
