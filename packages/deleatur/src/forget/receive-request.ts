// Receives a request: joins the one that runs for the same target, or opens a new one, its boundary version logged before it is used.
import { boundaryDigest, canonicalJson, type RequestEntry, toHex, type Who, whoDigest } from "@deleatur/verify";
import { publicForm } from "../boundary/public-form.ts";
import type { Engine } from "../engine.ts";
import { requestId, type RequestId, type SubjectIdentifier } from "../model/ids.ts";
import { dueDate } from "../letter/due-date.ts";
import { utcTime } from "../model/utc-time.ts";
import type { ForgetOrder } from "./forget-order.ts";
import type { Target } from "./target.ts";

/** The id of the request that now stands for this target. */
export function receiveRequest(engine: Engine, target: Target, order: ForgetOrder): RequestId {
  const { ledger } = engine;
  return ledger.transaction(() => {
    const running = ledger.findRunningRequest(target);
    if (running !== undefined) {
      joinRequest(engine, running, target);
      return running;
    }
    const id = requestId(toHex(engine.random(16)));
    const now = engine.clock();
    const received = order.received === undefined ? now : new Date(order.received);
    const boundary = logBoundaryVersion(engine);
    ledger.openRequest({
      id,
      target: target.kind,
      identifiers: target.kind === "person" ? target.identifiers : [],
      refs: target.kind === "records" ? target.refs : [],
      boundaryDigest: boundary.digest,
      received: utcTime(received),
      due: utcTime(dueDate(received)),
      ...(order.reference === undefined ? {} : { reference: order.reference }),
      options: { none: target.kind === "person" ? target.none : [] } satisfies RequestOptions,
    });
    appendRequestEntry(engine, "request-opened", id, boundary);
    if (target.kind === "person") {
      for (const identifierType of target.none) {
        ledger.append({ type: "identifier-none", at: utcTime(now), request: id, identifierType });
      }
    }
    return id;
  });
}

/** A further identifier of a person whose request runs belongs to it; the log says so by a new request entry. */
function joinRequest(engine: Engine, id: RequestId, target: Target): void {
  if (target.kind !== "person") return;
  const known = optionsOf(engine, id);
  const none = [...new Set([...known.none, ...target.none])];
  addIdentifiers(engine, id, target.identifiers, { ...known, none });
}

/** Adds identifiers to a request and logs its person anew where there was one more. */
export function addIdentifiers(
  engine: Engine,
  id: RequestId,
  identifiers: readonly SubjectIdentifier[],
  options: RequestOptions = optionsOf(engine, id),
): void {
  engine.ledger.transaction(() => {
    if (engine.ledger.extendRequest(id, identifiers, options) === 0) return;
    appendRequestEntry(engine, "request-pinned", id, logBoundaryVersion(engine));
  });
}

/** What of an order is remembered with its request. */
export interface RequestOptions {
  readonly none: readonly string[];
}

export function optionsOf(engine: Engine, id: RequestId): RequestOptions {
  // Sealed by receiveRequest.
  const options = engine.ledger.request(id)?.options as Partial<RequestOptions> | null | undefined;
  return { none: options?.none ?? [] };
}

/** Logs the boundary's version unless it is the latest already (PROOFS §5: versions are entries before they are used). */
export function logBoundaryVersion(engine: Engine): { readonly digest: string; readonly version: number } {
  const form = publicForm(engine.boundary);
  const digest = toHex(boundaryDigest(form));
  const isNew = engine.ledger.recordBoundary(digest, canonicalJson(form));
  const version = engine.ledger.boundaryVersions().at(-1)?.version ?? 1;
  if (isNew) {
    engine.ledger.append({
      type: "boundary-version",
      at: utcTime(engine.clock()),
      boundary: engine.boundary.id,
      version,
      digest,
      surfaces: form.surfaces.map(({ id, role }) => ({ id, role })),
    });
  }
  return { digest, version };
}

export function appendRequestEntry(
  engine: Engine,
  type: RequestEntry["type"],
  id: RequestId,
  boundary: { readonly digest: string; readonly version: number },
): number {
  const record = engine.ledger.request(id);
  return engine.ledger.append({
    type,
    at: utcTime(engine.clock()),
    request: id,
    target: record?.target ?? "person",
    who: whoOf(engine, id),
    boundary: { id: engine.boundary.id, ...boundary },
  });
}

/** The person as a receipt names them: one digest for each identifier given, under the person code (PROOFS §4). */
export function whoOf(engine: Engine, id: RequestId): readonly Who[] {
  const record = engine.ledger.request(id);
  const code = record?.personCode;
  if (record === undefined || code === undefined || record.target === "records") return [];
  return record.identifiers
    .map(({ type, value }) => ({ type, digest: toHex(whoDigest(code, type, value)) }))
    .toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
}
