// Says in words what each purge would lock, how, about how long and how much room it takes, and what a role or a place does not let us do. No content.
import type { ForeseenPurge, Hindered } from "../../examine/foresee.ts";
import { section } from "./section.ts";
import { count } from "./words.ts";

/** Locks that are named one by one; of more the number is said. */
const MOST_LOCKS = 12;

export function foresightLines(purges: readonly ForeseenPurge[], hindered: readonly Hindered[]): readonly string[] {
  return [
    ...section(
      "A purge would:",
      purges.flatMap((purge) => purgeLines(purge)),
    ),
    ...section("May not be done:", [
      ...new Set(hindered.map(({ surface, what, why }) => `${surface}: ${what} (${why})`)),
    ]),
  ];
}

function purgeLines(purge: ForeseenPurge): readonly string[] {
  return [...costLines(purge), ...roomLines(purge)];
}

/** Beforehand, where there is time to make room. */
function roomLines({ surfaces, spareBytes, disk }: ForeseenPurge): readonly string[] {
  if (disk === undefined || disk.freeBytes >= spareBytes) return [];
  return [
    `${surfaces.join(", ")}: want up to ${size(spareBytes)} of room, and the file system at ${disk.mount} has ${size(disk.freeBytes)} free: make room first`,
  ];
}

function costLines({
  surfaces,
  locks,
  seconds,
  spareBytes,
  basis,
  cheaper,
  hindrance,
}: ForeseenPurge): readonly string[] {
  const names = surfaces.join(", ");
  if (hindrance !== undefined) return [`${names}: be ${hindrance.outcome}: ${hindrance.why}`, ...lockLines(locks)];
  if (locks.length === 0 && seconds === 0) return [];
  const cost = `about ${duration(seconds)} and up to ${size(spareBytes)} of room beside`;
  const closed = locks.filter(({ keepsOut }) => keepsOut !== "nobody");
  const how = closed.length === 0 ? "keep nobody out" : `keep others out of ${count(closed.length, "container")}`;
  const advice = cheaper === undefined ? [] : [`  cheaper: ${cheaper}`];
  return [`${names}: ${how}, take ${cost}`, ...lockLines(locks), `  by ${basis}`, ...advice];
}

function lockLines(locks: ForeseenPurge["locks"]): readonly string[] {
  const lines = locks
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, MOST_LOCKS)
    .map(({ container, mode, keepsOut, bytes }) => `  ${container}: ${mode}, keeps out ${keepsOut}, ${size(bytes)}`);
  return locks.length > MOST_LOCKS ? [...lines, `  and ${locks.length - MOST_LOCKS} smaller ones`] : lines;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e10 ? `${Math.ceil(bytes / 1e6)} MB` : `${Math.ceil(bytes / 1e9)} GB`;
}
