// Finds, for one vector, the anchors that it is a copy of or nearly so, without a comparison with each: a grid over a few projections. Pure.
import { randomBytes } from "node:crypto";

/** Distance, relative to the anchor's length, below which an embedding is taken for a copy that was scaled or rounded. */
const NEAR = 0.01;
/** Projections onto directions at right angles: their differences are together no longer than the vectors' own. */
const MAX_DIRECTIONS = 8;
/** A cell is four times as wide as the farthest copy is away, so that a copy lies in one of two cells in each direction. */
const CELL_RADII = 4;
/** What rounding may add to a projection, relative to the vector's length; and the least radius that a grid is made for. */
const SLACK = 1e-9;
const MIN_RADIUS = 1e-12;

export interface NearVectors {
  readonly size: number;
  /** Calls `hit` for each anchor of the same length within the distance, and for each that is the same byte for byte. One with an infinity or a NaN has the latter only. */
  find(vector: Float32Array, hit: (anchor: number, distance: number, identical: boolean) => void): void;
}

/** Anchors that are equal byte for byte. */
interface Group {
  readonly vector: Float32Array;
  readonly bytes: Buffer;
  /** The squared distance up to which a vector is a copy. */
  readonly limit: number;
  readonly members: number[];
}

/** @param anchors of any lengths; a hit names one by its place */
export function createNearVectors(anchors: readonly Float32Array[]): NearVectors {
  const groups = new Map<number, Map<string, Group>>();
  for (const [place, vector] of anchors.entries()) {
    const bytes = bytesOf(vector);
    const sized = groups.get(vector.length) ?? new Map<string, Group>();
    groups.set(vector.length, sized);
    const id = bytes.toString("latin1");
    const known = sized.get(id);
    if (known === undefined) sized.set(id, { vector, bytes, limit: limitOf(vector), members: [place] });
    else known.members.push(place);
  }
  const finders = new Map([...groups].map(([length, sized]) => [length, createGrid(length, [...sized.values()])]));
  return {
    size: anchors.length,
    find(vector, hit) {
      finders.get(vector.length)?.(vector, (group) => {
        const found = compare(group, vector);
        if (found === undefined) return;
        for (const member of group.members) hit(member, found.distance, found.identical);
      });
    },
  };
}

function limitOf(vector: Float32Array): number {
  return NEAR * NEAR * vector.reduce((sum, component) => sum + component * component, 0);
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

function compare(group: Group, stored: Float32Array): { distance: number; identical: boolean } | undefined {
  const { vector, limit } = group;
  let difference = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const step = (vector[index] ?? 0) - (stored[index] ?? 0);
    difference += step * step;
    // NaN, which no comparison stops, goes on to the comparison of bytes.
    if (difference > limit) return undefined;
  }
  if (group.bytes.equals(bytesOf(stored))) return { distance: 0, identical: true };
  // An anchor with an infinity or no number is near to nothing, or to all: only its own bytes tell of it.
  return Number.isFinite(limit) && difference <= limit
    ? { distance: Math.sqrt(difference), identical: false }
    : undefined;
}

type Finder = (vector: Float32Array, candidate: (group: Group) => void) => void;

/** Anchors whose radius is within a factor of two of each other share a grid. */
interface Grid {
  readonly radius: number;
  readonly members: readonly number[];
  readonly heads: Int32Array;
}

