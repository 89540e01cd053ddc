// `verify`: checks a receipt offline with what the verifier brings. It opens no boundary file, no ledger and no store of ours.
import type { Command } from "commander";
import { verifyReceipt, DEFAULT_LIMITS, type OwnScope, type VerifyOptions } from "@deleatur/verify";
import { UsageError } from "../../model/errors.ts";
import { parseIdentifier } from "../../model/ids.ts";
import { readBounded } from "../files.ts";
import { verifyJson, verifyText } from "../print/verify-report.ts";
import { readLines } from "../subject-input.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { own, readExpectList, readPersonCode, readPublicForm, readPublicKey } from "../verifier-input.ts";

interface VerifyFlags {
  readonly publicKey?: readonly string[];
  readonly logKey?: readonly string[];
  readonly auditorKey?: readonly string[];
  readonly expect?: string;
  readonly personCode?: string;
  readonly subjectFile?: string;
  readonly selfAttested?: boolean;
  readonly threshold?: string;
}

export function addVerify(program: Command, run: RunVerb): void {
  program
    .command("verify <receipt>")
    .description(
      "verify a receipt offline; --boundary here is your own copy of the public form, which `check --public` writes",
    )
    .option("--public-key <file...>", "the operator's public keys that you have pinned (PEM)")
    .option("--expect <list>", "instead of --boundary, your own list: lines `surface-id role` and `exempt name`")
    .option("--log-key <file...>", "keys of the log, where they are not the operator's")
    .option("--auditor-key <file...>", "keys of auditors whose co-signature you trust")
    .option("--threshold <number>", "how many distinct pinned keys must have signed", "1")
    .option("--person-code <code>", "the code from the person's letter")
    .option("--subject-file <file>", "identifiers to hold against the person code; - reads stdin")
    .option("--self-attested", "accept the operator's word alone, without an auditor's co-signature")
    .action((receipt: string, flags: VerifyFlags, command: Command) =>
      run(command, (context) => verify(receipt, flags, context)),
    );
}

async function verify(file: string, flags: VerifyFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal, paint } = context;
  if (flags.publicKey === undefined) {
    throw new UsageError("PUBLIC_KEY_MISSING", "a receipt is verified with a key that you have pinned", {
      cure: "give --public-key FILE, got from the operator on another way than the receipt",
    });
  }
  const identifiers = (await readLines(flags.subjectFile, terminal)).map((line) => {
    const { type, value } = parseIdentifier(line);
    return { type, identifier: value };
  });
  const personCode = flags.personCode === undefined ? undefined : readPersonCode(flags.personCode);
  const scope = await ownScope(flags, context);
  const readKeys = (files: readonly string[] | undefined): Promise<readonly Uint8Array[]> =>
    Promise.all((files ?? []).map((key) => readPublicKey(terminal, key)));
  const options: VerifyOptions = {
    publicKeys: await readKeys(flags.publicKey),
    threshold: Number(flags.threshold ?? "1"),
    ...(flags.logKey === undefined ? {} : { logKeys: await readKeys(flags.logKey) }),
    auditorKeys: await readKeys(flags.auditorKey),
    ...(scope === undefined ? {} : { scope }),
    ...(personCode === undefined ? {} : { personCode }),
    ...(identifiers.length === 0 ? {} : { identifiers }),
    acceptSelfAttested: flags.selfAttested === true,
    now: terminal.clock(),
  };
  const receipt = await readBounded(terminal, file, DEFAULT_LIMITS.maxBytes);
  const report = own("the threshold or an identifier", () => verifyReceipt(receipt, options));
  return { text: verifyText(report, paint), json: verifyJson(report), exitCode: report.outcome.exitCode };
}

async function ownScope(flags: VerifyFlags, { terminal, givenBoundary }: VerbContext): Promise<OwnScope | undefined> {
  if (givenBoundary !== undefined && flags.expect !== undefined) {
    throw new UsageError("TWO_SCOPES", "a receipt is held against one inventory", {
      cure: "give --boundary or --expect, one of the two",
    });
  }
  if (flags.expect !== undefined) return readExpectList(terminal, flags.expect);
  return givenBoundary === undefined ? undefined : readPublicForm(terminal, givenBoundary);
}
