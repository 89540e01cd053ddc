// Has one person forgotten and holds the result against the world: everybody else's rows, the receipt at the verifier, the letter. Shared by both demos.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePersonCode, verifyReceipt, type VerifyReport } from "@deleatur/verify";
import { publicFormOf } from "../boundary/public-form.ts";
import type { Suspect } from "../examine/grade-findings.ts";
import type { RequestOutcome } from "../forget/outcome.ts";
import { composeLetter } from "../letter/compose-letter.ts";
import { parseIdentifier } from "../model/ids.ts";
import type { BuiltMemory } from "./build-memory.ts";
import type { DemoChecks, DemoForgotten } from "./demo-result.ts";

export interface ForgetPerson {
  /** The identifier that is given; others are found through the profile. */
  readonly identifier: string;
  /** The person's value in the store's own columns. */
  readonly account: string;
  /** For the demo's own lines and file names. */
  readonly name: string;
  /** Who has been forgotten before: their rows are not "everybody else's". */
  readonly before: readonly string[];
  /** Where the receipt and the letters go. */
  readonly out: string;
  readonly fileSuffix: string;
  readonly clock: () => Date;
  /** Decides likenesses, as the privacy officer would; left open where it cannot tell. */
  readonly review?: (suspect: Suspect) => "kept" | "erased" | undefined;
}

export interface ForgottenPerson {
  readonly outcome: RequestOutcome;
  readonly report: VerifyReport | undefined;
  readonly forgotten: DemoForgotten;
}

const LANGUAGES = ["en", "de", "fr"] as const;
const CONTROLLER = "Lindenhof Housing Cooperative (fictional)";

/** Forgets, compares, writes receipt and letters, verifies; every part is a check. */
export async function forgetPerson(
  built: BuiltMemory,
  person: ForgetPerson,
  checks: DemoChecks,
  signal: AbortSignal,
): Promise<ForgottenPerson> {
  const others = [...person.before, person.account];
  const before = built.store.digestOthers(others);
  const begun = person.clock().getTime();
  let outcome = await built.memory.forget({ subject: [person.identifier], now: true }, signal);
  const reviewed = reviewAll(built, person, outcome);
  if (reviewed > 0) outcome = await built.memory.resume(outcome.request, { now: true }, signal);
  const seconds = (person.clock().getTime() - begun) / 1000;
  const after = built.store.digestOthers(others);

  checks.expect(`${person.name} is forgotten`, "COMPLIANT", outcome.verdict ?? outcome.state);
  checks.expect(`an erasure is attested for ${person.name}`, "erasure", outcome.attestation.kind);
  checks.expect(`nobody else's rows changed (${person.name})`, before.digest, after.digest);
  checks.expect(`no bystander is lost (${person.name})`, "0", String(unnamedLosses(outcome)));

  const papers = outcome.receipt === undefined ? undefined : writePapers(built, person, outcome, outcome.receipt);
  checks.expect(`the receipt verifies (${person.name})`, "erasure", papers?.report.outcome.kind ?? "no receipt");
  return {
    outcome,
    report: papers?.report,
    forgotten: {
      person: person.name,
      verdict: outcome.verdict ?? "none",
      attestation: outcome.attestation.kind,
      erased: outcome.surfaces.reduce((sum, { erased }) => sum + erased, 0),
      rewritten: outcome.surfaces.reduce((sum, { rewritten }) => sum + rewritten, 0),
      surfaces: outcome.surfaces.map(({ surface, label, erased, rewritten }) => ({
        surface,
        label,
        erased,
        rewritten,
      })),
      reasons: [...new Set(outcome.reasons.map(({ code }) => code))],
      others: { rows: after.rows, isUnchanged: before.digest === after.digest },
      bystanders: outcome.bystanders,
      reviewed,
      verified: papers?.report.outcome.kind ?? "no receipt",
      seconds,
      receipt: papers?.receipt ?? null,
      letters: papers?.letters ?? [],
    },
  };
}

/** How many likenesses were decided. */
function reviewAll(built: BuiltMemory, { review }: ForgetPerson, { request, suspects }: RequestOutcome): number {
  if (review === undefined || suspects.open === 0) return 0;
  let reviewed = 0;
  for (const suspect of built.memory.suspects(request)) {
    const decision = review(suspect);
    if (decision === undefined) continue;
    const reason = decision === "kept" ? "TURN_OF_PHRASE" : "ABOUT_THE_PERSON";
    built.memory.review(request, { suspect: suspect.id, decision, role: "privacy-officer", reason });
    reviewed += 1;
  }
  return reviewed;
}

/** Losses that no declared policy names; those of `shared: destroy` are counted apart. */
function unnamedLosses({ bystanders }: RequestOutcome): number {
  return bystanders.lost - bystanders.lostByPolicy;
}

interface Papers {
  readonly receipt: string;
  readonly letters: readonly string[];
  readonly report: VerifyReport;
}

/** The receipt with what a verifier pins, and the letter in three languages. */
function writePapers(built: BuiltMemory, person: ForgetPerson, outcome: RequestOutcome, from: string): Papers {
  mkdirSync(person.out, { recursive: true });
  const text = readFileSync(from, "utf8");
  const receipt = join(person.out, `receipt${person.fileSuffix}.deleatur.json`);
  writeFileSync(receipt, text);
  const form = publicFormOf(built.memory.engine.boundary).text;
  const publicKey = built.memory.engine.ledger.keys.publicKeyPem();
  writeFileSync(join(person.out, "boundary.public.json"), form);
  writeFileSync(join(person.out, "public-key.pem"), publicKey);
  const report = verifyReceipt(text, {
    publicKeys: [publicKey],
    threshold: 1,
    scope: { boundary: form },
    ...(outcome.personCode === undefined ? {} : { personCode: parsePersonCode(outcome.personCode) }),
    ...(outcome.personCode === undefined ? {} : { identifiers: [asIdentifier(person.identifier)] }),
    acceptSelfAttested: true,
    auditorKeys: [],
    now: person.clock(),
  });
  // A letter is written only from what the verifier accepts.
  const letters = report.outcome.kind === "invalid" ? [] : writeLetters(person, outcome, JSON.parse(text));
  return { receipt, letters, report };
}

function writeLetters(person: ForgetPerson, outcome: RequestOutcome, receipt: unknown): readonly string[] {
  return LANGUAGES.map((lang) => {
    const file = join(person.out, `letter${person.fileSuffix}.${lang}.html`);
    const letter = composeLetter(receipt, {
      lang,
      controller: CONTROLLER,
      now: person.clock(),
      ...(outcome.personCode === undefined ? {} : { personCode: outcome.personCode }),
    });
    writeFileSync(file, letter);
    return file;
  });
}

function asIdentifier(identifier: string): { readonly type: string; readonly identifier: string } {
  const { type, value } = parseIdentifier(identifier);
  return { type, identifier: value };
}