function createGrid(length: number, groups: readonly Group[]): Finder {
  const directions = Math.min(MAX_DIRECTIONS, length);
  // Random signs, so that nobody can lay vectors that all fall into one cell.
  const signs = Float64Array.from(randomBytes(length), (byte) => ((byte & 1) === 0 ? 1 : -1));
  const places = new Float64Array(groups.length * directions);
  /** What is of no direction, or of no length that numbers can tell, is compared with every vector: there are few. */
  const odd: Group[] = [];
  const byScale = new Map<number, number[]>();

  /** Sums over blocks of components: the directions have no component in common. Answers the vector's length. */
  function project(vector: Float32Array, target: Float64Array, at: number): number {
    let square = 0;
    let component = 0;
    for (let direction = 0; direction < directions; direction += 1) {
      const end = Math.floor(((direction + 1) * length) / directions);
      const width = end - component;
      let sum = 0;
      for (; component < end; component += 1) {
        const value = vector[component] ?? 0;
        sum += value * (signs[component] ?? 0);
        square += value * value;
      }
      target[at + direction] = sum / Math.sqrt(width);
    }
    return Math.sqrt(square);
  }

  for (const [place, group] of groups.entries()) {
    const radius = Math.sqrt(group.limit);
    project(group.vector, places, place * directions);
    if (!(radius > MIN_RADIUS) || !Number.isFinite(radius)) {
      odd.push(group);
      continue;
    }
    const scale = Math.floor(Math.log2(radius));
    const known = byScale.get(scale);
    if (known === undefined) byScale.set(scale, [place]);
    else known.push(place);
  }

  const bits = Math.max(4, Math.ceil(Math.log2(groups.length + 1)) + 2);
  const next = new Int32Array(groups.length).fill(-1);
  const factors = Int32Array.from({ length: directions }, () => randomBytes(4).readInt32LE(0) | 1);
  const cells = new Int32Array(directions);
  const slotOf = (): number => {
    let hash = 0;
    for (let direction = 0; direction < directions; direction += 1)
      hash = Math.imul(hash ^ (cells[direction] ?? 0), factors[direction] ?? 1) ^ (hash >>> 15);
    return Math.imul(hash, 0x2c1b3c6d) >>> (32 - bits);
  };

  const grids = Array.from(byScale, ([scale, members]): Grid => {
    const radius = 2 ** (scale + 1);
    const heads = new Int32Array(1 << bits).fill(-1);
    for (const place of members) {
      for (let direction = 0; direction < directions; direction += 1)
        cells[direction] = Math.floor((places[place * directions + direction] ?? 0) / (CELL_RADII * radius));
      const slot = slotOf();
      next[place] = heads[slot] ?? -1;
      heads[slot] = place;
    }
    return { radius, members, heads };
  });

  const own = new Float64Array(directions);
  /** For each direction the first cell that a copy can lie in, and whether the next can hold one too. */
  const first = new Int32Array(directions);
  const isSplit = new Uint8Array(directions);

  function lookIn({ radius, heads }: Grid, reach: number, candidate: (group: Group) => void): void {
    const width = CELL_RADII * radius;
    let combinations = 1;
    for (let direction = 0; direction < directions; direction += 1) {
      const low = Math.floor(((own[direction] ?? 0) - reach) / width);
      first[direction] = low;
      isSplit[direction] = Math.floor(((own[direction] ?? 0) + reach) / width) > low ? 1 : 0;
      if (isSplit[direction] === 1) combinations *= 2;
    }
    for (let combination = 0; combination < combinations; combination += 1) {
      let rest = combination;
      for (let direction = 0; direction < directions; direction += 1) {
        cells[direction] = first[direction] ?? 0;
        if (isSplit[direction] !== 1) continue;
        cells[direction] = (cells[direction] ?? 0) + (rest & 1);
        rest >>= 1;
      }
      const slot = slotOf();
      for (let place = heads[slot] ?? -1; place !== -1; place = next[place] ?? -1) {
        if (!isWithin(place, reach * reach)) continue;
        if (!isInCells(place, width)) continue; // another cell of the same slot: met, or to be met, there
        const group = groups[place];
        if (group !== undefined) candidate(group);
      }
    }
  }

  function isWithin(place: number, limit: number): boolean {
    let square = 0;
    for (let direction = 0; direction < directions; direction += 1) {
      const step = (own[direction] ?? 0) - (places[place * directions + direction] ?? 0);
      square += step * step;
      if (square > limit) return false;
    }
    return true;
  }

  function isInCells(place: number, width: number): boolean {
    for (let direction = 0; direction < directions; direction += 1)
      if (Math.floor((places[place * directions + direction] ?? 0) / width) !== cells[direction]) return false;
    return true;
  }

  return (vector, candidate) => {
    for (const group of odd) candidate(group);
    if (grids.length === 0) return;
    const size = project(vector, own, 0);
    if (!Number.isFinite(size)) return; // no finite anchor is a copy of it
    for (const grid of grids) {
      const reach = grid.radius + SLACK * size;
      // A copy is as long as its anchor, but for the distance itself.
      if (size < (grid.radius / 2) * (1 / NEAR - 1) * (1 - SLACK) - SLACK) continue;
      if (size > grid.radius * (1 / NEAR + 1) * (1 + SLACK) + SLACK) continue;
      lookIn(grid, reach, candidate);
    }
  };
}
