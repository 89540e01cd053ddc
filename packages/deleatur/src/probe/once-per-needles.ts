// Makes one matcher for the same needles, however many tables are asked for them. It reads no store.
import type { Needle } from "../model/needle.ts";
import type { Matcher } from "./matcher.ts";

/** The tables of a store are asked for the same needles one after the other: what they are compared with is made once, and goes with them. */
export function oncePerNeedles<Made extends Matcher>(
  create: (needles: readonly Needle[]) => Made,
): (needles: readonly Needle[]) => Made {
  const made = new WeakMap<readonly Needle[], Made>();
  return (needles) => {
    const matcher = made.get(needles) ?? create(needles);
    made.set(needles, matcher);
    return matcher;
  };
}
