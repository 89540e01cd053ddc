// What is wrong with a boundary, collected before anything is thrown: one BoundaryError carries every problem found. It never repeats a value.
import { BoundaryError, type ErrorPlace } from "../model/errors.ts";

export type FieldPath = readonly (string | number)[];

/** One flaw: `what` follows the field's name in a sentence, `cure` says what to do. Neither may hold a value from `connect`. */
export interface Problem {
  readonly code: string;
  readonly path: FieldPath;
  readonly what: string;
  readonly cure: string;
  readonly surface?: string;
  readonly store?: string;
  readonly line?: number;
}

/** Reports one problem of a rule; `surface` where it belongs to one. */
export type Report = (code: string, path: FieldPath, what: string, cure: string, surface?: string) => void;

export interface ProblemContext {
  readonly file: string | undefined;
  lineOf(path: FieldPath): number | undefined;
}

/** `surfaces.episodes.subject[1].type`; names are cut so that no message grows with the file. */
function fieldName(path: FieldPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += (text === "" ? "" : ".") + cut(step);
  }
  return text;
}

/** A name from the file as a message may repeat it: short, on one line. */
export function cut(text: string): string {
  const oneLine = text.replaceAll(/[\p{Cc}\p{Cs}]/gu, "?");
  return oneLine.length <= 80 ? oneLine : `${oneLine.slice(0, 77)}...`;
}

function singleError(problem: Problem, context: ProblemContext, cause?: unknown): BoundaryError {
  const line = problem.line ?? context.lineOf(problem.path);
  const field = fieldName(problem.path);
  const where = [context.file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined);
  const prefix = where.length === 0 ? "" : `${where.join(", ")}: `;
  const place: ErrorPlace = {
    ...(context.file === undefined ? {} : { file: context.file }),
    ...(line === undefined ? {} : { line }),
    ...(field === "" ? {} : { field }),
    ...(problem.surface === undefined ? {} : { surface: problem.surface }),
    ...(problem.store === undefined ? {} : { store: problem.store }),
  };
  const message = `${prefix}${field === "" ? "the boundary" : field} ${problem.what}, ${problem.cure}`;
  return new BoundaryError(problem.code, message, {
    place,
    cure: problem.cure,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The error to throw: the first problem is its message; all of them, itself included, are what `boundaryProblems` gives back. */
export function boundaryError(problems: readonly [Problem, ...Problem[]], context: ProblemContext): BoundaryError {
  const inOrder = problems
    .map((problem) => ({ problem, line: problem.line ?? context.lineOf(problem.path) ?? Number.MAX_SAFE_INTEGER }))
    .toSorted((a, b) => a.line - b.line)
    .map(({ problem }) => problem);
  const first = inOrder[0] ?? problems[0];
  if (inOrder.length === 1) return singleError(first, context);
  const all = inOrder.map((problem) => singleError(problem, context));
  return singleError(first, context, new AggregateError(all, `${all.length} problems in the boundary`));
}

/** Every problem that a BoundaryError of this folder carries, in the order of the file; the error itself where it is the only one. */
export function boundaryProblems(error: BoundaryError): readonly BoundaryError[] {
  if (!(error.cause instanceof AggregateError)) return [error];
  return error.cause.errors.filter((item): item is BoundaryError => item instanceof BoundaryError);
}
