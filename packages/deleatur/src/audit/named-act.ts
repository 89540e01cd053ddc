// Who takes a decision, and why, as the log may hold it: a role and a reason code, never a person's name or free words (PRIVACY-1).
import { UsageError } from "../model/errors.ts";

export interface NamedAct {
  /** For example `privacy-officer`. */
  readonly role: string;
  /** For example `NEW_CONSENT`. */
  readonly reason: string;
}

const CODE = /^[A-Za-z][A-Za-z0-9_-]{1,47}$/;

/** @throws UsageError BAD_CODE */
export function namedAct({ role, reason }: NamedAct): NamedAct {
  for (const [what, text] of [
    ["role", role],
    ["reason", reason],
  ] as const) {
    if (CODE.test(text)) continue;
    throw new UsageError(
      "BAD_CODE",
      `the ${what} is logged for good, so it is one word of letters, digits, '-' or '_'`,
      {
        cure: "write for example privacy-officer as a role, NEW_CONSENT as a reason",
      },
    );
  }
  return { role, reason };
}
