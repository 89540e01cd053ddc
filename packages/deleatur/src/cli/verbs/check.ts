// `check`: the configuration against what exists, and the best that could be attested. It exits by that best outcome, so that a pipeline can hold it.
import type { Command } from "commander";
import type { BestOutcome } from "../../attest/best-outcome.ts";
import type { Check } from "../../audit/check-boundary.ts";
import { publicFormOf } from "../../boundary/public-form.ts";
import { writeGiven } from "../files.ts";
import { bestLines } from "../print/best-outcome-lines.ts";
import { foresightLines } from "../print/foresight-lines.ts";
import { section } from "../print/section.ts";
import { table } from "../print/table.ts";
import { count } from "../print/words.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface CheckFlags {
  readonly public?: string;
  readonly adopt?: readonly string[];
}

export function addCheck(program: Command, run: RunVerb): void {
  program
    .command("check")
    .description(
      "check the configuration: inventory against stores, and the best that could be attested, why, and what would improve it",
    )
    .option("--public <file>", "write the public form, which `verify --boundary` takes (- for stdout), and stop there")
    .option("--adopt <ledger...>", "take the markers of these other ledgers out of the stores first; logged")
    .action((flags: CheckFlags, command: Command) => run(command, (context) => check(flags, context)));
}

async function check(flags: CheckFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal, boundaryFile } = context;
  if (flags.public !== undefined) return publish(flags.public, context);
  const memory = await context.openMemory();
  if (flags.adopt !== undefined) await memory.adopt(flags.adopt, terminal.signal);
  const checked = await memory.check(terminal.signal);
  return {
    text: checkText(checked, boundaryFile, context),
    json: {
      reasons: checked.best.reasons,
      surfaces: checked.surfaces,
      undeclared: checked.undeclared,
      missing: checked.missing,
      shared: checked.shared,
      anchor: checked.anchor,
      guard: { expired: checked.expired },
      purges: checked.purges,
      hindered: checked.hindered,
      fences: checked.fences.map(({ surface, closed, unknown, isShared }) => {
        return { surface, closed: closed.length, unknown: unknown.length, isShared };
      }),
      best: checked.best,
    },
    exitCode: exitOf(checked.best),
  };
}

function publish(file: string, context: VerbContext): VerbResult {
  const { text, digest, publicForm } = publicFormOf(context.loadBoundary());
  if (file !== "-") writeGiven(context.terminal, file, `${text}\n`);
  return {
    text: file === "-" ? text : `Public form written to ${file}, digest ${digest}`,
    json: { publicForm, digest, file: file === "-" ? null : file },
    exitCode: 0,
  };
}

function exitOf({ attestation }: BestOutcome): number {
  switch (attestation) {
    case "erasure":
      return 0;
    case "tombstone":
      return 20;
    case "withheld":
    case "none":
      return 21;
  }
}

function checkText(checked: Check, file: string, { paint }: VerbContext): string {
  const rows = checked.surfaces.map(({ label, kind, isReachable, why, rows, rowsWithoutLineage }) => [
    label,
    kind,
    String(rows),
    rowsWithoutLineage === 0 ? "" : String(rowsWithoutLineage),
    isReachable ? "" : (why ?? "not reachable"),
  ]);
  return [
    `${file}: ${count(checked.surfaces.length, "data location")}`,
    "",
    table(["data location", "kind", "records", "without lineage", ""], rows),
    ...(checked.undeclared.length === 0
      ? []
      : ["", paint.yellow("Not in the inventory:"), ...checked.undeclared.map((name) => `  ${name}`)]),
    ...(checked.missing.length === 0
      ? []
      : ["", paint.yellow("In the inventory, but not there:"), ...checked.missing.map((name) => `  ${name}`)]),
    ...sharedLines(checked, paint.yellow),
    ...fenceLines(checked),
    ...anchorLines(checked, paint),
    ...expiredLines(checked),
    ...foresightLines(checked.purges, checked.hindered),
    "",
    ...bestLines(checked.best, paint),
    "",
  ].join("\n");
}

function sharedLines({ shared }: Check, paint: (text: string) => string): readonly string[] {
  const lines = new Set(shared.flatMap(({ container, ledgers }) => ledgers.map((id) => `  ${container}: ${id}`)));
  return lines.size === 0 ? [] : ["", paint("Under another ledger as well:"), ...lines];
}

function fenceLines({ fences }: Check): readonly string[] {
  return section(
    "Fences that no open request stands behind, and that keep refusing writes:",
    fences.map(({ surface, closed, unknown, isShared }) => {
      const whose = count(closed.length + unknown.length, "request");
      const cure =
        isShared && unknown.length > 0
          ? "they may be the other ledger's; where that is no more, deleatur check --adopt ID, then deleatur replay"
          : `deleatur replay ${surface} takes them down`;
      return `${surface}: of ${whose}; ${cure}`;
    }),
  );
}

function expiredLines({ expired }: Check): readonly string[] {
  if (expired === 0) return [];
  const whose = count(expired, "request");
  return [
    "",
    `Do-not-store entries of ${whose} are past their term, and stand: deleatur lift --expired --role ROLE --reason CODE`,
  ];
}

function anchorLines({ anchor }: Check, paint: VerbContext["paint"]): readonly string[] {
  switch (anchor.is) {
    case "none":
      return [
        "",
        "No anchor: a ledger that is set back together with its stores would not be noticed (connect.anchor).",
      ];
    case "sound":
      return ["", "The ledger is what its anchor knows."];
    case "lost":
      return ["", paint.red(`ANCHOR_LOST: ${anchor.why}. No write is let in.`)];
    case "rolled-back": {
      const { size, anchored, isForked, lostRequests } = anchor;
      return [
        "",
        paint.red(
          `ROLLED_BACK: the log had ${size} entries and the anchor knows ${anchored}. No write is let in before \`deleatur replay --all\`.`,
        ),
        ...(isForked ? [paint.red("It had gone on another way: checkpoints of before do not lead to this log.")] : []),
        ...(lostRequests.length === 0
          ? []
          : [`Requests that were open and are lost, to be received again: ${lostRequests.join(", ")}`]),
      ];
    }
  }
}
