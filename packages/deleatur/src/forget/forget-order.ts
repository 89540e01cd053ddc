// What a caller orders: the target of a request and the named acts that go with it. Types only.
import type { GivenTarget } from "./target.ts";

export interface ForgetOrder extends GivenTarget {
  /** Stop before the first delete unless an erasure can be attested. */
  readonly require?: "erasure";
  /** The second, named act: attest a tombstone where an erasure is not possible. */
  readonly allowTombstone?: boolean;
  /** Purge at once, whatever window is declared and whatever lock it takes. */
  readonly now?: boolean;
  /** ISO date on which the person's request was received; due one month later (GDPR Art. 12(3)). */
  readonly received?: string;
  /** The operator's own reference, kept sealed. */
  readonly reference?: string;
}
