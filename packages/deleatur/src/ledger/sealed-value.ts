// A typed JSON value that a request keeps sealed under its own key: what comes out is what went in, authenticated by the seal.
import type { RequestId } from "../model/ids.ts";
import type { RequestJournal } from "./request-record.ts";

type Seals = Pick<RequestJournal, "putSealed" | "getSealed">;

export interface SealedValue<Value> {
  put(ledger: Seals, id: RequestId, value: Value): void;
  /** Undefined before it was put, and after the request is closed. */
  open(ledger: Seals, id: RequestId): Value | undefined;
  /** What `open` would parse. */
  bytes(ledger: Seals, id: RequestId): Uint8Array | undefined;
  parse(bytes: Uint8Array): Value;
}

/** `name` stands in clear: no personal data in it. A `Value` must survive JSON (dates become text). */
export function sealedValue<Value>(name: string): SealedValue<Value> {
  // Written by `put` alone, which took a `Value`.
  const parse = (bytes: Uint8Array): Value => JSON.parse(new TextDecoder().decode(bytes)) as Value;
  return {
    put(ledger, id, value) {
      ledger.putSealed(id, name, new TextEncoder().encode(JSON.stringify(value)));
    },
    open(ledger, id) {
      const bytes = ledger.getSealed(id, name);
      return bytes === undefined ? undefined : parse(bytes);
    },
    bytes: (ledger, id) => ledger.getSealed(id, name),
    parse,
  };
}
