// The participation of a store that lives in nobody's process memory: asking for it is the adapter's mistake.
import { UsageError } from "../model/errors.ts";

export function noProcess(): never {
  throw new UsageError("NO_PROCESS", "no process takes part in this surface, so there is none to be asked", {
    cure: "ask for participation only in a kind that lives in process memory",
  });
}
