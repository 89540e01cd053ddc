// Sets a block of a report: a blank line, a heading, its lines indented; nothing at all where there are no lines.

export function section(heading: string, lines: readonly string[], bullet = ""): readonly string[] {
  return lines.length === 0 ? [] : ["", heading, ...lines.map((line) => `  ${bullet}${line}`)];
}
