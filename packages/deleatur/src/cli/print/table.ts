// Lays out plain-text tables: columns as wide as their widest cell, numbers to the right.

/** Rows of cells under a heading; a column of numbers only is set to the right. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = heading.map((name, index) => {
    const cells = rows.map((row) => row[index] ?? "");
    return {
      width: Math.max(name.length, ...cells.map((cell) => cell.length)),
      isNumber: cells.length > 0 && cells.every((cell) => /^[\d.,]*$/.test(cell)),
    };
  });
  const line = (cells: readonly string[]): string =>
    `  ${columns
      .map(({ width, isNumber }, index) =>
        isNumber ? (cells[index] ?? "").padStart(width) : (cells[index] ?? "").padEnd(width),
      )
      .join("  ")
      .trimEnd()}`;
  return [line(heading), line(columns.map(({ width }) => "─".repeat(width))), ...rows.map(line)].join("\n");
}
