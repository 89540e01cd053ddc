// The demo of the household agent, step by step in the order of the flow: declare, record, a naive forget, audit, forget, verify, offer again.
import { readFileSync } from "node:fs";
import { verifyReceipt } from "@deleatur/verify";
import { prepareAudit } from "../audit/prepare-audit.ts";
import { runAudit } from "../audit/run-audit.ts";
import { publicFormOf } from "../boundary/public-form.ts";
import type { RequestOutcome } from "../forget/outcome.ts";
import { groupBy } from "../model/group-by.ts";
import type { ReportProgress } from "../progress.ts";
import { type BuiltMemory, buildMemory } from "./build-memory.ts";
import type { DemoPage } from "./demo-page.ts";
import { type AuditFigures, DemoChecks, type DemoResult } from "./demo-result.ts";
import { forgetPerson, type ForgottenPerson } from "./forget-person.ts";
import type { MemoryData } from "./memory-data.ts";
import { NAIVE_SQL, naiveForget } from "./naive-forget.ts";
import { offerAgain } from "./offer-again.ts";
import { FORGOTTEN_EPISODE, FORGOTTEN_PERSON, scenario } from "./scenario.ts";

export interface DemoContext {
  /** Where the memory is built. */
  readonly work: string;
  /** Where receipts and letters go. */
  readonly out: string;
  readonly isKept: boolean;
  readonly page: DemoPage;
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  /** Progress of long work; it never goes where the story goes. */
  readonly report: ReportProgress;
}

export async function runHouseholdDemo(context: DemoContext, signal: AbortSignal): Promise<DemoResult> {
  const { page, clock, random } = context;
  const data = scenario();
  const checks = new DemoChecks();
  const begun = clock().getTime();
  page.title("Deleatur", "An agent's memory forgets a person, and shows that it did.");
  // No keys from outside: the demo makes its own ledger with its own keys.
  const built = await buildMemory(
    context.work,
    "household",
    data,
    { clock, random, report: context.report, environment: {} },
    signal,
  );
  const seconds = (clock().getTime() - begun) / 1000;
  try {
    tellDeclaration(built, data, page);
    const audit = await auditNaiveForget(built, data, page, checks, signal);
    const person = data.people.find(({ id }) => id === FORGOTTEN_PERSON);
    const before = built.store.sharedTexts();
    const forgotten = await forgetPerson(
      built,
      {
        identifier: `account:${FORGOTTEN_PERSON}`,
        account: FORGOTTEN_PERSON,
        name: person?.name ?? FORGOTTEN_PERSON,
        before: [],
        out: context.out,
        fileSuffix: "",
        clock,
      },
      checks,
      signal,
    );
    tellForget(built, forgotten, before, page);
    tellVerification(context, built, forgotten, checks);
    const offered = await offerAgain(built, data, page, checks, signal);
    tellEnd(context, checks);
    return {
      schema: "deleatur/demo/v1",
      demo: "household",
      ...(context.isKept ? { out: context.out } : {}),
      built: {
        people: data.people.length,
        episodes: data.episodes.length,
        summaries: data.summaries.length,
        answers: data.answers.length,
        seconds,
      },
      naive: { sql: NAIVE_SQL, said: "deleted" },
      audit: {
        verdict: audit.verdict ?? audit.state,
        reasons: [...new Set(audit.reasons.map(({ code }) => code))],
        ...survivorsByLabel(built, audit),
      },
      forgotten: [forgotten.forgotten],
      offered,
      checks: checks.all,
      exitCode: checks.exitCode,
    };
  } finally {
    built.store.close();
    await built.memory.close();
  }
}

function tellDeclaration(built: BuiltMemory, data: MemoryData, page: DemoPage): void {
  const { surfaces, exempt } = built.memory.engine.boundary;
  page.step("Declare", "deleatur.yaml: the inventory of every data location");
  page.text(`${surfaces.map(({ label }) => label).join(", ")}; exempt: ${exempt.map(({ name }) => name).join(", ")}.`);
  page.step("Record", "a fortnight of a shared house with four people");
  page.text(
    `${data.episodes.length} things said, each in the conversation memory, a transcript, the search index and as an embedding; ` +
      `${data.summaries.length} summaries and ${data.answers.length} cached answers made from them, most from several people's words. ` +
      "The agent wrote them through the SDK, so each knows its person or its sources.",
  );
}

/** The naive tool deletes one row of the person who asks; the audit looks for what is left of that row. */
async function auditNaiveForget(
  built: BuiltMemory,
  data: MemoryData,
  page: DemoPage,
  checks: DemoChecks,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const record = `episodes/${FORGOTTEN_EPISODE}`;
  const words = data.episodes.find(({ id }) => id === FORGOTTEN_EPISODE)?.text ?? "";
  // Taken before the tool runs: afterwards nobody could tell what there was to look for.
  const ticket = await prepareAudit(built.memory.engine, { records: [record] }, signal);
  const answer = naiveForget(built.databaseFile, FORGOTTEN_EPISODE);
  page.step("A naive forget", "Marta: “Please forget what I told you about my knee.”");
  page.quote(words);
  page.text(`${NAIVE_SQL.replace("?", String(FORGOTTEN_EPISODE))};   →   “${answer.status}”`);
  const claim = {
    subject: record,
    records: [record],
    status: "success",
    surfacesReached: ["episodes"],
    tombstoneWritten: false,
  } as const;
  const audit = await runAudit(built.memory.engine, { ticket, claim }, signal);
  page.step("Audit", "is it gone?");
  const { survivors, traces } = survivorsByLabel(built, audit);
  page.bad(`${audit.verdict ?? audit.state}: ${survivors.reduce((sum, { count }) => sum + count, 0)} copies are left.`);
  page.table(
    ["data location", "left"],
    survivors.map(({ label, count }) => [label, String(count)]),
  );
  if (traces.length > 0) page.text(`And traces of the row's words in ${traces.join(", ")}.`);
  const quoting = [...built.store.sharedTexts()].find(([, text]) => text.includes("Sankt Vinzenz"));
  if (quoting !== undefined) {
    page.text(`For example ${quoting[0]}:`);
    page.quote(quoting[1]);
  }
  checks.expect("the naive tool says deleted", "deleted", answer.status);
  checks.expect("the audit of the naive tool says PARTIAL", "PARTIAL", audit.verdict ?? audit.state);
  checks.expect("the audit names survivors", "some", survivors.length > 0 ? "some" : "none");
  return audit;
}

