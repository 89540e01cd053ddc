// Reads what a server keeps of commands beside its keys: logs of slow, large and refused ones, whoever sent them, and its functions. Each where it may; it judges nothing.
import type { Passage } from "../../../model/needle.ts";
import { isSeenList, type Seen } from "./resp.ts";
import type { Sight } from "./see-server.ts";

/** Valkey alone has the second and the third; the fourth answers ten unless told how many. */
const KEPT: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["slowlog", ["SLOWLOG", "GET", "-1"]],
  ["commandlog", ["COMMANDLOG", "GET", "-1", "large-request"]],
  ["commandlog", ["COMMANDLOG", "GET", "-1", "large-reply"]],
  ["acl log", ["ACL", "LOG", "1000000"]],
  ["functions", ["FUNCTION", "LIST", "WITHCODE"]],
];

/** Content of any person: never log it. */
export async function serverTexts(sight: Sight): Promise<readonly Passage[]> {
  const answers = await sight.askAll(KEPT.map(([, command]) => command));
  return KEPT.flatMap(([name], at) => {
    const place = { container: `${sight.store.name}.[${name}]` };
    const texts = [...textsIn(answers[at] ?? null)];
    return texts.map((text): Passage => ({ place, field: { type: "text", name: "text", text } }));
  });
}

function* textsIn(seen: Seen): Generator<string> {
  if (Buffer.isBuffer(seen)) yield seen.toString("utf8");
  else if (isSeenList(seen)) for (const item of seen) yield* textsIn(item);
}
