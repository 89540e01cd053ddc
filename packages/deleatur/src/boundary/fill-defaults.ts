// Turns one checked surface as written into its declaration with every default filled in. It decides nothing that lint.ts has not allowed.
import { DEFAULT_HORIZON_LIMIT } from "@deleatur/verify";
import type {
  ContentLocator,
  Horizon,
  SourceLocator,
  SubjectLocator,
  SurfaceDeclaration,
  Writers,
} from "../model/declaration.ts";
import { surfaceId } from "../model/ids.ts";
import type {
  BoundaryInput,
  ContentInput,
  HorizonInput,
  SourceLocatorInput,
  SubjectLocatorInput,
  SurfaceInput,
} from "./boundary-input.ts";
import { durationSeconds } from "./duration.ts";
import { rulesOf, TAKES_TRIGGERS } from "./known-kinds.ts";
import { keyPattern } from "./key-pattern.ts";

/** What the file says once for all surfaces. */
export interface FileDefaults {
  readonly writers: Writers | undefined;
  readonly horizonLimit: BoundaryInput["horizonLimit"];
}

/** One or a list, as a list. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function subjectLocator(input: SubjectLocatorInput): SubjectLocator {
  if ("segment" in input) return { type: input.type, segment: input.segment, of: "key", sep: input.sep };
  return input;
}

function sourceLocator(input: SourceLocatorInput): SourceLocator {
  const surface = surfaceId(input.surface);
  if ("via" in input) return { surface, via: input.via, on: input.on, column: input.column };
  const as = input.as ?? "key";
  return "column" in input ? { surface, column: input.column, as } : { surface, field: input.field, as };
}

function contentLocator(input: ContentInput): ContentLocator {
  if (typeof input === "string") return { column: input, as: "text" };
  return { column: "column" in input ? input.column : input.field, as: input.as ?? "text" };
}

function horizonOf(input: HorizonInput): Horizon {
  const bound = input.max ?? input.ttl;
  return {
    ...(bound === undefined ? {} : { maxSeconds: durationSeconds(bound) }),
    basis: input.basis ?? "time to live set by the store",
    ...(input.ttl === undefined ? {} : { isReadBack: true }),
  };
}

function writersOf(input: SurfaceInput, fileWriters: Writers | undefined): Writers {
  if (input.writers !== undefined) return input.writers;
  const inherited = fileWriters ?? "foreign";
  // A file has no triggers, memory neither, and nothing writes to a provider's cache through us: there the weakest assumption stands.
  const connection = rulesOf(input.kind).connection;
  if (connection === "none" || (!TAKES_TRIGGERS.has(connection) && inherited === "trigger")) return "foreign";
  return inherited;
}

/** Longest horizon of a cache or backup that may be attested, in seconds; undefined for other roles. */
export function horizonLimitSeconds(input: SurfaceInput, defaults: FileDefaults): number | undefined {
  if (input.role !== "cache" && input.role !== "backup") return undefined;
  const text = input.horizonLimit ?? defaults.horizonLimit?.[input.role];
  return text === undefined ? DEFAULT_HORIZON_LIMIT[input.role] : durationSeconds(text);
}

function redisMembers(input: SurfaceInput): Pick<SurfaceDeclaration, "pattern" | "each" | "persistence"> {
  const pattern = keyPattern(input);
  if (pattern === undefined) return {};
  return {
    pattern,
    each: input.each ?? "key",
    ...(input.persistence === undefined ? {} : { persistence: input.persistence }),
  };
}

/** The declaration of one surface. `input` has passed the schema and the lint. */
export function fillDefaults(id: string, input: SurfaceInput, defaults: FileDefaults): SurfaceDeclaration {
  const given = listOf(input.key);
  const key = given.length > 0 ? given : rulesOf(input.kind).defaultKey;
  const limit = horizonLimitSeconds(input, defaults);
  const shared = input.shared ?? (input.kind === "in-process" ? "destroy" : undefined);
  return {
    id: surfaceId(id),
    kind: input.kind,
    role: input.role,
    label: input.label ?? id,
    ...(input.store === undefined ? {} : { store: input.store }),
    ...(input.table === undefined ? {} : { table: input.table }),
    ...redisMembers(input),
    key,
    keys: input.keys ?? (key.length === 1 && key[0]?.toLowerCase() === "rowid" ? "reusable" : "unique"),
    subject: listOf(input.subject).map(subjectLocator),
    content: listOf(input.content).map(contentLocator),
    ...(input.vector === undefined ? {} : { vector: input.vector }),
    derivedFrom: listOf(input.derivedFrom).map(sourceLocator),
    ...(shared === undefined ? {} : { shared }),
    ...(input.rederive === undefined ? {} : { rederive: input.rederive }),
    maps: listOf(input.maps),
    writers: writersOf(input, defaults.writers),
    ...(input.horizon === undefined ? {} : { horizon: horizonOf(input.horizon) }),
    ...(limit === undefined ? {} : { horizonLimitSeconds: limit }),
    ...(input.of === undefined ? {} : { of: listOf(input.of) }),
    ...(input.keep === undefined ? {} : { keep: input.keep }),
    purge: {
      ...(input.purge?.window === undefined ? {} : { window: input.purge.window }),
      method: input.purge?.method ?? "auto",
    },
    replicas: input.replicas ?? [],
  };
}
