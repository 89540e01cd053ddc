// What a letter says, as a shape that every language fills. Values put in are already escaped; no wording may call anything but an erasure one.
import type { ReasonGroup } from "./reason-group.ts";

export type LetterLanguage = "en" | "de" | "fr";

/** The parts that differ by what the receipt is. */
export interface KindWording {
  readonly title: string;
  readonly status: string;
  /** Follows `asked`. */
  readonly opening: string;
  readonly doneHeading: string;
}

export interface Wording {
  readonly language: LetterLanguage;
  readonly locale: string;
  readonly mark: string;
  /** French sets a no-break space before it. */
  readonly colon: string;
  readonly from: string;
  readonly dateLabel: string;
  readonly requestLabel: string;
  readonly receivedLabel: string;
  readonly dueLabel: string;
  readonly statusLabel: string;

  /** The first sentence: what the person asked for. */
  readonly asked: Readonly<Record<"person" | "records", string>>;
  erasure(facts: { readonly locations: string; readonly target: "person" | "records" }): KindWording;
  /** An erasure whose last copy has not expired yet (ATTEST-8). */
  expiring(facts: { readonly locations: string; readonly until: string }): KindWording;
  tombstone(facts: { readonly open: number; readonly all: number }): KindWording;
  withheld(): KindWording;

  readonly location: string;
  readonly erased: string;
  readonly rewritten: string;
  readonly open: string;
  readonly total: string;
  readonly scopeNote: string;
  readonly rewrittenNote: string;
  readonly openNote: string;

  readonly keptHeading: string;
  readonly keptNote: string;
  readonly keptUntil: (date: string) => string;
  readonly exemptNote: string;

  readonly goneByHeading: string;
  readonly goneByNote: string;
  readonly goneBy: (date: string) => string;

  readonly openHeading: string;
  readonly openIntro: string;
  readonly everywhere: string;
  readonly reasons: Readonly<Record<ReasonGroup, string>>;
  readonly deadline: (date: string) => string;

  readonly guardHeading: string;
  readonly guardNote: (entries: number) => string;

  readonly limitsHeading: string;
  readonly limits: readonly string[];

  readonly checkHeading: string;
  readonly checkNote: string;
  readonly codeLabel: string;
  readonly codeNote: string;
  /** What the person writes into the file of identifiers that the command names. */
  readonly identifiersNote: string;
  readonly noCodeNote: string;

  readonly rightsHeading: string;
  /** GDPR Art. 12(4): told where not everything that was asked for has been done. */
  readonly refusal: string;
  readonly complaint: string;
  readonly remedy: string;
  readonly footer: string;
}
