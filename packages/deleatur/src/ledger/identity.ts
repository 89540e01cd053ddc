// Which ledger this is: a random id, made once, that its marker in a store bears. It says nothing about anybody.
import { textOf, utf8 } from "@deleatur/verify";
import { newId, type LedgerCore } from "./ledger-core.ts";

export interface LedgerIdentity {
  /** 32 hex digits. A copy of a ledger is the same ledger. */
  ledgerId(): string;
}

const NAME = "ledger-id";

export function createIdentity(core: LedgerCore): LedgerIdentity {
  const { connection } = core;
  const stored = (): string | undefined => {
    const row = connection.get<{ value: Uint8Array }>("SELECT value FROM meta WHERE name = ?", NAME);
    return row === undefined ? undefined : textOf(new Uint8Array(row.value));
  };
  return {
    ledgerId: () =>
      stored() ??
      connection.transaction(() => {
        const id = stored() ?? newId(core);
        connection.run("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", NAME, utf8(id));
        return id;
      }),
  };
}
