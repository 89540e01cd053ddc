// What a bench tells: a median beside that of its peer from the same run, or beside a limit. It must not judge by a number from another run.

export type Unit = "µs" | "ms" | "s" | "MiB" | "1";

/** One line of a bench. `limit` is of the ratio where there is a peer, else of the value. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  readonly peer?: { readonly what: string; readonly value: number };
  readonly ratio?: number;
  /** Absent where the figure is only told. */
  readonly limit?: { readonly is: "at most" | "at least"; readonly value: number };
  readonly holds: boolean;
}

export interface Scene {
  /** A new folder, removed afterwards. */
  readonly directory: string;
  /** Says on stderr what goes on. */
  readonly note: (text: string) => void;
}

/** A program of topics/ exports one of these as `bench`. */
export type Topic = (scene: Scene) => Promise<readonly Figure[]>;

type Limit = NonNullable<Figure["limit"]>;

const isWithin = (value: number, limit: Limit | undefined): boolean =>
  limit === undefined || (limit.is === "at most" ? value <= limit.value : value >= limit.value);

export const atMost = (value: number): Limit => ({ is: "at most", value });
export const atLeast = (value: number): Limit => ({ is: "at least", value });

/** A value beside that of its peer, in one unit. */
export function ratio(
  what: string,
  [value, unit]: readonly [number, Unit],
  peer: { readonly what: string; readonly value: number },
  limit?: Limit,
): Figure {
  const times = value / peer.value;
  return {
    what,
    value,
    unit,
    peer,
    ratio: times,
    ...(limit === undefined ? {} : { limit }),
    holds: isWithin(times, limit),
  };
}

/** A value beside a fixed limit, or alone. */
export function plain(what: string, [value, unit]: readonly [number, Unit], limit?: Limit): Figure {
  return { what, value, unit, ...(limit === undefined ? {} : { limit }), holds: isWithin(value, limit) };
}
