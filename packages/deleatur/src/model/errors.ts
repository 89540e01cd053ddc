// The closed set of error classes, one for each audience. A message says what, where and what to do, and never carries a subject's content.

/** Where an error belongs: a file and line, a surface, a store. Never a subject's content. */
export interface ErrorPlace {
  readonly file?: string;
  readonly line?: number;
  readonly field?: string;
  readonly surface?: string;
  readonly store?: string;
  readonly request?: string;
}

export interface ErrorDetail {
  readonly place?: ErrorPlace;
  readonly cure?: string;
  readonly cause?: unknown;
}

/** The base of every error that Deleatur throws: `code` is stable, `cure` says what to do. */
export abstract class DeleaturError extends Error {
  readonly code: string;
  readonly place: ErrorPlace;
  readonly cure: string | undefined;
  /** The exit code of the command line for this class (DESIGN §8). */
  abstract readonly exitCode: number;

  constructor(code: string, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = new.target.name;
    this.code = code;
    this.place = detail.place ?? {};
    this.cure = detail.cure;
  }
}

/** The boundary file is wrong or does not fit the stores: mend the file. Exit 2. */
export class BoundaryError extends DeleaturError {
  override readonly exitCode = 2;
}

/** The call is wrong: mend the call. Exit 2. */
export class UsageError extends DeleaturError {
  override readonly exitCode = 2;
}

/** A store is missing, locked, corrupt, full or changed under us: repair or retry. Exit 1. */
export class StoreError extends DeleaturError {
  override readonly exitCode = 1;
}

/** The ledger or one of its keys is missing, wrong or damaged: stop. Exit 1. */
export class LedgerError extends DeleaturError {
  override readonly exitCode = 1;
}

export type WriteRefusal = "FENCED" | "ERASED_SOURCE" | "NO_SOURCE" | "DENYLISTED";

/** A write was refused at the door: do not retry. Exit 1. */
export class WriteRefusedError extends DeleaturError {
  override readonly exitCode = 1;
  declare readonly code: WriteRefusal;

  constructor(code: WriteRefusal, message: string, detail: ErrorDetail = {}) {
    super(code, message, detail);
  }
}

export type ClosureCode = "DOMAIN_NOT_COVERED" | "DOMAIN_NOT_EQUAL" | "LINEAGE_MISSING" | "EVENTUAL_DELETION";

/** An erasure cannot be attested over this closure; `surfaces` names them, sorted by UTF-8 bytes; `windowSeconds` for EVENTUAL_DELETION. Exit 21. */
export class DerivationClosureError extends DeleaturError {
  override readonly exitCode = 21;
  declare readonly code: ClosureCode;
  readonly surfaces: readonly string[];
  readonly windowSeconds: number | undefined;

  constructor(
    code: ClosureCode,
    message: string,
    detail: ErrorDetail & { surfaces?: readonly string[]; windowSeconds?: number } = {},
  ) {
    super(code, message, detail);
    this.surfaces = detail.surfaces ?? [];
    this.windowSeconds = detail.windowSeconds;
  }
}

export type AuditCode = "RESURRECTED" | "PRIMARY_STILL_HOLDS" | "RESURRECTABLE" | "NO_SURFACE_NAMED";

/** A forget tool's claim is contradicted by the evidence (CLAIM-3, VERDICT-3); repeating the delete does not cure it. Exit 21. */
export class ErasureAuditError extends DeleaturError {
  override readonly exitCode = 21;
  declare readonly code: AuditCode;

  constructor(code: AuditCode, message: string, detail: ErrorDetail = {}) {
    super(code, message, detail);
  }
}

/** What may be said of an error: our own words, and of a foreign one its code or class alone, for its message may quote content. */
export function reasonOf(error: unknown): string {
  if (error instanceof DeleaturError) return `${error.code}: ${error.message}`;
  if (error instanceof Error) return "code" in error && typeof error.code === "string" ? error.code : error.name;
  return "unknown error";
}