/** Records that a probe named by key, by data location; and the places where only traces are left, in files and index terms. */
function survivorsByLabel(built: BuiltMemory, audit: RequestOutcome): Pick<AuditFigures, "survivors" | "traces"> {
  const labels = new Map<string, string>(built.memory.engine.boundary.surfaces.map(({ id, label }) => [id, label]));
  const named = audit.survivors.filter(({ key }) => key !== undefined);
  const bySurface = groupBy(named, ({ surface, container }) => surface ?? container);
  return {
    survivors: Array.from(bySurface, ([surface, survivors]) => ({
      label: labels.get(surface) ?? surface,
      // Several probes may find one record: it is one copy.
      count: new Set(survivors.map(({ key }) => key)).size,
    })),
    traces: [...new Set(audit.survivors.filter(({ key }) => key === undefined).map(({ container }) => container))],
  };
}

function tellForget(
  built: BuiltMemory,
  { outcome, forgotten }: ForgottenPerson,
  before: ReadonlyMap<string, string>,
  page: DemoPage,
): void {
  page.step("Forget", "everything about Marta, and everything derived from it");
  page.table(
    ["data location", "erased", "rewritten"],
    forgotten.surfaces.map(({ label, erased, rewritten }) => [label, dash(erased), dash(rewritten)]),
  );
  const verdict = outcome.verdict ?? outcome.state;
  if (outcome.verdict === "COMPLIANT") {
    page.good(`COMPLIANT: nothing found in the ${outcome.surfaces.length} declared locations.`);
  } else {
    page.bad(`${verdict}: ${outcome.why ?? forgotten.reasons.join(", ")}`);
  }
  const after = built.store.sharedTexts();
  const rewritten = [...after].find(([id, text]) => before.has(id) && before.get(id) !== text);
  if (rewritten !== undefined) {
    page.text(`What others had a part in was written anew from their words alone, for example ${rewritten[0]}:`);
    page.quote(rewritten[1]);
  }
  const { rows, isUnchanged } = forgotten.others;
  const byPolicy = outcome.bystanders.lostByPolicy;
  page.text(
    `Everybody else: ${rows} rows and lines, ${isUnchanged ? "byte for byte as before" : "NOT as before"}.` +
      (byPolicy === 0 ? "" : ` Of shared cached answers ${byPolicy} went, as the inventory declares.`),
  );
}

function tellVerification(
  { page, out, isKept, clock }: DemoContext,
  built: BuiltMemory,
  { report, forgotten }: ForgottenPerson,
  checks: DemoChecks,
): void {
  page.step("Verify", "somebody else checks the receipt, offline, with what they have pinned");
  if (report === undefined || forgotten.receipt === null) {
    page.bad("There is no receipt to verify.");
    return;
  }
  const passed = report.checks.filter(({ status }) => status === "pass").length;
  const failed = report.checks.filter(({ status }) => status === "fail");
  const line = `${report.outcome.kind}: ${passed} of ${report.checks.length} checks pass, ${failed.length} fail.`;
  if (report.outcome.kind === "erasure") page.good(line);
  else page.bad(line);
  for (const { code, message } of failed) page.bad(`${code}: ${message}`);
  const forged = forge(readFileSync(forgotten.receipt, "utf8"));
  const again = verifyReceipt(forged, {
    publicKeys: [built.memory.engine.ledger.keys.publicKeyPem()],
    threshold: 1,
    scope: { boundary: publicFormOf(built.memory.engine.boundary).text },
    acceptSelfAttested: true,
    auditorKeys: [],
    now: clock(),
  });
  checks.expect("a forged receipt does not verify", "invalid", again.outcome.kind);
  page.text(`The same receipt with one letter changed: ${again.outcome.kind}.`);
  if (isKept) page.text(`Receipt, inventory, public key and Marta's letter (en, de, fr) are in ${out}`);
}

/** Changes one letter of what was signed. */
function forge(receipt: string): string {
  return receipt.replace(
    /("payload"\s*:\s*"[A-Za-z0-9+/]{40})(.)/,
    (_, head: string, letter: string) => head + (letter === "A" ? "B" : "A"),
  );
}

function dash(count: number): string {
  return count === 0 ? "–" : String(count);
}

function tellEnd({ page, isKept }: DemoContext, checks: DemoChecks): void {
  const missed = checks.all.filter(({ isMet }) => !isMet);
  page.step("So", "“deleted” and “cannot be recovered” are two facts");
  for (const { name, instead } of missed) page.bad(`did not come out: ${name} (instead: ${instead ?? "nothing"})`);
  if (missed.length > 0) return;
  page.text(
    "The first is a tool's word. The second was looked for, by other eyes than those that erased, and signed. " +
      "Not looked for: paraphrases, and mentions of a name in other people's words.",
  );
  if (!isKept) page.text("Keep the receipt and the letter: npm run demo -- --out DIR");
}
