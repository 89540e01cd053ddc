// Drafts the surfaces of a Redis database from the groups of keys that begin alike.
import type { SurfaceInput } from "./boundary-input.ts";
import type { DraftEntry } from "./draft-entry.ts";
import { identifierType, isContent, isVector } from "./guess-columns.ts";
import { presetNamed, recognisePreset } from "./presets/known-presets.ts";
import type { KeysLayout } from "./store-layout.ts";

/** A known layout as its preset, with the prefix that it has here; any other group field by field. */
export function draftKeys(layout: KeysLayout, store: string, id: string): DraftEntry {
  const preset = recognisePreset(layout);
  if (preset !== undefined) {
    const known = Object.values(preset.surfaces({ type: preset.defaultType, source: undefined }))[0]?.prefix;
    return {
      id,
      input: { preset: preset.name, store, ...(known === layout.prefix ? {} : { prefix: layout.prefix }) },
      decide: { entry: "what was each answer made from? add source and shared, or its lineage is missing" },
    };
  }
  const subject = layout.fields.flatMap((field) => {
    const type = identifierType(field);
    return type === undefined ? [] : [{ field: field.name, type }];
  });
  const taken = new Set(subject.map(({ field }) => field));
  const vector = layout.fields.find((field) => !taken.has(field.name) && isVector(field))?.name;
  const content = layout.fields
    .filter((field) => !taken.has(field.name) && field.name !== vector && isContent(field))
    .map(({ name }) => name);
  const input: SurfaceInput = {
    kind: "redis",
    role: "cache",
    store,
    prefix: layout.prefix,
    ...(layout.valueType === "stream" ? { each: "entry" as const } : {}),
    ...(subject.length === 0 ? {} : { subject }),
    ...(content.length === 0 ? {} : { content }),
    ...(vector === undefined ? {} : { vector }),
  };
  return {
    id,
    input,
    decide: {
      prefix: "does it name a person? then declare a pattern: prefixes are published",
      role: "is this a cache, or the only place of what it holds (primary, transcript)?",
      ...(subject.length === 0
        ? {
            entry:
              "whose are these? add subject: { segment: 1, of: key, sep: ':', type: ... } or { field: ..., type: ... }",
          }
        : {}),
    },
  };
}

/** What the terminal is told beside a draft of keys. */
export function keysNotes(groups: readonly KeysLayout[], others: number, store: string): readonly string[] {
  const presets = new Set(groups.flatMap((group) => recognisePreset(group)?.name ?? []));
  return [
    ...[...presets].flatMap((name) =>
      (presetNamed(name)?.notes ?? []).map((note) => `${store} has the layout of ${name}: ${note}`),
    ),
    ...(others === 0
      ? []
      : [`${others} keys of ${store} begin with nothing that is plainly no name: declare them by pattern`]),
  ];
}
