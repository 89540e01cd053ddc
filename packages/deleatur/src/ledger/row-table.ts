// Rows by a keyed hash of their name, with a keyed hash of their lineage: whether a row says what it said before. It must not keep a name.
import type { ArtifactRef } from "../model/ids.ts";
import type { HarvestedLineage } from "./harvested-blocks.ts";
import type { Digests } from "./ledger.ts";
import { type SipHash, sipKey } from "./sip-hash.ts";
import { createSipMessage } from "./sip-message.ts";

export interface RowTable {
  add(row: HarvestedLineage): void;
  drop(ref: ArtifactRef): void;
  /** With the persons and sources that it was added with, in their order. */
  has(row: HarvestedLineage): boolean;
  /** How many sources the rows of each surface have. */
  sources(): ReadonlyMap<string, number>;
}

/** Two words of the name, two of the lineage, how many sources. */
const WIDTH = 5;
/** How many sources a row has that is there no more. */
const GONE = 0xffff_ffff;

/** @param room rows that are to come, if that is known */
export function createRowTable(digests: Pick<Digests, "keyedDigest">, room = 1_024): RowTable {
  const secret = digests.keyedDigest("harvest/row");
  const [nameKey, lineageKey] = [sipKey(secret), sipKey(secret.subarray(16))];
  const message = createSipMessage();
  const hash: SipHash = { low: 0, high: 0 };
  let rows = new Uint32Array(Math.max(1_024, room) * WIDTH);
  let count = 0;
  /** By the name, then onward to the first free slot: a row's place and one, 0 where it is free. */
  let slots = new Int32Array(2 ** Math.ceil(Math.log2(4 * Math.max(1_024, room))));
  const sums = new Map<string, number>();

  /** Where the name that was hashed last stands, or the free slot where it would. */
  function slotOf(low: number, high: number): number {
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = ((slots[slot] ?? 0) - 1) * WIDTH;
      if (at < 0 || (rows[at] === low && rows[at + 1] === high)) return slot;
    }
  }

  function grow(): void {
    const larger = new Uint32Array(2 * rows.length);
    larger.set(rows);
    rows = larger;
    slots = new Int32Array(2 * slots.length);
    for (let place = 0; place < count; place += 1)
      slots[slotOf(rows[place * WIDTH] ?? 0, rows[place * WIDTH + 1] ?? 0)] = place + 1;
  }

  function hashName({ surface, key }: ArtifactRef): void {
    message.putText(surface);
    message.putText(key);
    message.end();
    message.hash(nameKey, hash);
  }

  function hashLineage({ subjects, sources }: HarvestedLineage): void {
    message.putNumber(subjects.length);
    for (const { type, value } of subjects) {
      message.putText(type);
      message.putText(value);
    }
    for (const { surface, key } of sources) {
      message.putText(surface);
      message.putText(key);
    }
    message.end();
    message.hash(lineageKey, hash);
  }

  return {
    add(row) {
      hashName(row);
      const { low, high } = hash;
      if ((count + 1) * WIDTH > rows.length) grow();
      const slot = slotOf(low, high);
      // Met twice, it is known as it was met first.
      if (slots[slot] !== 0) return;
      hashLineage(row);
      const many = countDistinct(row.sources);
      rows.set([low, high, hash.low, hash.high, many], count * WIDTH);
      count += 1;
      slots[slot] = count;
      sums.set(row.surface, (sums.get(row.surface) ?? 0) + many);
    },
    drop(ref) {
      hashName(ref);
      const at = ((slots[slotOf(hash.low, hash.high)] ?? 0) - 1) * WIDTH;
      const many = at < 0 ? GONE : (rows[at + 4] ?? GONE);
      if (many === GONE) return;
      rows[at + 4] = GONE;
      sums.set(ref.surface, (sums.get(ref.surface) ?? 0) - many);
    },
    has(row) {
      hashName(row);
      const at = ((slots[slotOf(hash.low, hash.high)] ?? 0) - 1) * WIDTH;
      if (at < 0 || rows[at + 4] === GONE) return false;
      hashLineage(row);
      return rows[at + 2] === hash.low && rows[at + 3] === hash.high;
    },
    sources: () => sums,
  };
}

function countDistinct(sources: readonly ArtifactRef[]): number {
  if (sources.length < 2) return sources.length;
  return new Set(sources.map(({ surface, key }) => `${surface}/${key}`)).size;
}
