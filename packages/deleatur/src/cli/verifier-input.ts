// Reads what a verifier brings of its own: keys, an inventory, a list. What is wrong in it is a usage error that names the file, never a verdict.
import {
  type JsonValue,
  MalformedError,
  type OwnScope,
  parseExpectList,
  parsePersonCode,
  parsePublicKey,
  parseStrictJson,
} from "@deleatur/verify";
import { UsageError } from "../model/errors.ts";
import { readGiven } from "./files.ts";
import type { Terminal } from "./terminal.ts";

/** What a verifier's option says, or a usage error: a foreign message could repeat what was given. @throws UsageError BAD_VERIFIER_OPTION */
export function own<Value>(what: string, read: () => Value, file?: string): Value {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError("BAD_VERIFIER_OPTION", `${what} cannot be used for verifying`, {
      ...(file === undefined ? {} : { place: { file } }),
      cure: "see `deleatur verify --help`; keys are PEM files, the boundary is a public form in JSON",
      cause,
    });
  }
}

export async function readPublicKey(terminal: Terminal, file: string): Promise<Uint8Array> {
  const text = await readGiven(terminal, file);
  return own("a public key", () => parsePublicKey(text), file);
}

/** @throws UsageError NOT_A_PUBLIC_FORM: the natural slip is to give `deleatur.yaml`, which `--boundary` takes everywhere else */
export async function readPublicForm(terminal: Terminal, file: string): Promise<OwnScope> {
  return { boundary: publicForm(await readGiven(terminal, file), file) };
}

function publicForm(text: string, file: string): JsonValue {
  try {
    return parseStrictJson(text);
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    throw new UsageError(
      "NOT_A_PUBLIC_FORM",
      `what --boundary names is no public form of an inventory: ${cause.message}`,
      { place: { file }, cure: "make one with `deleatur check --public FILE`, or get it from whom you trust", cause },
    );
  }
}

export async function readExpectList(terminal: Terminal, file: string): Promise<OwnScope> {
  const text = await readGiven(terminal, file);
  return { expect: own("--expect", () => parseExpectList(text), file) };
}

/** @throws UsageError BAD_PERSON_CODE */
export function readPersonCode(code: string): Uint8Array {
  try {
    return parsePersonCode(code);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError("BAD_PERSON_CODE", "the person code has a slip in it", {
      cure: "copy it again from where it stands, eight groups of seven letters",
      cause,
    });
  }
}
