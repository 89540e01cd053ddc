// Replaces every `preset:` entry by the surfaces of its layout, named `entry.part`, with the entry's own policies over them.
import type { BoundaryInput, PresetInput, SurfaceInput } from "./boundary-input.ts";
import { PRESETS, presetNamed } from "./presets/known-presets.ts";
import type { FieldPath, Problem } from "./problem.ts";

/** One surface as written, with the place where a person wrote it. */
export interface WrittenSurface {
  readonly id: string;
  readonly input: SurfaceInput;
  readonly path: FieldPath;
}

export interface Expanded {
  readonly surfaces: readonly WrittenSurface[];
  readonly problems: readonly Problem[];
}

function isPreset(entry: SurfaceInput | PresetInput): entry is PresetInput {
  return "preset" in entry;
}

function expandEntry(id: string, entry: PresetInput, path: FieldPath): Expanded {
  const preset = presetNamed(entry.preset);
  if (preset === undefined) {
    const cure = `use one of ${PRESETS.map((known) => known.name).join(", ")}, or declare its surfaces`;
    return {
      surfaces: [],
      problems: [
        { code: "UNKNOWN_PRESET", path: [...path, "preset"], what: "is not a preset that exists", cure, surface: id },
      ],
    };
  }
  const { preset: _name, type, source, schema, ...policies } = entry;
  const parts = preset.surfaces({ type: type ?? preset.defaultType, source, table: entry.table });
  const within = (surface: SurfaceInput): SurfaceInput =>
    schema === undefined ? surface : { ...surface, table: `${schema}.${surface.table ?? ""}` };
  return {
    surfaces: Object.entries(parts).map(([part, surface]) => ({
      id: `${id}.${part}`,
      input: { ...within(surface), ...policies },
      path,
    })),
    problems: (["table", "schema"] as const)
      .filter((member) => entry[member] !== undefined && preset.place !== member)
      .map((member) => ({
        code: "FIELD_KIND",
        path: [...path, member],
        what: "is fixed by the preset's layout",
        cure: "remove it, or declare the surfaces themselves",
        surface: id,
      })),
  };
}

/** Every surface of the boundary, presets expanded, in the order written. */
export function expandPresets(input: BoundaryInput): Expanded {
  const expanded = Object.entries(input.surfaces).map(([id, entry]): Expanded => {
    const path = ["surfaces", id];
    return isPreset(entry) ? expandEntry(id, entry, path) : { surfaces: [{ id, input: entry, path }], problems: [] };
  });
  return {
    surfaces: expanded.flatMap((entry) => entry.surfaces),
    problems: expanded.flatMap((entry) => entry.problems),
  };
}
