// What a draft is made of: surfaces as written, each field with the question that a person must still answer.
import { stringify } from "yaml";
import type { BoundaryInput, PresetInput, SurfaceInput } from "./boundary-input.ts";

export interface DraftEntry {
  readonly id: string;
  readonly input: SurfaceInput | PresetInput;
  /** Questions by field; `entry` stands above the whole. */
  readonly decide: Readonly<Record<string, string>>;
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
}

function commented(line: string, question: string | undefined): string {
  return question === undefined ? line : `${line} # decide: ${question}`;
}

function entryLines({ id, input, decide }: DraftEntry): readonly string[] {
  const above = decide["entry"] === undefined ? [] : [`  # decide: ${decide["entry"]}`];
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  return [
    ...above,
    `  ${flow(id)}:`,
    ...fields.map(([name, value]) => commented(`    ${name}: ${flow(value)}`, decide[name])),
  ];
}

export interface Draft {
  readonly boundary: string;
  readonly identifiers: readonly string[];
  readonly entries: readonly DraftEntry[];
  /** Patterns of the census: containers that hold nothing of anybody. */
  readonly quiet: readonly string[];
  readonly connect: NonNullable<BoundaryInput["connect"]>;
}

/** The YAML text of a draft; every open question stands in a comment `# decide: …`. */
export function writeDraft(draft: Draft): string {
  const stores = Object.keys(draft.connect).filter((name) => name !== "ledger");
  return [
    "# A draft by deleatur init: guessed from what exists. Answer every `decide`, then run deleatur check.",
    "deleatur: 1",
    commented(`boundary: ${flow(draft.boundary)}`, "the name that receipts will carry"),
    commented(`identifiers: ${flow(draft.identifiers)}`, "every way in which your stores name a person"),
    "surfaces:",
    ...draft.entries.flatMap(entryLines),
    `census: { include: ${flow(stores.map((store) => `${store}.*`))}${draft.quiet.length === 0 ? "" : `, quiet: ${flow(draft.quiet)}`} }`,
    // Never `sdk`: that is the operator's own word, and nothing that exists in a store shows it.
    commented(
      "writers: trigger",
      "sdk where only the SDK writes; with trigger a SQLite table refuses a forgotten person only while a request runs, and no erasure is attested",
    ),
    "connect: # never digested, never published",
    ...Object.entries(draft.connect).map(([name, value]) => `  ${flow(name)}: ${flow(value)}`),
    "",
  ].join("\n");
}
