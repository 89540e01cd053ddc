// Writes the papers of a request: receipt, what a verifier pins, and the letter. A letter is written only from a receipt that our own verifier accepts.
import { mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parsePersonCode, verifyReceipt } from "@deleatur/verify";
import { publicFormOf } from "../boundary/public-form.ts";
import type { RequestOutcome } from "../forget/outcome.ts";
import { composeLetter } from "../letter/compose-letter.ts";
import type { LetterLanguage } from "../letter/wording.ts";
import type { Deleatur } from "../open-deleatur.ts";
import { parseJson, resolveFrom, writeGiven } from "./files.ts";
import type { Terminal } from "./terminal.ts";

export interface Papers {
  /** Where the receipt is, if it was copied. */
  readonly receipt?: string;
  readonly files: readonly string[];
}

export interface PaperOrder {
  readonly out?: string;
  readonly lang: LetterLanguage;
  readonly controller?: string;
}

/**
 * With `out`, all papers go there. Without it only the letter of a request that has just closed is written, beside its receipt: from then on the
 * person code stands in it and nowhere else (PROOFS §4), so it must not be lost with the terminal's lines.
 */
export function handOut(memory: Deleatur, outcome: RequestOutcome, order: PaperOrder, terminal: Terminal): Papers {
  const { receipt, personCode, state } = outcome;
  const isLast = state === "closed" && personCode !== undefined;
  if (receipt === undefined || (order.out === undefined && !isLast)) return { files: [] };
  const text = readFileSync(receipt, "utf8");
  const directory = order.out ?? dirname(receipt);
  const name = basename(receipt, ".deleatur.json");
  const letter = join(directory, `${name}.letter.${order.lang}.html`);
  const files: string[] = [];
  const write = (file: string, content: string, isPrivate: boolean): void => {
    writeGiven(terminal, file, content, { isPrivate });
    files.push(file);
  };
  const publicKey = memory.engine.ledger.keys.publicKeyPem();
  const { text: form } = publicFormOf(memory.engine.boundary);
  mkdirSync(resolveFrom(terminal, directory), { recursive: true });
  if (order.out !== undefined) {
    write(join(directory, basename(receipt)), text, false);
    write(join(directory, "boundary.public.json"), `${form}\n`, false);
    write(join(directory, "public-key.pem"), publicKey, false);
  }
  const report = verifyReceipt(text, {
    publicKeys: [publicKey],
    threshold: 1,
    scope: { boundary: form },
    ...(personCode === undefined ? {} : { personCode: parsePersonCode(personCode) }),
    acceptSelfAttested: true,
    auditorKeys: [],
    now: terminal.clock(),
  });
  if (report.outcome.kind !== "invalid") {
    const content = composeLetter(parseJson(text, receipt), {
      lang: order.lang,
      now: terminal.clock(),
      ...(personCode === undefined ? {} : { personCode }),
      ...(order.controller === undefined ? {} : { controller: order.controller }),
    });
    write(letter, content, true);
  }
  return { ...(order.out === undefined ? {} : { receipt: join(directory, basename(receipt)) }), files };
}
