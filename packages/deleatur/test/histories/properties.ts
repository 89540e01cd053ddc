// The properties that every outcome of a history is held against, by the oracle's own look at stores, ledger and receipt.
import { readFileSync } from "node:fs";
import { verifyReceipt } from "@deleatur/verify";
import { publicFormOf } from "../../src/boundary/public-form.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { bystanderRows, leaksIn, leaksInText, ledgerFiles, type Rows, rowsOf, sharedRows, tracesOf } from "./oracle.ts";
import type { Holder } from "./holders.ts";
import type { Tally } from "./tally.ts";
import type { Target } from "./truth.ts";
import type { World } from "./world.ts";

/** A property that does not hold: what a history is run for. */
export class Broken extends Error {}

export function hold(isTrue: boolean, why: () => string): asserts isTrue {
  if (!isTrue) throw new Broken(why());
}

/** What a run must be judged by: taken before it begins. */
export interface Before {
  readonly rows: Rows;
  /** Of these, what was nobody's of the targets. */
  readonly bystanders: Rows;
  /** What others said in summaries that they share with the targets. */
  readonly shared: ReadonlyMap<string, readonly string[]>;
  /** What processes hold of episodes that are nobody's of the targets. */
  readonly held: readonly { readonly holder: Holder; readonly key: string }[];
  /** The targets that are worked on while it runs. */
  readonly targets: readonly Target[];
}

export function lookBefore(world: World, targets: readonly Target[]): Before {
  const rows = rowsOf(world.directory);
  const bystanders = bystanderRows(rows, world.truth, targets);
  return {
    rows,
    bystanders,
    held: world.holders.flatMap((holder) =>
      [...holder.copies].flatMap(([key, { source }]) =>
        bystanders.has(`episodes/${source}`) ? [{ holder, key }] : [],
      ),
    ),
    shared: sharedRows(rows, world.truth, targets),
    targets,
  };
}

/** Holds an outcome against the truth as it is at this very moment. */
export function judgeOutcome(
  world: World,
  target: Target,
  before: Before,
  outcome: RequestOutcome,
  tally: Tally,
): void {
  tally.add(outcome.verdict === undefined ? `state ${outcome.state}` : `verdict ${outcome.verdict}`);
  for (const { code } of outcome.reasons)
    tally.add(`reason ${code}${world.declared.writers === "sdk" ? "" : " (trigger)"}`);
  const isErasure = outcome.attestation.kind === "erasure";
  // Signed before, and only settled now (a reader was in the way): what came past the guard meanwhile was not there to be seen.
  const signed = outcome.receipt === undefined ? undefined : world.signed.get(outcome.receipt);
  const isSettledLate = signed !== undefined && signed.past !== world.past;
  if (isSettledLate) tally.add("settled late");
  if ((outcome.verdict === "COMPLIANT" || isErasure) && !isSettledLate) {
    const held = world.holders.flatMap(({ copies }) => [...copies.values()].map(({ text }) => text.toLowerCase()));
    if (held.length > 0) tally.add("COMPLIANT beside what processes hold");
    const traces = tracesOf(world.directory, world.truth, target, held);
    hold(
      traces.length === 0,
      () => `${outcome.verdict}, attested ${outcome.attestation.kind}, but the oracle finds ${traces.join("; ")}`,
    );
  }
  judgeExit(outcome);
  judgeBystanders(world, before, outcome, tally);
  judgeReceipt(world, outcome, tally);
}

/** The exit state is never success by default. */
export function judgeExit({ verdict, state, exitCode, attestation, reasons }: RequestOutcome): void {
  const is = JSON.stringify({
    verdict,
    state,
    exitCode,
    kind: attestation.kind,
    reasons: reasons.map(({ code }) => code),
  });
  const isLossless = reasons.every(({ code }) => code !== "BYSTANDER_LOST");
  const isDone = verdict === "COMPLIANT" && state === "closed" && attestation.kind === "erasure" && isLossless;
  hold((exitCode === 0) === isDone, () => `exit code 0 is not an erasure, or an erasure not 0: ${is}`);
  hold(verdict !== undefined || state === "waiting" || exitCode !== 0, () => `no verdict and no waiting: ${is}`);
  hold(verdict !== "COMPLIANT" || attestation.kind === "erasure", () => `COMPLIANT and no erasure: ${is}`);
  hold(
    attestation.kind !== "erasure" || verdict === "COMPLIANT" || reasons.length > 0,
    () => `an erasure without a verdict for it: ${is}`,
  );
}

