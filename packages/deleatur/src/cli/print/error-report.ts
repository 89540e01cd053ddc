// Words and JSON of an error: class, code, where, cure. A foreign error's own message may quote a row, so only its code is shown.
import { DeleaturError } from "../../model/errors.ts";
import type { VerbResult } from "../terminal.ts";

const FAILED = 1;
const INTERRUPTED = 130;

export function errorResult(error: unknown, isInterrupted: boolean): VerbResult {
  if (isInterrupted) {
    return result(
      "Interrupted",
      "INTERRUPTED",
      "interrupted, an open request goes on with `deleatur forget --resume`",
      {},
      undefined,
      INTERRUPTED,
    );
  }
  if (error instanceof DeleaturError) {
    const all = "problems" in error && Array.isArray(error.problems) ? { problems: error.problems as unknown } : {};
    return result(error.name, error.code, error.message, { ...error.place, ...all }, error.cure, error.exitCode);
  }
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNEXPECTED";
  const name = error instanceof Error ? error.name : "Error";
  return result(
    name,
    code,
    "an unexpected failure, nothing is claimed",
    {},
    "run the command again; an open request is continued with --resume",
    FAILED,
  );
}

function result(
  name: string,
  code: string,
  message: string,
  where: Readonly<Record<string, unknown>>,
  cure: string | undefined,
  exitCode: number,
): VerbResult {
  const place = Object.entries(where)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(", ");
  const lines = [
    `${name} ${code}: ${message}`,
    ...(place === "" ? [] : [`  where: ${place}`]),
    ...(cure === undefined ? [] : [`  cure:  ${cure}`]),
  ];
  return {
    text: `${lines.join("\n")}\n`,
    json: { error: { class: name, code, message, where, cure: cure ?? null } },
    exitCode,
  };
}
