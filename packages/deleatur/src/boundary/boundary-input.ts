// The boundary as a person writes it, in YAML or in TypeScript: shorthands allowed, defaults left out. Only schema.ts checks it.
import type {
  ExemptionKind,
  PurgePolicy,
  RedisUnit,
  Rederive,
  SharedPolicy,
  SurfaceKindName,
  SurfaceRole,
  Writers,
} from "../model/declaration.ts";

export type SubjectLocatorInput =
  | { readonly column: string; readonly type: string }
  | { readonly field: string; readonly type: string }
  | { readonly json: string; readonly type: string }
  | { readonly segment: number; readonly of?: "key" | undefined; readonly sep: string; readonly type: string }
  | { readonly via: string; readonly on: string; readonly column: string; readonly type: string };

export type SourceLocatorInput =
  | { readonly surface: string; readonly column: string; readonly as?: "key" | "json" | undefined }
  | { readonly surface: string; readonly field: string; readonly as?: "key" | "json" | undefined }
  | { readonly surface: string; readonly via: string; readonly on: string; readonly column: string };

export type ContentInput =
  | string
  | { readonly column: string; readonly as?: "text" | "json" | "msgpack" | undefined }
  | { readonly field: string; readonly as?: "text" | "json" | "msgpack" | undefined };

export interface MappingInput {
  readonly from: { readonly column: string; readonly type: string };
  readonly to: { readonly column: string; readonly type: string };
}

/** Durations are ISO 8601 with a fixed length: `PT1H`, `P30D`. */
export interface HorizonInput {
  readonly max?: string | undefined;
  readonly ttl?: string | undefined;
  readonly basis?: string | undefined;
}

/** What a surface and a preset entry have in common. */
interface PolicyInput {
  readonly store?: string | undefined;
  readonly writers?: Writers | undefined;
  readonly shared?: SharedPolicy | undefined;
  readonly rederive?: Rederive | undefined;
  readonly keep?: { readonly ground: string; readonly until: string } | undefined;
  readonly purge?:
    { readonly window?: string | undefined; readonly method?: PurgePolicy["method"] | undefined } | undefined;
  readonly replicas?: readonly string[] | undefined;
}

export interface SurfaceInput extends PolicyInput {
  /** One of those that ship, or of a kind of your own that `openDeleatur` is given. */
  readonly kind: SurfaceKindName | (string & Record<never, never>);
  readonly role: SurfaceRole;
  readonly label?: string | undefined;
  /** A backup: the stores that it is a copy of. */
  readonly of?: string | readonly string[] | undefined;
  readonly table?: string | undefined;
  /** Redis: the keys that begin so, or that match a pattern of its own. */
  readonly prefix?: string | undefined;
  readonly pattern?: string | undefined;
  readonly each?: RedisUnit | undefined;
  readonly persistence?: "none" | undefined;
  readonly key?: string | readonly string[] | undefined;
  readonly keys?: "unique" | "reusable" | undefined;
  readonly subject?: SubjectLocatorInput | readonly SubjectLocatorInput[] | undefined;
  readonly content?: ContentInput | readonly ContentInput[] | undefined;
  readonly vector?: string | undefined;
  readonly derivedFrom?: SourceLocatorInput | readonly SourceLocatorInput[] | undefined;
  readonly maps?: MappingInput | readonly MappingInput[] | undefined;
  readonly horizon?: HorizonInput | undefined;
  readonly horizonLimit?: string | undefined;
}

/** Expands to the surfaces of a known layout, named `entry.part`. `type`: identifier type of the layout's subject; `source`: the surface that its rows derive from. */
export interface PresetInput extends PolicyInput {
  readonly preset: string;
  readonly type?: string | undefined;
  readonly source?: string | undefined;
  /** Redis: the keys that begin so, where the layout has another prefix than its own. */
  readonly prefix?: string | undefined;
  /** The table, where the layout leaves its name to its operator. */
  readonly table?: string | undefined;
  /** The schema of a server's database in which the layout's tables stand, where it is not `public`. */
  readonly schema?: string | undefined;
}

export interface ExemptionInput {
  readonly name: string;
  readonly kind: ExemptionKind;
  readonly ground: string;
  readonly store?: string | undefined;
  readonly table?: string | undefined;
  readonly mechanism?: string | undefined;
  readonly epsilon?: number | undefined;
  readonly reference?: string | undefined;
}

type ConnectionInput =
  | { readonly file: string }
  | { readonly path: string }
  /** `data`: the server's own data folder, where the probes can read it. */
  | { readonly url: string; readonly data?: string | undefined };

export interface BoundaryInput {
  readonly deleatur: 1;
  readonly boundary: string;
  readonly identifiers: readonly string[];
  readonly surfaces: Readonly<Record<string, SurfaceInput | PresetInput>>;
  readonly exempt?: readonly ExemptionInput[] | undefined;
  readonly census?:
    { readonly include?: readonly string[] | undefined; readonly quiet?: readonly string[] | undefined } | undefined;
  readonly writers?: Writers | undefined;
  /** How often `watch` looks: a surface with foreign writers counts as watched only within that time. */
  readonly watch?: string | undefined;
  /** How long do-not-store entries stand before `lift --expired` may take them out; until they are lifted otherwise, where absent. */
  readonly guard?: { readonly expire?: string | undefined } | undefined;
  /** For every surface of the role that does not say otherwise. */
  readonly horizonLimit?: { readonly cache?: string | undefined; readonly backup?: string | undefined } | undefined;
  /** `ledger` is a text (`sqlite:./deleatur.db`), every other name a store. */
  readonly connect?: Readonly<Record<string, string | ConnectionInput>> | undefined;
}
