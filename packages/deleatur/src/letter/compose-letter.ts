// Composes the letter to a person from a receipt: static, printable HTML without script or external resource. It claims no more than the receipt (VERIFY-2).
import { dueDate } from "./due-date.ts";
import { escapeForeign, escapeHtml } from "./escape-html.ts";
import { type LetterFacts, letterFacts, type LocationLine, type OpenLine } from "./letter-facts.ts";
import { LETTER_STYLE } from "./letter-style.ts";
import { GERMAN } from "./wording-de.ts";
import { ENGLISH } from "./wording-en.ts";
import { FRENCH } from "./wording-fr.ts";
import type { KindWording, LetterLanguage, Wording } from "./wording.ts";

export interface LetterOptions {
  readonly lang: LetterLanguage;
  /** As `formatPersonCode` writes it; belongs in the letter and nowhere else (VERIFY-6). */
  readonly personCode?: string;
  /** When the request came in, where the receipt does not say it. */
  readonly received?: Date;
  /** Who answers: name and address of the controller. */
  readonly controller?: string;
  readonly now: Date;
}

const WORDINGS: Readonly<Record<LetterLanguage, Wording>> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

/**
 * The letter as one HTML document. `receipt` is the parsed JSON of a receipt (`Receipt` of @deleatur/verify), hostile until proven otherwise. Write it only from a receipt that `verify` accepts: nothing is verified here.
 * @throws UsageError BAD_RECEIPT where the receipt holds no statement that a letter can tell
 */
export function composeLetter(receipt: unknown, options: LetterOptions): string {
  const facts = letterFacts(receipt);
  const wording = WORDINGS[options.lang];
  const date = (at: Date): string => formatDate(at, wording);
  const kind = kindWording(facts, wording, options.now);
  const body = [
    head(facts, options, wording),
    `<h1>${kind.title}</h1>`,
    `<p class="status"><b>${wording.statusLabel}${wording.colon}</b> ${kind.status}</p>`,
    `<p>${wording.asked[facts.target]} ${kind.opening}</p>`,
    done(facts, kind, wording),
    kept(facts, wording, date),
    facts.kind === "withheld" ? "" : goneBy(facts, wording),
    facts.kind === "erasure" ? "" : open(facts.open, wording, date),
    facts.kind === "withheld" || facts.doNotStore === 0
      ? ""
      : section(wording.guardHeading, `<p>${wording.guardNote(facts.doNotStore)}</p>`),
    section(wording.limitsHeading, list(wording.limits)),
    check(options, wording),
    rights(facts, wording),
    `<footer>${wording.footer}</footer>`,
  ].filter((part) => part !== "");
  return `<!doctype html>
<html lang="${wording.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${kind.title}</title>
<style>
${LETTER_STYLE}
</style>
</head>
<body>
<main>
${body.join("\n")}
</main>
</body>
</html>
`;
}

function kindWording(facts: LetterFacts, wording: Wording, now: Date): KindWording {
  switch (facts.kind) {
    case "erasure": {
      const locations = String(facts.all);
      // Issued is not effective: with copies that still live, the letter says from when it holds (ATTEST-8).
      if (facts.effective > now)
        return wording.expiring({ locations, until: formatDateTime(facts.effective, wording) });
      return wording.erasure({ locations, target: facts.target });
    }
    case "tombstone":
      return wording.tombstone({ open: facts.open.length, all: facts.all });
    case "withheld":
      return wording.withheld();
    default:
      return facts satisfies never;
  }
}

function head(facts: LetterFacts, options: LetterOptions, wording: Wording): string {
  const received = options.received ?? facts.received;
  const rows: readonly (readonly [string, string])[] = [
    ...(options.controller === undefined ? [] : [[wording.from, escapeForeign(options.controller)] as const]),
    [wording.dateLabel, formatDate(options.now, wording)],
    ...(received === undefined
      ? []
      : [
          [wording.receivedLabel, formatDate(received, wording)] as const,
          [wording.dueLabel, formatDate(dueDate(received), wording)] as const,
        ]),
    [wording.requestLabel, `<code>${escapeHtml(facts.request)}</code>`],
  ];
  const terms = rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join("");
  return `<header>
<div class="mark"><span aria-hidden="true">₰</span><small>${wording.mark}</small></div>
<dl class="facts">${terms}</dl>
</header>`;
}

