// Words and JSON of an error: class, code, where, cure. A foreign error's own message may quote a row, so only its code is shown.
import { boundaryProblems } from "../../boundary/problem.ts";
import { BoundaryError, DeleaturError, DerivationClosureError } from "../../model/errors.ts";
import type { VerbResult } from "../terminal.ts";

const FAILED = 1;
const INTERRUPTED = 130;

interface Told {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly where: Readonly<Record<string, unknown>>;
  readonly cure: string | undefined;
}

/** `request` is the one that was worked on when it happened; `acts` are the flags of the command that its resumption wants too. */
export function errorResult(
  error: unknown,
  isInterrupted: boolean,
  request: string | undefined,
  acts: readonly string[] = [],
): VerbResult {
  const about = request === undefined ? {} : { request };
  if (isInterrupted) {
    const cure =
      request === undefined
        ? "run the command again; an open request goes on with `deleatur forget --resume`"
        : `run \`${["deleatur forget --resume", request, ...acts].join(" ")}\``;
    const message = "interrupted, nothing more is claimed than had happened";
    return result([{ name: "Interrupted", code: "INTERRUPTED", message, where: about, cure }], INTERRUPTED);
  }
  if (error instanceof BoundaryError) return result(boundaryProblems(error).map(tell), error.exitCode);
  if (error instanceof DeleaturError) {
    const told = tell(error);
    const surfaces = error instanceof DerivationClosureError ? { surfaces: error.surfaces } : {};
    return result([{ ...told, where: { ...about, ...told.where, ...surfaces } }], error.exitCode);
  }
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNEXPECTED";
  return result(
    [
      {
        name: error instanceof Error ? error.name : "Error",
        code,
        message: "an unexpected failure, nothing is claimed",
        where: about,
        cure: "run the command again; an open request is continued with --resume",
      },
    ],
    FAILED,
  );
}

function tell(error: DeleaturError): Told {
  return { name: error.name, code: error.code, message: error.message, where: { ...error.place }, cure: error.cure };
}

function result(all: readonly Told[], exitCode: number): VerbResult {
  const [first] = all;
  const problems = all.map(({ code, message, where, cure }) => ({ code, message, where, cure: cure ?? null }));
  return {
    text: `${all.map(lines).join("\n")}\n`,
    json: {
      error: { class: first?.name ?? "Error", ...problems[0], ...(all.length > 1 ? { problems } : {}) },
    },
    exitCode,
  };
}

function lines({ name, code, message, where, cure }: Told): string {
  const { file, line, ...rest } = where;
  const places = [
    ...(typeof file === "string" ? [typeof line === "number" ? `${file}:${line}` : file] : []),
    ...Object.entries(rest).flatMap(([key, value]) => {
      if (typeof value === "string" || typeof value === "number") return [`${key} ${value}`];
      return Array.isArray(value) && value.length > 0 ? [`${key} ${value.join(", ")}`] : [];
    }),
  ];
  return [
    `${name} ${code}: ${withoutPlace(message, { file, line, cure })}`,
    ...(places.length === 0 ? [] : [`  where: ${places.join(", ")}`]),
    ...(cure === undefined ? [] : [`  cure:  ${cure}`]),
  ].join("\n");
}

/** A message stands by itself and may name its place and its cure; on a terminal these have lines of their own. */
function withoutPlace(
  message: string,
  { file, line, cure }: Readonly<Record<"file" | "line" | "cure", unknown>>,
): string {
  const before = [`${String(file)}, line ${String(line)}: `, `${String(file)}: `].find((one) =>
    message.startsWith(one),
  );
  const after = `, ${String(cure)}`;
  return message.slice(before?.length ?? 0, message.endsWith(after) ? -after.length : undefined);
}
