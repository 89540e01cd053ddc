// The one object that a store's author writes for the kit: a kind, a bench to lay it on, and what it cannot do. Types only; nothing is opened here.
import type { StoreConnection, SurfaceDeclaration } from "../model/declaration.ts";
import type { SurfaceId } from "../model/ids.ts";
import type { Participation, SurfaceKind } from "../surface.ts";

/** A store that cannot do what the bench is asked for. It is no failure and no success: the case is not run, unless `cannot` says why it never can be. */
export interface Impossible {
  readonly outcome: "impossible";
  readonly why: string;
}

/** What the kit wants to stand in the store, as the application would write it. */
export interface BenchRecord {
  /** Exactly this key (composite: the JSON array of its parts), or `impossible`. Absent: any key; where the store makes up its own, whichever it gives. */
  readonly key?: string;
  /** The persons that the record is about, as identifiers of type `account`. */
  readonly accounts: readonly string[];
  /** The keys, in the surface `origins`, of what the record was derived from. */
  readonly sources: readonly string[];
  readonly text: string;
  /** Of 64 dimensions. */
  readonly vector?: Float32Array;
  /** When the store is to drop the record by itself. */
  readonly expires?: Date;
}

export type Wrote =
  | {
      readonly outcome: "written";
      /** The key of each record, in the order given, as a scan reads it. */
      readonly keys: readonly string[];
    }
  /** The store itself said no, in the write's own transaction: what a strong fence does. Nothing was written. */
  | { readonly outcome: "refused"; readonly why: string }
  | Impossible;

/** Something that stands in the adapter's way until it ends. */
export interface Hindrance {
  readonly outcome: "hindered";
  /** Takes it away again; afterwards the store is the application's as before, with what it held. */
  end(): Promise<void>;
}

/** How a store is to be laid. Every bench stands alone: whatever is laid before or after must not show in it. */
export interface BenchOrder {
  /** The id that the surface is declared under. */
  readonly surface: SurfaceId;
  /** The surface that `sources` of a record stand in. */
  readonly origins: SurfaceId;
  /** `made-up`: the store numbers records itself. `composite`: two parts, whatever characters they hold. */
  readonly keys: "plain" | "made-up" | "composite";
  /** Whether the store may give the key of an erased record to a new one. */
  readonly reuse: boolean;
  /** How many further stores hold the same surface. */
  readonly replicas: number;
  /** An empty folder of this bench alone; the kit removes it. */
  readonly folder: string;
}

/** What the laid store holds of a record. What it does not hold is left out by `write`, and the cases about it are not run. */
export interface BenchHolds {
  readonly accounts: "none" | "one" | "many";
  readonly sources: "none" | "one" | "many";
  readonly text: boolean;
  readonly vectors: boolean;
  readonly expiry: boolean;
}

/** One freshly laid store, and the hands of the application (or of a stranger) in it. None of these may go through the adapter. */
export interface Bench {
  readonly outcome: "laid";
  /** The surface's declaration; members that are not given have their defaults. */
  readonly declaration: Partial<Omit<SurfaceDeclaration, "id" | "kind">>;
  /** The surface's own store first, then its replicas. */
  readonly connections: readonly StoreConnection[];
  /** Other surfaces of the same boundary, where this one needs them (the table that an index is over). */
  readonly others: readonly SurfaceDeclaration[];
  /** For a kind that lives in processes; any other takes `noProcess`. */
  readonly participation: () => Participation;
  readonly holds: BenchHolds;
  /** Every container that stands in the store now, named as a census names it (`store.table`). */
  readonly containers: readonly string[];
  /** Writes as the application does, in every store that holds the surface; a record under a key that is there replaces it. */
  write(records: readonly BenchRecord[], signal: AbortSignal): Promise<Wrote>;
  /** Writes into the first replica alone. */
  writeToReplica(records: readonly BenchRecord[], signal: AbortSignal): Promise<Wrote>;
  /** Writes into another namespace of the same store, undeclared, whose name begins with that of the declared one (`notes2`, `answer:x:` beside `answer:`). */
  writeBeside(records: readonly BenchRecord[], signal: AbortSignal): Promise<Wrote>;
  /** The texts that stand there now, read past the adapter. */
  readBeside(signal: AbortSignal): Promise<readonly string[]>;
  /** Makes a container that nobody declares, with this text in it; answers its name as a census names it. */
  addContainer(
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: "added"; readonly name: string } | Impossible>;
  /** The store's own files, as they are on disk now: the kit reads them byte by byte. `impossible` where there are none to be read, or where they are compressed. */
  files(signal: AbortSignal): Promise<{ readonly outcome: "files"; readonly paths: readonly string[] } | Impossible>;
  /** Takes the store away at once, whatever it is doing, as an outage would: server killed, folder moved. It may come back several times. */
  takeAway(signal: AbortSignal): Promise<Hindrance | Impossible>;
  /** A reader that has read all records when this answers, and holds on to what it saw: an open transaction, an open file. Ending, it leaves. */
  openReader(signal: AbortSignal): Promise<Hindrance | Impossible>;
  /** Lets the store be read and no more: permissions, a switch of the server. The application's own writes are refused, too. */
  makeReadOnly(signal: AbortSignal): Promise<Hindrance | Impossible>;
  /** Leaves no room where the store writes: a quota, a limit of the process that writes. Ending, there is room again. */
  fillDisk(signal: AbortSignal): Promise<Hindrance | Impossible>;
  close(): Promise<void>;
}

/** What a store's author writes. */
export interface ConformanceSubject {
  /** What the report is headed with: the kind, and the layout where there are several. */
  readonly name: string;
  readonly kind: SurfaceKind<unknown>;
  lay(order: BenchOrder, signal: AbortSignal): Promise<Bench | Impossible>;
  /** What this store cannot do, by case, with the reason in words that may be published. A reason whose case passes is stale, and fails. */
  readonly cannot: Readonly<Record<string, string>>;
}

export function impossible(why: string): Impossible {
  return { outcome: "impossible", why };
}
