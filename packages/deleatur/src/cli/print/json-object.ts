// The one JSON object of the command line: its schema, and the stable fields that every answer and every error has (DESIGN §8).

const SCHEMA = "deleatur-cli/1";

/** `verb` is what was asked; a field that the verb has nothing for is null or empty, never absent. */
export function jsonObject(
  verb: string,
  fields: Readonly<Record<string, unknown>>,
  exitCode: number,
): Readonly<Record<string, unknown>> {
  return {
    schema: SCHEMA,
    verb,
    state: null,
    verdict: null,
    reasons: [],
    attestation: null,
    survivors: [],
    suspects: null,
    surfaces: [],
    receipt: null,
    error: null,
    ...fields,
    exitCode,
  };
}
