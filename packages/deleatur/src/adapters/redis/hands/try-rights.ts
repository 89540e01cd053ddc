// Asks a server whether this user may run a command, without running it: it is queued in a transaction that is thrown away, and rights are asked when it is queued.
import { type Arg, type Db, Refused } from "./connect.ts";

/** Undefined where transactions themselves are refused: then nobody knows. A command that a managed server took away counts as refused. */
export async function mayRun(db: Db, ...command: readonly Arg[]): Promise<boolean | undefined> {
  const [begun, queued] = await db.sendAll([["MULTI"], command, ["DISCARD"]]);
  if (begun instanceof Refused) return undefined;
  return !(queued instanceof Refused);
}
