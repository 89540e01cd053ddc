// `watch`: looks for what was erased and is there, once, on a schedule or after writes. It ends by a signal, and exits by the worst that it saw.
import type { Command } from "commander";
import type { WatchLook, WatchOrder } from "../../audit/watch.ts";
import { DURATION, durationSeconds } from "../../boundary/duration.ts";
import { UsageError } from "../../model/errors.ts";
import { anchorLostLines } from "../print/anchor-lost-lines.ts";
import { table } from "../print/table.ts";
import { count } from "../print/words.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";
import { worstExit } from "../worst-exit.ts";

interface WatchFlags {
  readonly every?: string;
  readonly once?: boolean;
  readonly afterWrites?: string;
}

export function addWatch(program: Command, run: RunVerb): void {
  program
    .command("watch")
    .description("look for what was erased and is there again: past the guard, by foreign writers, from a backup")
    .option("--once", "look once and end")
    .option("--every <duration>", "from one look to the next; the inventory's `watch`, or PT1H")
    .option("--after-writes <number>", "look earlier once the stores' files changed so often, counted once a second")
    .action((flags: WatchFlags, command: Command) => run(command, (context) => watch(flags, context)));
}

async function watch(flags: WatchFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal } = context;
  const order = orderOf(flags);
  const memory = await context.openMemory();
  let last: WatchLook | undefined;
  const codes: number[] = [];
  for await (const look of memory.watch(order, terminal.signal)) {
    last = look;
    codes.push(look.exitCode);
    if (order.once !== true) terminal.err(`${lineOf(look)}\n`);
  }
  return {
    text: last === undefined ? "Ended before the first look." : lookText(last, context),
    json: {
      looks: codes.length,
      outcome: last?.outcome ?? null,
      surfaces: last?.surfaces ?? [],
      back: shown(last?.back ?? [], context),
      held: shown(last?.held ?? [], context),
      passedOver: last?.passedOver ?? [],
      anchorLost: last?.anchorLost ?? null,
    },
    exitCode: last === undefined ? 130 : worstExit(codes),
  };
}

function orderOf({ every, once, afterWrites }: WatchFlags): WatchOrder {
  if (every !== undefined && !DURATION.test(every))
    throw new UsageError("BAD_WATCH", "--every is a duration such as PT1H or P1D");
  return {
    ...(every === undefined ? {} : { everySeconds: durationSeconds(every) }),
    ...(once === true ? { once: true } : {}),
    ...(afterWrites === undefined ? {} : { afterWrites: Number(afterWrites) }),
  };
}

function lineOf({ at, outcome, surfaces, passedOver, anchorLost }: WatchLook): string {
  const [back, held] = [sum(surfaces, "back"), sum(surfaces, "held")];
  const found =
    outcome === "clean" ? "clean" : `${outcome}: ${count(back, "record")} back, ${count(held, "record")} to look at`;
  const lost = anchorLost === undefined ? "" : ", ANCHOR_LOST";
  const open = passedOver.length === 0 ? "" : `, ${count(passedOver.length, "request")} not done`;
  return `${at}  ${found}${lost}${open}`;
}

function sum(surfaces: WatchLook["surfaces"], member: "back" | "held"): number {
  return surfaces.reduce((total, one) => total + one[member], 0);
}

function shown(
  found: WatchLook["back"],
  { areKeysShown }: VerbContext,
): readonly { readonly artifact?: string; readonly rule: string }[] {
  return found.map((one) => (areKeysShown ? one : { rule: one.rule }));
}

function lookText(look: WatchLook, { paint, areKeysShown }: VerbContext): string {
  const { surfaces, back, held, passedOver, outcome, anchorLost } = look;
  const lines = (found: WatchLook["back"]): readonly string[] =>
    areKeysShown ? found.map(({ artifact, rule }) => `  ${artifact} (${rule})`) : [];
  return [
    table(
      ["data location", "records", "back", "to look at", ""],
      surfaces.map(({ label, read, back: there, held: likes, unread }) => [
        label,
        ...[read, there, likes].map(String),
        unread ?? "",
      ]),
    ),
    "",
    ...(back.length === 0
      ? []
      : [
          paint.red("RESURRECTED: erased, and there again. Find what wrote it, then `deleatur replay --all`."),
          ...lines(back),
        ]),
    ...(held.length === 0
      ? []
      : [paint.yellow("Erased words in records of others, or of nobody: a person must look."), ...lines(held)]),
    ...anchorLostLines(anchorLost, paint),
    ...(outcome === "clean" ? ["Nothing that was erased is there."] : []),
    ...(passedOver.length === 0
      ? []
      : [
          paint.yellow("Passed over is what requests have still to erase; see `deleatur requests`:"),
          ...passedOver.map(({ request, state, why, until }) =>
            [
              "  ",
              request,
              ` ${state}`,
              why === undefined ? "" : ` (${why})`,
              until === undefined ? "" : `, until ${until}`,
            ].join(""),
          ),
        ]),
    "",
  ].join("\n");
}