/** Nobody else's data changed, but for what the outcome says. */
function judgeBystanders(world: World, before: Before, outcome: RequestOutcome, tally: Tally): void {
  const after = rowsOf(world.directory);
  const changed = [...bystanderRows(before.bystanders, world.truth, before.targets)].filter(
    ([place, row]) => after.get(place) !== row,
  );
  const { lost, lostByPolicy } = outcome.bystanders;
  const still = sharedRows(before.rows, world.truth, before.targets);
  const halved = [...before.shared].filter(
    ([place, words]) => still.has(place) && !words.some((word) => after.get(place)?.includes(word) === true),
  );
  // A request that waits has not counted yet.
  const hasCounted = outcome.verdict !== undefined;
  hold(
    halved.length === 0 || lost + lostByPolicy + world.lostBeside > 0 || !hasCounted,
    () =>
      `what others said is gone from shared rows and the outcome says nothing lost: ${halved.map(([place]) => place).join(", ")}`,
  );
  if (halved.length > 0) tally.add("lost by policy");
  if (lost > lostByPolicy && changed.length === 0) tally.add("a loss reported that the oracle does not see");
  const dropped = before.held.filter(({ holder, key }) => world.holders.includes(holder) && !holder.copies.has(key));
  hold(
    dropped.length <= lost + lostByPolicy + world.lostBeside,
    () => `${dropped.length} copies of others in memory are gone and the outcome says ${lost} lost`,
  );
  hold(
    changed.length <= lost + lostByPolicy + world.lostBeside,
    () => `rows of others changed and the outcome says ${lost} lost: ${changed.map(([place]) => place).join(", ")}`,
  );
}

export function judgeReceipt(world: World, outcome: RequestOutcome, tally: Tally): void {
  if (outcome.receipt === undefined) {
    hold(outcome.attestation.kind === "none", () => `attested ${outcome.attestation.kind}, and no receipt`);
    return;
  }
  const { engine } = world;
  const form = world.signed.get(outcome.receipt)?.form ?? publicFormOf(engine.boundary).text;
  world.signed.set(outcome.receipt, { form, past: world.signed.get(outcome.receipt)?.past ?? world.past });
  const report = verifyReceipt(readFileSync(outcome.receipt, "utf8"), {
    publicKeys: [engine.ledger.keys.publicKeyPem()],
    threshold: 1,
    scope: { boundary: form },
    acceptSelfAttested: true,
    auditorKeys: [],
    now: world.now(),
  });
  const failed = report.checks
    .filter(({ status }) => status === "fail")
    .map(({ code, message }) => `${code}: ${message}`);
  tally.add(`receipt ${report.outcome.kind}`);
  hold(failed.length === 0, () => `the receipt does not verify: ${failed.join("; ")}`);
  const isErasure = report.outcome.kind === "erasure";
  hold(
    isErasure === (outcome.attestation.kind === "erasure"),
    () => `attested ${outcome.attestation.kind}, verified as ${report.outcome.kind}`,
  );
}

/** Nothing of anybody in the ledger's files, in messages or in progress; a log that verifies. */
export function judgePrivacy(world: World): void {
  const leaks = leaksIn(ledgerFiles(world.directory), world.truth);
  hold(leaks.length === 0, () => `in the ledger: ${leaks.join("; ")}`);
  const said = leaksInText(world.messages.join("\n"), world.truth);
  hold(said.length === 0, () => `in messages: ${said.join("; ")}`);
  const log = world.engine.ledger.verifyLog();
  hold(log.ok, () => `the log does not verify: ${log.ok ? "" : log.why}`);
}