function done(facts: LetterFacts, kind: KindWording, wording: Wording): string {
  const isOpenShown = facts.kind !== "erasure";
  const columns: readonly (readonly [string, (line: LocationLine) => number])[] = [
    [wording.erased, (line) => line.erased],
    [wording.rewritten, (line) => line.rewritten],
    ...(isOpenShown ? [[wording.open, (line: LocationLine) => line.open] as const] : []),
  ];
  const number = (value: number): string =>
    `<td class="number">${value === 0 ? "–" : value.toLocaleString(wording.locale)}</td>`;
  const rows = facts.locations.map(
    (line) =>
      `<tr><th scope="row">${escapeForeign(line.label)}</th>${columns.map(([, of]) => number(of(line))).join("")}</tr>`,
  );
  const totals = columns.map(([, of]) => number(facts.locations.reduce((sum, line) => sum + of(line), 0)));
  const table = `<table>
<thead><tr><th scope="col">${wording.location}</th>${columns.map(([name]) => `<th scope="col" class="number">${name}</th>`).join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
<tfoot><tr><th scope="row">${wording.total}</th>${totals.join("")}</tr></tfoot>
</table>`;
  const notes = [
    wording.scopeNote,
    ...(facts.locations.some(({ rewritten }) => rewritten > 0) ? [wording.rewrittenNote] : []),
    ...(isOpenShown ? [wording.openNote] : []),
  ];
  return section(kind.doneHeading, `${table}\n${notes.map((note) => `<p class="note">${note}</p>`).join("\n")}`);
}

function kept(facts: LetterFacts, wording: Wording, date: (at: Date) => string): string {
  if (facts.kept.length + facts.exempt.length === 0) return "";
  const line = ({ label, ground, until }: LetterFacts["kept"][number]): string =>
    `${escapeForeign(label)}${wording.colon} ${escapeForeign(ground, 600)}${until === undefined ? "" : ` (${wording.keptUntil(date(until))})`}`;
  const parts = [
    ...(facts.kept.length === 0 ? [] : [`<p>${wording.keptNote}</p>${list(facts.kept.map(line))}`]),
    ...(facts.exempt.length === 0 ? [] : [`<p>${wording.exemptNote}</p>${list(facts.exempt.map(line))}`]),
  ];
  return section(wording.keptHeading, parts.join("\n"));
}

function goneBy(facts: Exclude<LetterFacts, { kind: "withheld" }>, wording: Wording): string {
  if (facts.goneBy.length === 0) return "";
  const lines = facts.goneBy.map(
    ({ label, until }) => `${escapeForeign(label)}${wording.colon} ${wording.goneBy(formatDateTime(until, wording))}`,
  );
  return section(wording.goneByHeading, `<p>${wording.goneByNote}</p>${list(lines)}`);
}

function open(lines: readonly OpenLine[], wording: Wording, date: (at: Date) => string): string {
  const items = lines.map(({ label, group, deadline }) => {
    const place = label === undefined ? wording.everywhere : escapeForeign(label);
    const until = deadline === undefined ? "" : ` ${wording.deadline(date(deadline))}`;
    return `${place}${wording.colon} ${wording.reasons[group]}${until}`;
  });
  return section(wording.openHeading, `<p>${wording.openIntro}</p>${list(items)}`);
}

function check(options: LetterOptions, wording: Wording): string {
  const code = options.personCode === undefined ? undefined : escapeHtml(options.personCode);
  const command = `deleatur verify RECEIPT.deleatur.json \\
  --boundary boundary.public.json --public-key public-key.pem${code === undefined ? "" : " \\\n  --person-code CODE --subject-file IDENTIFIERS.txt"} --self-attested`;
  const file = code === undefined ? "" : `\n<p class="note">${escapeHtml(wording.identifiersNote)}</p>`;
  const box =
    code === undefined
      ? `<p class="note">${wording.noCodeNote}</p>`
      : `<div class="code"><b>${wording.codeLabel}</b><code>${inTwoLines(code)}</code><span class="note">${wording.codeNote}</span></div>`;
  return section(wording.checkHeading, `<p>${wording.checkNote}</p>\n<pre>${command}</pre>${file}\n${box}`);
}

/** Eight groups read best as four and four. */
function inTwoLines(code: string): string {
  const groups = code.split("-");
  const half = Math.ceil(groups.length / 2);
  return groups.length < 4 ? code : `${groups.slice(0, half).join("-")}-<br>${groups.slice(half).join("-")}`;
}

function rights(facts: LetterFacts, wording: Wording): string {
  const isRefused = facts.kind !== "erasure" || facts.kept.length > 0;
  const refusal = isRefused ? `<p>${wording.refusal}</p>` : "";
  return section(wording.rightsHeading, `${refusal}${list([wording.complaint, wording.remedy])}`);
}

function section(heading: string, content: string): string {
  return `<section>\n<h2>${heading}</h2>\n${content}\n</section>`;
}

function list(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
}

function formatDate(at: Date, wording: Wording): string {
  const text = at.toLocaleDateString(wording.locale, { dateStyle: "long", timeZone: "UTC" });
  return wording.language === "fr" ? text.replace(/^1 /, "1er ") : text;
}

function formatDateTime(at: Date, wording: Wording): string {
  const time = at.toLocaleTimeString(wording.locale, { timeStyle: "short", timeZone: "UTC" });
  return `${formatDate(at, wording)}, ${time} UTC`;
}
