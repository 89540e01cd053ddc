// `keys`: carries the ledger's keys in a file that a passphrase encrypts, brings them back, or shows the public key. A key never reaches the screen.
import type { Command } from "commander";
import { exportKeys, importKeys } from "../../ledger/key-export.ts";
import { UsageError } from "../../model/errors.ts";
import { utcTime } from "../../model/utc-time.ts";
import { readGiven, writeGiven } from "../files.ts";
import type { Terminal, VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface KeyFlags {
  readonly passphraseFile?: string;
}

const VARIABLE = "DELEATUR_PASSPHRASE";

export function addKeys(program: Command, run: RunVerb): void {
  const keys = program
    .command("keys")
    .description("export, import or show the ledger's keys; without them the ledger stays closed");
  keys
    .command("export <file>")
    .description("write all keys to a new file, encrypted by a passphrase")
    .option("--passphrase-file <file>", `its first line; - reads stdin (default: ${VARIABLE}, or asked for)`)
    .action((file: string, flags: KeyFlags, command: Command) =>
      run(command, (context) => exportTo(file, flags, context)),
    );
  keys
    .command("import <file>")
    .description("bring back the keys from an export")
    .option("--passphrase-file <file>", `its first line; - reads stdin (default: ${VARIABLE}, or asked for)`)
    .action((file: string, flags: KeyFlags, command: Command) =>
      run(command, (context) => importFrom(file, flags, context)),
    );
  keys
    .command("public [file]")
    .description("the public key that verifiers pin, as PEM")
    .action((file: string | undefined, _flags: unknown, command: Command) =>
      run(command, (context) => showPublic(file, context)),
    );
}

async function exportTo(file: string, flags: KeyFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  const passphrase = await readPassphrase(flags, terminal);
  const { ledger } = (await context.openMemory()).engine;
  writeGiven(terminal, file, exportKeys(ledger.keys, passphrase, terminal.random), { isNew: true, isPrivate: true });
  ledger.append({ type: "keys-exported", at: utcTime(terminal.clock()) });
  return {
    text: `Keys exported to ${file}. Keep it and its passphrase apart, and away from the stores' backups.`,
    json: { file },
    exitCode: 0,
  };
}

/** Works where the ledger does not open: its keys are what is missing. */
async function importFrom(file: string, flags: KeyFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  const ledgerFile = context.loadBoundary().connect.ledger;
  const passphrase = await readPassphrase(flags, terminal);
  const imported = importKeys(await readGiven(terminal, file), passphrase, ledgerFile);
  return {
    text: imported.length === 0 ? "All keys were there already." : `Imported: ${imported.join(", ")}`,
    json: { imported },
    exitCode: 0,
  };
}

async function showPublic(file: string | undefined, context: VerbContext): Promise<VerbResult> {
  const pem = (await context.openMemory()).engine.ledger.keys.publicKeyPem();
  if (file !== undefined) writeGiven(context.terminal, file, pem);
  return {
    text: file === undefined ? pem : `Public key written to ${file}`,
    json: { publicKey: pem, file: file ?? null },
    exitCode: 0,
  };
}

async function readPassphrase({ passphraseFile }: KeyFlags, terminal: Terminal): Promise<string> {
  if (passphraseFile !== undefined) return (await readGiven(terminal, passphraseFile)).split(/\r?\n/)[0] ?? "";
  const set = terminal.environment[VARIABLE];
  if (set !== undefined && set !== "") return set;
  if (terminal.ask !== undefined) return terminal.ask("Passphrase of the export: ", true);
  throw new UsageError("PASSPHRASE_MISSING", "a key export needs a passphrase", {
    cure: `set ${VARIABLE}, or give --passphrase-file FILE; never as an argument`,
  });
}
