// The report of a verification: every check in its order, whatever happened. It must not be able to leave a check out.

/** Every check, in the order of PROOFS §4. The codes are stable. */
export const CHECK_CODES = [
  "VERIFIER",
  "SIZE",
  "RECEIPT_FORM",
  "PAYLOAD_TYPE",
  "SIGNATURES",
  "STATEMENT_FORM",
  "KIND",
  "DOMAIN",
  "SURFACE_STATES",
  "DELETION",
  "FENCE",
  "PROBES",
  "SUSPECTS",
  "LINEAGE",
  "INTENTS",
  "DENYLIST",
  "RESIDUAL_RISKS",
  "EXEMPTIONS",
  "BYSTANDERS",
  "BOUNDARY_FORM",
  "SURFACES",
  "SCOPE",
  "HORIZON_BOUNDS",
  "EPOCH_KEYS",
  "COMMITMENTS",
  "BOUNDARY_ROOT",
  "MANIFEST",
  "DROPPED",
  "QUERIES",
  "EXCLUSION",
  "LOG_CHECKPOINT",
  "LOG_INCLUSION",
  "LOG_ORDER",
  "LOG_BINDING",
  "BOUNDARY_HISTORY",
  "PERSON",
  "COSIGNATURES",
  "TIMESTAMP",
  "TIME",
  "EFFECTIVE",
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** `warn`: it holds, with something to know. `not-applicable`: this kind has no such thing. `not-reached`: something before it was missing. */
export type CheckStatus = "pass" | "fail" | "warn" | "not-reached" | "not-applicable";

export interface Check {
  readonly code: CheckCode;
  readonly status: CheckStatus;
  /** One sentence, free of any subject's content. */
  readonly message: string;
  /** The data location that it is about, where it is about one. */
  readonly surface: string | null;
}

/** A check of one kind, before it has its code. */
export interface Finding {
  readonly status: CheckStatus;
  readonly message: string;
  readonly surface?: string;
}

export function pass(message: string): Finding {
  return { status: "pass", message };
}

export function fail(message: string, surface?: string): Finding {
  return surface === undefined ? { status: "fail", message } : { status: "fail", message, surface };
}

export function warn(message: string): Finding {
  return { status: "warn", message };
}

export function notApplicable(message: string): Finding {
  return { status: "not-applicable", message };
}

export function notReached(message: string): Finding {
  return { status: "not-reached", message };
}

/** Collects findings by check; what nobody recorded comes out as not reached. */
export class CheckRecorder {
  readonly #findings = new Map<CheckCode, Finding[]>();

  record(code: CheckCode, ...findings: readonly Finding[]): void {
    this.#findings.set(code, [...(this.#findings.get(code) ?? []), ...findings]);
  }

  /** Whether a check was made and nothing in it failed. */
  holds(code: CheckCode): boolean {
    const findings = this.#findings.get(code) ?? [];
    return findings.length > 0 && findings.every(({ status }) => status === "pass" || status === "warn");
  }

  hasFailed(): boolean {
    return this.checks().some(({ status }) => status === "fail");
  }

  checks(): readonly Check[] {
    return CHECK_CODES.flatMap((code) => {
      const findings = this.#findings.get(code) ?? [notReached("a check before this one did not hold")];
      return findings.map(({ status, message, surface }) => ({ code, status, message, surface: surface ?? null }));
    });
  }
}

/** What the receipt amounts to, with the exit code of DESIGN §8. */
export type VerifyOutcome =
  | { readonly kind: "erasure"; readonly exitCode: 0 }
  | { readonly kind: "tombstone"; readonly exitCode: 20 }
  | { readonly kind: "withheld"; readonly exitCode: 21 }
  | { readonly kind: "not-yet-effective"; readonly exitCode: 22 }
  | {
      readonly kind: "signature-holds";
      readonly exitCode: 23;
      readonly missing: readonly ("scope" | "exclusion" | "second pair of eyes")[];
    }
  | { readonly kind: "invalid"; readonly exitCode: 24 };

export interface VerifyReport {
  readonly outcome: VerifyOutcome;
  readonly checks: readonly Check[];
  /** Whose boundary the scope was held against. */
  readonly scope: "pinned public form" | "own list" | "not checked";
  /** What nobody can have made up without breaking a hash or a signature; empty where the receipt is invalid. */
  readonly restsOnMathematics: readonly string[];
  /** What is so only if the operator says the truth. */
  readonly restsOnOperator: readonly string[];
}
