// The guard's filter in front of denylist and fingerprints: kept in memory, caught up by what any process added. It must never miss an entry that is committed.
import { BlockFilter } from "./block-filter.ts";
import type { LedgerCore } from "./ledger-core.ts";

/** Says at once what is surely neither on the denylist nor among the fingerprints; what it does not rule out must be looked up. */
export interface GuardFilter {
  /** Knows all that any process had committed when it was asked for: ask anew for every write. */
  openFilter(): { has(value: number): boolean };
  /** Stores the filter where much was added since; outside of a transaction, so that it keeps nobody waiting. */
  settleFilter(): void;
  /** Makes it anew from what is filed, so that nothing that was lifted is left in it. */
  rebuildFilter(): void;
}

/** Values of one row of guard_additions, 8 bytes each. */
const ROW_VALUES = 65_536;
/** Bytes of one row of guard_filter. */
const PART = 1 << 20;
/** So many additions, and an eighth of what the stored filter holds, are replayed at the first question before the filter is stored anew. */
const FOLD_AT = 100_000;
const PAGE = 50_000;

/** `mark` is random and new with every addition: a generation that was rolled back is never taken for the one that came in its place. */
interface State {
  readonly mark: number;
  readonly generation: number;
  readonly added: number;
  /** The mark that the stored filter was written under, its generation, and how many values it held; 0 where none is stored. */
  readonly stored: number;
  readonly folded: number;
  readonly held: number;
}

interface InMemory {
  readonly filter: BlockFilter;
  readonly stored: number;
  /** Marks of the additions that are in it beside the stored filter's. */
  readonly applied: Set<number>;
  mark: number;
  values: number;
}

/** The first 53 bits of a digest: digests of different kinds differ by their domains. */
export function filterValue(digest: Uint8Array): number {
  const low = ((digest[0] ?? 0) | ((digest[1] ?? 0) << 8) | ((digest[2] ?? 0) << 16) | ((digest[3] ?? 0) << 24)) >>> 0;
  const high = (digest[4] ?? 0) | ((digest[5] ?? 0) << 8) | (((digest[6] ?? 0) & 0x1f) << 16);
  return high * 0x1_0000_0000 + low;
}

/** Says, inside the transaction that files something, that it is there: whoever asks next in any process replays it. */
export function noteFiled({ connection, random }: LedgerCore, values: readonly number[] | Float64Array): void {
  for (let from = 0; from < values.length; from += ROW_VALUES) {
    const part = Float64Array.from(values.slice(from, from + ROW_VALUES));
    const mark = Buffer.from(random(6)).readUIntBE(0, 6) + 1;
    connection.run(
      "UPDATE guard_state SET mark = ?, generation = generation + 1, added = added + ? WHERE id = 1",
      mark,
      part.length,
    );
    connection.run(
      'INSERT INTO guard_additions (generation, mark, "values") SELECT generation, mark, ? FROM guard_state WHERE id = 1',
      new Uint8Array(part.buffer),
    );
  }
}

