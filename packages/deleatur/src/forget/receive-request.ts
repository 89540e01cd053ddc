// Receives a request: joins the one that runs for the same target, or opens a new one, its boundary version logged before it is used.
import { boundaryDigest, canonicalJson, type RequestEntry, toHex, type Who, whoDigest } from "@deleatur/verify";
import { publicForm } from "../boundary/public-form.ts";
import type { Engine } from "../engine.ts";
import { requestId, type RequestId } from "../model/ids.ts";
import { dueDate } from "../letter/due-date.ts";
import { utcTime } from "../model/utc-time.ts";
import type { ForgetOrder } from "./forget-order.ts";
import type { Target } from "./target.ts";

/** The id of the request that now stands for this target. */
export function receiveRequest(engine: Engine, target: Target, order: ForgetOrder): RequestId {
  const { ledger } = engine;
  return ledger.transaction(() => {
    const running = ledger.findRunningRequest(
      target.kind === "person" ? { identifiers: target.identifiers } : { refs: target.refs },
    );
    if (running !== undefined) return running;
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
      options: { ...(order.allowTombstone === true ? { allowTombstone: true } : {}), none: target.kind === "person" ? target.none : [] },
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
    .sort((a, b) => (a.digest < b.digest ? -1 : 1));
}
