// Text and JSON of what a request or an audit answers. A bystander's loss is said first, COMPLIANT never without its limits, keys only where they may be.
import type { Survivor } from "../../attest/evidence.ts";
import type { JudgedError } from "../../attest/judgement.ts";
import { propagationOf } from "../../audit/propagation.ts";
import type { RequestOutcome } from "../../forget/outcome.ts";
import { groupBy } from "../../model/group-by.ts";
import type { VerbContext, Paint } from "../verb.ts";
import { reasonLines } from "./fold-reasons.ts";
import { table } from "./table.ts";
import { attestationWords, count, stateWords, verdictWords } from "./words.ts";

type Shown = Pick<VerbContext, "paint" | "areKeysShown">;

export function outcomeText(outcome: RequestOutcome, { paint, areKeysShown }: Shown): string {
  const { verdict, reasons, survivors, suspects, denylist, textsCutOff, error } = outcome;
  const next = nextStep(outcome);
  const blocks = [
    lossLines(outcome, paint),
    [
      verdict === undefined
        ? paint.bold(stateWords(outcome.state, outcome.why, outcome.until))
        : verdictPaint(
            outcome,
            paint,
          )(
            verdictWords(
              verdict,
              outcome.surfaces.length,
              reasons.map(({ code }) => code),
            ),
          ),
      ...(error === undefined ? [] : [paint.red(`error: ${error.class} ${error.code}`)]),
    ],
    surfaceLines(outcome),
    reasons.length === 0 ? [] : ["Why:", ...reasonLines(reasons, paint)],
    troubleLines(outcome),
    survivorLines(outcome.back, "Back again:", areKeysShown),
    survivorLines(survivors, "Left:", areKeysShown),
    [
      // An audit of a foreign tool is no request and has no status.
      ...(outcome.request === ""
        ? []
        : [`request   ${outcome.request}`, `status    ${stateWords(outcome.state, outcome.why, outcome.until)}`]),
      ...(next === undefined ? [] : [`next      ${next}`]),
      `receipt   ${attestationWords(outcome.attestation)}`,
      ...(outcome.receipt === undefined ? [] : [`          ${outcome.receipt}`]),
      ...(denylist === 0 ? [] : [`guard     ${count(denylist, "do-not-store entry", "do-not-store entries")}`]),
      ...(textsCutOff === 0
        ? []
        : [`          too many words for one request: ${count(textsCutOff, "text")} kept out as a whole only`]),
      ...(suspects.open === 0 ? [] : [`review    ${count(suspects.open, "likeness", "likenesses")} to decide`]),
    ],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

const ERASED_ALREADY = "the records are erased and new writes blocked, their bytes are still there";

/** The command that carries an open request on; what its reasons say may have to be cured first. */
function nextStep({ request, state, why, suspects, attestation }: RequestOutcome): string | undefined {
  const resume = `deleatur forget --resume ${request}`;
  if (request === "" || state === "closed") return undefined;
  if (why === "purge-lock")
    return `${resume} --now (${ERASED_ALREADY}: the purge rebuilds a store's file and locks it)`;
  if (why === "purge-window") return `${resume} in the window, or with --now (${ERASED_ALREADY})`;
  if (state === "confirming") return "deleatur risks --due, when it is due";
  if (suspects.open > 0) return `deleatur review ${request}, then ${resume}`;
  if (attestation.kind === "withheld" && attestation.code === "DOMAIN_NOT_COVERED")
    return `cure it and ${resume}, or deleatur attest ${request} --allow-tombstone`;
  return state === "stuck" ? `cure it, then ${resume}` : resume;
}

/** What others lost stands before everything else, the loss that no policy names in red. */
function lossLines({ bystanders }: RequestOutcome, paint: Paint): readonly string[] {
  const unnamed = bystanders.lost - bystanders.lostByPolicy;
  return [
    ...(unnamed > 0
      ? [paint.red(`LOST: ${count(unnamed, "record")} of other people, and no policy of the inventory names that loss`)]
      : []),
    ...(bystanders.lostByPolicy > 0
      ? [
          `lost for others too: ${count(bystanders.lostByPolicy, "record")}, as the inventory declares (shared: destroy)`,
        ]
      : []),
  ];
}

/** In the words of the stores: which trouble it was, so that it can be cured. */
function troubleLines({ surfaces }: RequestOutcome): readonly string[] {
  const lines = surfaces.flatMap(({ surface, troubles = [] }) => troubles.map((words) => `  ${surface}: ${words}`));
  return lines.length === 0 ? [] : ["What stood in the way:", ...lines];
}

function verdictPaint({ verdict, exitCode }: RequestOutcome, paint: Paint): (text: string) => string {
  if (verdict === "COMPLIANT" && exitCode === 0) return (text) => paint.green(paint.bold(text));
  return (text) => paint.yellow(paint.bold(text));
}

/** Confirmed deletion and partial propagation stand apart (VERDICT-6). */
function surfaceLines(outcome: RequestOutcome): readonly string[] {
  if (outcome.surfaces.length === 0) return [];
  const report = propagationOf(outcome);
  const rows = outcome.surfaces.map(({ label, state, why }, index) => {
    const counts = report.surfaces[index];
    return [label, ...cells(counts), why === undefined ? "" : `${state}: ${why}`];
  });
  return [
    table(
      ["data location", "erased", "rewritten", "absent", "left", "failed", "unconfirmed", "kept", ""],
      [...rows, ["in total", ...cells(report.total), ""]],
    ),
  ];
}

type Counts = Pick<ReturnType<typeof propagationOf>["total"], "confirmed" | "partial">;

function cells(counts: Counts | undefined): readonly string[] {
  if (counts === undefined) return [];
  const { confirmed, partial } = counts;
  return [
    confirmed.erased,
    confirmed.rewritten,
    confirmed.absent,
    partial.survivors + partial.stillHeld,
    partial.failed,
    partial.unconfirmed,
    partial.kept,
  ].map((number) => (number === 0 ? "" : String(number)));
}

type Left = Partial<Survivor> & { readonly surface?: string; readonly key?: string };

const MOST_LINES = 20;

function survivorLines(all: readonly Left[], heading: string, areKeysShown: boolean): readonly string[] {
  if (all.length === 0) return [];
  const lines = [
    ...groupBy(all, (one) => JSON.stringify([one.surface ?? one.container, one.probe, one.depth])).values(),
  ].flatMap((same): readonly string[] => {
    const [first] = same;
    const seen = first?.probe === undefined ? "" : ` (${first.probe}, ${first.depth ?? ""})`;
    const keyed = areKeysShown ? same.filter(({ key }) => key !== undefined) : [];
    const place = first?.surface ?? first?.container ?? "";
    const rest = same.length - keyed.length;
    const inFile =
      first?.surface === undefined ? "" : first.container === first.surface ? "" : ` in ${first.container ?? ""}`;
    return [
      ...keyed.map(({ key }) => `  ${place}/${key ?? ""}${seen}`),
      ...(rest === 0 ? [] : [`  ${place}${inFile}${seen}${rest > 1 ? ` ×${rest}` : ""}`]),
    ];
  });
  const more = lines.length - MOST_LINES;
  return [heading, ...lines.slice(0, MOST_LINES), ...(more > 0 ? [`  … and ${more} more, see --json`] : [])];
}

export function outcomeJson(outcome: RequestOutcome, { areKeysShown }: Shown): Readonly<Record<string, unknown>> {
  const report = propagationOf(outcome);
  const place = ({ surface, container, probe, depth, provenance, key }: Left): Readonly<Record<string, unknown>> => ({
    surface: surface ?? null,
    container: container ?? surface ?? null,
    probe: probe ?? null,
    depth: depth ?? null,
    provenance: provenance ?? null,
    ...(areKeysShown && key !== undefined ? { key } : {}),
  });
  return {
    request: outcome.request === "" ? null : outcome.request,
    state: outcome.state,
    why: outcome.why ?? null,
    until: outcome.until ?? null,
    next: nextStep(outcome) ?? null,
    verdict: outcome.verdict ?? null,
    reasons: outcome.reasons,
    attestation: outcome.attestation,
    error: outcome.error === undefined ? null : judgedError(outcome.error, outcome),
    survivors: outcome.survivors.map(place),
    back: outcome.back.map(place),
    suspects: outcome.suspects,
    surfaces: outcome.surfaces.map((surface, index) => ({
      ...surface,
      confirmed: report.surfaces[index]?.confirmed ?? null,
      partial: report.surfaces[index]?.partial ?? null,
    })),
    totals: report.total,
    bystanders: outcome.bystanders,
    denylist: outcome.denylist,
    textsCutOff: outcome.textsCutOff,
    // The words in which any forget tool states its own claim (CLAIM-2, CLAIM-4).
    surfacesReached: outcome.surfaces
      .filter(({ erased, rewritten }) => erased + rewritten > 0)
      .map((one) => one.surface),
    tombstoneWritten: outcome.denylist > 0,
    receipt: outcome.receipt ?? null,
  };
}

function judgedError(error: JudgedError, { reasons }: RequestOutcome): Readonly<Record<string, unknown>> {
  const reason = reasons.find(({ code }) => code === error.code) ?? reasons[0];
  return {
    ...error,
    message: reason?.rule ?? "the evidence contradicts it",
    where: { surfaces: error.surfaces ?? (reason?.surface === undefined ? [] : [reason.surface]) },
    cure: reason?.cure ?? null,
  };
}