export function createGuardFilter(core: LedgerCore): GuardFilter {
  const { connection } = core;
  let memory: InMemory | undefined;

  const state = (): State =>
    connection.get<State>("SELECT mark, generation, added, stored, folded, held FROM guard_state WHERE id = 1") ?? {
      mark: 0,
      generation: 0,
      added: 0,
      stored: 0,
      folded: 0,
      held: 0,
    };

  /** Everything that is committed now, from the stored filter and what was added since. */
  function load(now: State): InMemory {
    const parts = connection.rows<[Uint8Array]>("SELECT bits FROM guard_filter ORDER BY part").map(([bits]) => bits);
    if (parts.length === 0)
      return { filter: BlockFilter.sized(2 * now.added), stored: 0, applied: new Set(), mark: 0, values: 0 };
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    const filter = new BlockFilter(new Uint32Array(bytes.buffer));
    return { filter, stored: now.stored, applied: new Set(), mark: 0, values: now.held };
  }

  function replay(into: InMemory, now: State): void {
    const rows = connection.rows<[number, number]>(
      "SELECT generation, mark FROM guard_additions WHERE generation > ? ORDER BY generation",
      now.folded,
    );
    for (const [generation, mark] of rows) {
      if (into.applied.has(mark)) continue;
      const row = connection.get<{ values: Uint8Array }>(
        'SELECT "values" FROM guard_additions WHERE generation = ?',
        generation,
      );
      const values = new Float64Array(new Uint8Array(row?.values ?? []).buffer);
      for (const value of values) into.filter.add(value);
      into.applied.add(mark);
      into.values += values.length;
    }
    into.mark = now.mark;
  }

  function catchUp(): BlockFilter {
    return connection.snapshot(() => {
      const now = state();
      const isTooSmall = memory !== undefined && memory.stored === 0 && now.added > memory.filter.capacity;
      if (memory === undefined || memory.stored !== now.stored || isTooSmall) memory = load(now);
      replay(memory, now);
      return memory.filter;
    });
  }

  /** Reads all that is filed. No lock is held: others go on writing, and what they add meanwhile is replayed. */
  function build(): { readonly filter: BlockFilter; readonly seen: State; readonly values: number } {
    return connection.snapshot(() => {
      const seen = state();
      const values =
        connection.get<{ n: number }>(
          "SELECT (SELECT count(*) FROM fingerprints) + (SELECT count(*) FROM denylist) AS n",
        )?.n ?? 0;
      const filter = BlockFilter.sized(values);
      let grams: [number][];
      let last = -1;
      do {
        grams = connection.rows<[number]>(
          "SELECT gram FROM fingerprints WHERE gram > ? ORDER BY gram LIMIT ?",
          last,
          PAGE,
        );
        for (const [gram] of grams) filter.add(gram);
        last = grams.at(-1)?.[0] ?? last;
      } while (grams.length === PAGE);
      let entries: [string, Uint8Array][];
      let id = "";
      do {
        entries = connection.rows<[string, Uint8Array]>(
          "SELECT id, digest FROM denylist WHERE id > ? ORDER BY id LIMIT ?",
          id,
          PAGE,
        );
        for (const [, digest] of entries) filter.add(filterValue(digest));
        id = entries.at(-1)?.[0] ?? id;
      } while (entries.length === PAGE);
      return { filter, seen, values };
    });
  }

  /** Puts a filter that holds everything up to `seen` in the place of the stored one; not where another process did so meanwhile. */
  function store(filter: BlockFilter, seen: State, held: number): void {
    connection.transaction(() => {
      const now = state();
      if (now.stored !== seen.stored) return;
      const bytes = new Uint8Array(filter.words.buffer);
      connection.run("DELETE FROM guard_filter");
      for (let from = 0; from < bytes.length; from += PART)
        connection.run(
          "INSERT INTO guard_filter (part, bits) VALUES (?, ?)",
          from / PART,
          bytes.subarray(from, from + PART),
        );
      connection.run("DELETE FROM guard_additions WHERE generation <= ?", seen.generation);
      const stored = Buffer.from(core.random(6)).readUIntBE(0, 6) + 1;
      const added = held + now.added - seen.added;
      const sql = "UPDATE guard_state SET stored = ?, folded = ?, held = ?, added = ? WHERE id = 1";
      connection.run(sql, stored, seen.generation, held, added);
    });
  }

  function rebuild(): void {
    const { filter, seen, values } = build();
    store(filter, seen, values);
  }

  return {
    openFilter() {
      // One look-up for a question: whether anything was added since the last one, by whomever.
      const row = connection.get<{ mark: number }>("SELECT mark FROM guard_state WHERE id = 1");
      return memory !== undefined && row?.mark === memory.mark ? memory.filter : catchUp();
    },
    settleFilter() {
      const now = state();
      if (now.added - now.held <= FOLD_AT + now.held / 8) return;
      catchUp();
      if (memory === undefined || memory.stored === 0 || memory.values > memory.filter.capacity) rebuild();
      else store(memory.filter, now, memory.values);
    },
    rebuildFilter() {
      if (state().stored !== 0) rebuild();
      else connection.transaction(dropAdditions);
    },
  };

  /** Where no filter is stored, what was lifted stands among the additions: they are written anew from what is filed. */
  function dropAdditions(): void {
    const now = state();
    if (now.generation === 0) return;
    connection.run("DELETE FROM guard_additions");
    connection.run("UPDATE guard_state SET added = 0 WHERE id = 1");
    const grams = connection.rows<[number]>("SELECT DISTINCT gram FROM fingerprints").map(([gram]) => gram);
    const entries = connection.rows<[Uint8Array]>("SELECT digest FROM denylist").map(([digest]) => filterValue(digest));
    noteFiled(core, [...grams, ...entries]);
  }
}
