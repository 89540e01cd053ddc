// `letter`: writes the letter to the person from a receipt. Only from a receipt that verifies: an invalid one makes no letter.
import { type Command, Option } from "commander";
import { DEFAULT_LIMITS, textOf, verifyReceipt } from "@deleatur/verify";
import { publicFormOf } from "../../boundary/public-form.ts";
import { composeLetter } from "../../letter/compose-letter.ts";
import type { LetterLanguage } from "../../letter/wording.ts";
import { parseJson, readBounded, writeGiven } from "../files.ts";
import { verifyJson, verifyText } from "../print/verify-report.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { readPersonCode, readPublicKey } from "../verifier-input.ts";

interface LetterFlags {
  readonly lang: LetterLanguage;
  readonly personCode?: string;
  readonly publicKey?: string;
  readonly controller?: string;
  readonly out?: string;
}

export function addLetter(program: Command, run: RunVerb): void {
  program
    .command("letter <receipt>")
    .description("write the letter to the person from a receipt, as one printable HTML page")
    .addOption(new Option("--lang <language>", "its language").choices(["en", "de", "fr"]).default("en"))
    .option(
      "--person-code <code>",
      "the code that binds the receipt to the person; it belongs in the letter and nowhere else",
    )
    .option("--public-key <file>", "the key that signed (default: that of the ledger at hand)")
    .option("--controller <name>", "who answers")
    .option("--out <file>", "write it there instead of stdout")
    .action((receipt: string, flags: LetterFlags, command: Command) =>
      run(command, (context) => letter(receipt, flags, context)),
    );
}

async function letter(file: string, flags: LetterFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  const personCode = flags.personCode === undefined ? undefined : readPersonCode(flags.personCode);
  const receipt = await readBounded(terminal, file, DEFAULT_LIMITS.maxBytes);
  const { publicKey, form } = await pinned(flags, context);
  const report = verifyReceipt(receipt, {
    publicKeys: [publicKey],
    threshold: 1,
    ...(form === undefined ? {} : { scope: { boundary: form } }),
    ...(personCode === undefined ? {} : { personCode }),
    acceptSelfAttested: true,
    auditorKeys: [],
    now: terminal.clock(),
  });
  if (report.outcome.kind === "invalid") {
    return { text: verifyText(report, context.paint), json: verifyJson(report), exitCode: report.outcome.exitCode };
  }
  const html = composeLetter(parseJson(textOf(receipt), file), {
    lang: flags.lang,
    now: terminal.clock(),
    ...(flags.personCode === undefined ? {} : { personCode: flags.personCode }),
    ...(flags.controller === undefined ? {} : { controller: flags.controller }),
  });
  if (flags.out !== undefined) writeGiven(terminal, flags.out, html, { isPrivate: true });
  return {
    text: flags.out === undefined ? html : `Letter written to ${flags.out}`,
    json: {
      ...verifyJson(report),
      lang: flags.lang,
      file: flags.out ?? null,
      ...(flags.out === undefined ? { html } : {}),
    },
    exitCode: 0,
  };
}

/** The given key alone, or key and inventory of the ledger at hand. */
async function pinned(
  { publicKey }: LetterFlags,
  context: VerbContext,
): Promise<{ readonly publicKey: Uint8Array | string; readonly form?: string }> {
  if (publicKey !== undefined) return { publicKey: await readPublicKey(context.terminal, publicKey) };
  const { engine } = await context.openMemory();
  return { publicKey: engine.ledger.keys.publicKeyPem(), form: publicFormOf(engine.boundary).text };
}
