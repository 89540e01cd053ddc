// Sets the demo's lines for a reader: numbered steps, wrapped text, small tables. It decides nothing and colours only what it is told to colour.
import colors from "picocolors";

const WIDTH = 78;
const INDENT = "   ";
/** Of a table that grows; a longer cell only pushes its own row. */
const LEAST_CELL = 7;

export interface DemoPage {
  title(text: string, note: string): void;
  step(name: string, note: string): void;
  text(text: string): void;
  /** Set apart, with a bar at its side. */
  quote(text: string): void;
  /** First column left, the others right. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** A table whose rows come one by one; its first column is as wide as `widest`. Answers what prints a row. */
  growingTable(head: readonly string[], widest: number): (row: readonly string[]) => void;
  good(text: string): void;
  bad(text: string): void;
}

/** A page that prints line by line; `isColoured` on a terminal only. */
export function createPage(print: (line: string) => void, isColoured: boolean): DemoPage {
  const paint = colors.createColors(isColoured);
  let steps = 0;
  const indented = (text: string, style: (line: string) => string = (line) => line): void => {
    for (const line of wrap(text, WIDTH - INDENT.length)) print(`${INDENT}${style(line)}`);
  };
  const printRow = (row: readonly string[], widths: readonly number[], style = (line: string) => line): void => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    print(`${INDENT}${style(cells.join("   ").trimEnd())}`);
  };
  return {
    title(text, note) {
      print("");
      print(`${paint.red("₰")}  ${paint.bold(text)}`);
      indented(note, paint.dim);
    },
    step(name, note) {
      steps += 1;
      print("");
      print(`${paint.red(String(steps))}  ${paint.bold(name)}  ${paint.dim(note)}`);
    },
    text: (text) => indented(text),
    quote(text) {
      for (const line of wrap(text, WIDTH - INDENT.length - 2))
        print(`${INDENT}${paint.dim("│")} ${paint.italic(line)}`);
    },
    table(head, rows) {
      const widths = head.map((name, column) =>
        Math.max(name.length, ...rows.map((row) => (row[column] ?? "").length)),
      );
      printRow(head, widths, paint.dim);
      for (const row of rows) printRow(row, widths);
    },
    growingTable(head, widest) {
      const widths = head.map((name, column) => Math.max(name.length, column === 0 ? widest : LEAST_CELL));
      printRow(head, widths, paint.dim);
      return (row) => printRow(row, widths);
    },
    good: (text) => indented(text, (line) => paint.green(line)),
    bad: (text) => indented(text, (line) => paint.red(line)),
  };
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
