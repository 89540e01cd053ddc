// The key of each request: everything personal of a request is sealed under it, and destroying it shreds that. It must not be kept in memory between calls.
import { concatBytes, lp, utf8 } from "@deleatur/verify";
import { LedgerError, UsageError } from "../model/errors.ts";
import type { RequestId } from "../model/ids.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { seal, unseal } from "./seal.ts";

const place = (id: RequestId, name: string): Uint8Array => concatBytes(lp("request"), lp(id), utf8(name));

/** A fresh request key, wrapped by the ledger's request key. */
export function makeRequestKey(
  core: LedgerCore,
  id: RequestId,
): { readonly key: Uint8Array; readonly wrapped: Uint8Array } {
  const key = core.random(32);
  return { key, wrapped: seal(core.keys.requestWrap, place(id, "key"), key, core.random) };
}

/** The request's key, undefined once it is closed; read anew each time, because another process may close it. @throws UsageError REQUEST_UNKNOWN */
export function findRequestKey(core: LedgerCore, id: RequestId): Uint8Array | undefined {
  const row = core.connection.get<{ wrapped_key: Uint8Array | null }>(
    "SELECT wrapped_key FROM requests WHERE id = ?",
    id,
  );
  if (row === undefined) {
    throw new UsageError("REQUEST_UNKNOWN", "the ledger knows no such request, see `deleatur requests`", {
      place: { request: id },
    });
  }
  return row.wrapped_key === null ? undefined : unseal(core.keys.requestWrap, place(id, "key"), row.wrapped_key);
}

/** @throws LedgerError REQUEST_CLOSED */
export function needRequestKey(core: LedgerCore, id: RequestId): Uint8Array {
  const key = findRequestKey(core, id);
  if (key === undefined) {
    throw new LedgerError("REQUEST_CLOSED", "the request is closed and its key destroyed, open a new one", {
      place: { request: id },
    });
  }
  return key;
}

export function sealForRequest(
  core: LedgerCore,
  key: Uint8Array,
  id: RequestId,
  name: string,
  value: Uint8Array,
): Uint8Array {
  return seal(key, place(id, name), value, core.random);
}

export function unsealForRequest(key: Uint8Array, id: RequestId, name: string, sealed: Uint8Array): Uint8Array {
  return unseal(key, place(id, name), sealed);
}
