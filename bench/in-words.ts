// The table that people read. It must not leave a figure out.
import type { Figure } from "./figure.ts";

const number = (value: number): string => (value === 0 ? "0" : value.toPrecision(3).replace(/e\+?(-?\d+)$/u, "e$1"));

function rowOf({ what, value, unit, peer, ratio, limit, holds }: Figure): readonly string[] {
  const suffix = unit === "1" ? "" : ` ${unit}`;
  return [
    what,
    `${number(value)}${suffix}`,
    peer === undefined ? "" : `${number(peer.value)}${suffix} ${peer.what}`,
    ratio === undefined ? "" : `${number(ratio)}x`,
    limit === undefined
      ? ""
      : `${limit.is === "at most" ? "<=" : ">="} ${limit.value}${ratio === undefined ? suffix : "x"}`,
    limit === undefined ? "" : holds ? "holds" : "MISSED",
  ];
}

export function inWords(
  topic: string,
  { node, cpu, cores }: { readonly node: string; readonly cpu: string; readonly cores: number },
  figures: readonly Figure[],
): string {
  const rows = [["what", "median", "peer in the same run", "ratio", "limit", ""], ...figures.map(rowOf)];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [`bench ${topic}: Node ${node}, ${cores} cores, ${cpu}`, ...lines, ""].join("\n");
}
