// Reads a boundary, from YAML or typed, into the validated form that everything else trusts. It throws nothing but BoundaryError.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { compareUtf8 } from "@deleatur/verify";
import type { Boundary, Exemption } from "../model/declaration.ts";
import { BoundaryError } from "../model/errors.ts";
import type { BoundaryInput, ExemptionInput } from "./boundary-input.ts";
import { findCredentials, resolveConnect, type Connected, type Environment } from "./connect.ts";
import { durationSeconds } from "./duration.ts";
import { expandPresets } from "./expand-presets.ts";
import { fillDefaults, type FileDefaults } from "./fill-defaults.ts";
import { findHostileNames } from "./hostile-names.ts";
import { lintBoundary } from "./lint-boundary.ts";
import { lintSurface } from "./lint-surface.ts";
import { boundaryError, type Problem, type ProblemContext } from "./problem.ts";
import { checkShape } from "./shape-problems.ts";
import { MAX_BOUNDARY_CHARS, readYaml } from "./yaml-source.ts";

export interface ParseContext {
  /** The file that the text came from; its directory is where relative paths start. */
  readonly file: string;
  readonly env: Environment;
  /** Names of kinds that do not ship, which `openDeleatur` is given. */
  readonly kinds?: readonly string[];
}

/** Parses the YAML text of a boundary file. @throws BoundaryError with every problem found, see `boundaryProblems` */
export function parseBoundary(text: string, context: ParseContext): Boundary {
  const source = readYaml(text);
  if (source.outcome === "refused")
    throw boundaryError(source.problems, { file: context.file, lineOf: () => undefined });
  const place = {
    file: context.file,
    directory: dirname(resolve(context.file)),
    env: context.env,
    kinds: context.kinds ?? [],
  };
  const boundary = validate(source.value, place, { file: context.file, lineOf: (path) => source.lineOf(path) });
  return { ...boundary, source: { ...boundary.source, lines: linesOf(boundary, (path) => source.lineOf(path)) } };
}

/** What a store may turn out not to have. */
const FITTED_FIELDS = ["table", "key", "subject", "content", "vector", "derivedFrom"] as const;

function linesOf({ surfaces }: Boundary, lineOf: ProblemContext["lineOf"]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const { id } of surfaces)
    for (const path of [[id], ...FITTED_FIELDS.map((field) => [id, field])]) {
      const line = lineOf(["surfaces", ...path]);
      if (line !== undefined) lines.set(["surfaces", ...path].join("."), line);
    }
  return lines;
}

/** Reads and parses a boundary file. @throws BoundaryError also where the file cannot be read */
export function loadBoundary(path: string, env: Environment, kinds: readonly string[] = []): Boundary {
  return parseBoundary(readBoundaryFile(path), { file: path, env, kinds });
}

/** Validates a boundary written in TypeScript, by the same schema and the same rules. @throws BoundaryError */
export function defineBoundary(
  input: BoundaryInput,
  context: { readonly directory: string; readonly env: Environment; readonly kinds?: readonly string[] },
): Boundary {
  const place = {
    file: undefined,
    directory: resolve(context.directory),
    env: context.env,
    kinds: context.kinds ?? [],
  };
  return validate(input, place, { file: undefined, lineOf: () => undefined });
}

function readBoundaryFile(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_BOUNDARY_CHARS * 4) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return " ".repeat(MAX_BOUNDARY_CHARS + 1);
  } catch (cause) {
    throw new BoundaryError(
      "BOUNDARY_UNREADABLE",
      `the boundary file ${path} cannot be read, give the path of a UTF-8 file`,
      {
        place: { file: path },
        cure: "give the path of a UTF-8 file, or make one with deleatur init",
        cause,
      },
    );
  }
}

interface Place {
  readonly file: string | undefined;
  readonly directory: string;
  readonly env: Environment;
  readonly kinds: readonly string[];
}

function throwAny(problems: readonly Problem[], context: ProblemContext): void {
  const [first, ...rest] = problems;
  if (first !== undefined) throw boundaryError([first, ...rest.slice(0, 199)], context);
}

function validate(value: unknown, place: Place, context: ProblemContext): Boundary {
  throwAny(findHostileNames(value), context);
  const credentials = findCredentials(
    typeof value === "object" && value !== null ? Reflect.get(value, "connect") : undefined,
  );
  const shaped = checkShape(value, place.kinds);
  if (shaped.outcome === "refused") {
    throwAny([...credentials, ...shaped.problems], context);
    throw boundaryError([{ code: "BAD_FIELD", path: [], what: "does not fit the schema", cure: "mend it" }], context);
  }
  const { input } = shaped;
  const connected = resolveConnect(input.connect, place);
  const expanded = expandPresets(input);
  const defaults: FileDefaults = { writers: input.writers, horizonLimit: input.horizonLimit };
  throwAny(
    [
      ...credentials,
      ...connected.problems,
      ...expanded.problems,
      ...expanded.surfaces.flatMap(lintSurface),
      ...lintBoundary(input, expanded.surfaces, { stores: connected.stores, defaults }),
    ],
    context,
  );
  return assemble(
    input,
    expanded.surfaces.map(({ id, input: surface }) => fillDefaults(id, surface, defaults)),
    connected,
    place,
  );
}

function assemble(input: BoundaryInput, surfaces: Boundary["surfaces"], connected: Connected, place: Place): Boundary {
  return {
    version: 1,
    id: input.boundary,
    identifiers: input.identifiers.toSorted(compareUtf8),
    surfaces: surfaces.toSorted((a, b) => compareUtf8(a.id, b.id)),
    exempt: (input.exempt ?? []).map(exemption).toSorted((a, b) => compareUtf8(a.name, b.name)),
    census: {
      include: input.census?.include ?? [...connected.stores.keys()].toSorted(compareUtf8).map((store) => `${store}.*`),
      quiet: input.census?.quiet ?? [],
    },
    ...(input.watch === undefined ? {} : { watchSeconds: durationSeconds(input.watch) }),
    ...(input.guard?.expire === undefined ? {} : { guardSeconds: durationSeconds(input.guard.expire) }),
    connect: {
      ledger: connected.ledger,
      ...(connected.anchor === undefined ? {} : { anchor: connected.anchor }),
      stores: connected.stores,
    },
    source: { file: place.file, directory: place.directory },
  };
}

function exemption(input: ExemptionInput): Exemption {
  const { name, kind, ground, store, table, mechanism, epsilon, reference } = input;
  return {
    name,
    kind,
    ground,
    ...(store === undefined ? {} : { store }),
    ...(table === undefined ? {} : { table }),
    ...(mechanism === undefined ? {} : { mechanism }),
    ...(epsilon === undefined ? {} : { epsilon }),
    ...(reference === undefined ? {} : { reference }),
  };
}
