// Drafts the surfaces of JSONL and text files from the fields that their lines have.
import type { DraftEntry } from "./draft-entry.ts";
import { contentAs, identifierType, isContent } from "./guess-columns.ts";
import type { FilesLayout } from "./store-layout.ts";

/** A folder of plain files: each is one artifact. */
export function draftText(store: string, id: string): DraftEntry {
  return {
    id,
    input: { kind: "text", role: "transcript", store },
    decide: {
      entry:
        "whose files are these? add subject: { segment: 0, of: key, sep: /, type: ... } where the path names the person",
    },
  };
}

/** JSONL files: each line is one artifact. */
export function draftJsonl(layout: FilesLayout, store: string, id: string): DraftEntry {
  const names = new Set(layout.fields.map((field) => field.name));
  const key =
    ["id", "uuid", "key", "_id", "message_id"].find((candidate) => names.has(candidate)) ?? [...names][0] ?? "id";
  const subject = layout.fields.flatMap((field) => {
    const type = field.name === key ? undefined : identifierType(field);
    return type === undefined ? [] : [{ field: field.name, type }];
  });
  const taken = new Set([key, ...subject.map(({ field }) => field)]);
  const content = layout.fields
    .filter((field) => !taken.has(field.name) && isContent(field))
    .map((field) => (contentAs(field) === "json" ? { field: field.name, as: "json" as const } : field.name));
  return {
    id,
    input: {
      kind: "jsonl",
      role: "transcript",
      store,
      key,
      ...(subject.length === 0 ? {} : { subject }),
      ...(content.length === 0 ? {} : { content }),
    },
    decide: {
      key: "does this field tell every line from every other?",
      ...(subject.length === 0
        ? { entry: "which field names the person? add subject: { field: ..., type: ... }" }
        : {}),
    },
  };
}
