// Which requests have erased what they denied, and what those that are stuck still owe: by it a look tells what is back from what was never gone. It reads no store.
import type { Engine } from "../engine.ts";
import type { RequestRecord, RequestState } from "../ledger/request-record.ts";
import { artifactId, type RequestId } from "../model/ids.ts";

const ERASING: readonly RequestState[] = ["received", "blocked", "erasing", "waiting"];

/** Whether a request is still about to erase: what it denies is not back, but not gone yet. */
export function isErasing(state: RequestState | undefined): boolean {
  return state !== undefined && ERASING.includes(state);
}

export interface StillOwed {
  /** Ids of artifacts. */
  readonly refs: ReadonlySet<string>;
  readonly requests: ReadonlySet<RequestId>;
}

/** What a stuck request could not erase, or one that waits has not erased yet, is its own matter, and known. */
export function stillOwed({ ledger }: Engine, requests: readonly Pick<RequestRecord, "id" | "state">[]): StillOwed {
  const owed = requests
    .filter(({ state }) => state === "stuck" || state === "waiting")
    .flatMap(({ id }) =>
      ledger
        .items(id)
        .filter(({ outcome }) => outcome !== "erased" && outcome !== "absent" && outcome !== "rewritten")
        .map(({ ref }) => ({ id, ref })),
    );
  return { refs: new Set(owed.map(({ ref }) => artifactId(ref))), requests: new Set(owed.map(({ id }) => id)) };
}
