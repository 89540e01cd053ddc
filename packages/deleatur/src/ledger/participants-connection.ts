// The ledger's leases, orders and answers over a connection of their own, for eyes that share nothing with what erases. It opens no other part of the ledger.
import { createOutbox } from "./anchor-outbox.ts";
import { connect } from "./connection.ts";
import { createDigests } from "./digests.ts";
import type { LedgerKeys } from "./keys.ts";
import { createParticipants, type Participants } from "./participants.ts";

const BUSY_TIMEOUT_MS = 5_000;

/** @param file of a ledger that is open elsewhere in this process, so that schema and keys were checked */
export function connectParticipants(
  file: string,
  keys: LedgerKeys,
  clock: () => Date,
  random: (bytes: number) => Uint8Array,
): Participants & { close(): void } {
  const connection = connect(file, { readonly: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
  connection.pragma("foreign_keys = ON");
  connection.pragma("secure_delete = ON");
  connection.pragma("synchronous = FULL");
  return {
    ...createParticipants({
      connection,
      keys,
      clock,
      random,
      digests: createDigests(keys),
      outbox: createOutbox(connection),
    }),
    close: () => connection.close(),
  };
}
