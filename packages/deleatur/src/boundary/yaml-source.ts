// Reads the text of a boundary file as a plain value, with the line of every field. The text is hostile: bounded, and nothing in it runs.
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Scalar,
  visit,
} from "yaml";
import type { FieldPath, Problem } from "./problem.ts";

/** A boundary file is a page or two; a text beyond this is refused before it is parsed. */
export const MAX_BOUNDARY_CHARS = 262_144;
const MAX_ALIASES = 100;
const MAX_OPEN_BRACKETS = 1000;

export type YamlSource =
  | { readonly outcome: "read"; readonly value: unknown; lineOf(path: FieldPath): number | undefined }
  | { readonly outcome: "refused"; readonly problems: readonly [Problem, ...Problem[]] };

function refused(code: string, what: string, cure: string, line?: number): YamlSource {
  return { outcome: "refused", problems: [{ code, path: [], what, cure, ...(line === undefined ? {} : { line }) }] };
}

function syntaxProblem(code: string, line: number | undefined): Problem {
  const place = line === undefined ? {} : { line };
  if (code === "NON_STRING_KEY") {
    return {
      code: "BOUNDARY_SYNTAX",
      path: [],
      what: "has a name that is no text",
      cure: "put it in quotes",
      ...place,
    };
  }
  return { code: "BOUNDARY_SYNTAX", path: [], what: `is not plain YAML (${code})`, cure: "mend the line", ...place };
}

function repeatedNames(document: Document.Parsed, lineAt: (offset: number) => number | undefined): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (key: Scalar): void => {
    const line = key.range ? lineAt(key.range[0]) : undefined;
    const what = "gives one name twice in the same map";
    problems.push({ code: "DUPLICATE_ID", path: [], what, cure: "rename or remove one", ...(line ? { line } : {}) });
  };
  visit(document, {
    Map(_, map) {
      const names = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) report(key);
        names.add(key.value);
      }
    },
  });
  return problems;
}

function lineFinder(document: Document.Parsed, lines: LineCounter): (path: FieldPath) => number | undefined {
  const lineAt = (node: unknown): number | undefined =>
    isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined;
  return (path) => {
    let node: unknown = document.contents;
    let line = lineAt(node);
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document);
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && item.key.value === step);
        if (pair === undefined) break;
        line = lineAt(pair.key) ?? line;
        node = pair.value;
      } else if (isSeq(node) && typeof step === "number") {
        node = node.items[step];
        line = lineAt(node) ?? line;
      } else break;
    }
    return line;
  };
}

/** Parses YAML 1.2 (core schema): no custom tags, no repeated names, few aliases, one document, at most 262,144 characters. */
export function readYaml(text: string): YamlSource {
  if (text.length > MAX_BOUNDARY_CHARS)
    return refused(
      "BOUNDARY_TOO_LARGE",
      "is longer than 262,144 characters",
      "give the boundary file itself, a page or two of YAML",
    );
  if (deepestBracket(text) > MAX_OPEN_BRACKETS)
    return refused("BOUNDARY_TOO_DEEP", "opens more than 1,000 brackets within each other", "write it flat");
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      strict: true,
      stringKeys: true,
      // Checked below instead: the parser compares every name with every other.
      uniqueKeys: false,
      schema: "core",
      version: "1.2",
      logLevel: "error",
    });
    const lineAt = (offset: number): number | undefined => lines.linePos(offset).line || undefined;
    const syntax = [...document.errors, ...document.warnings].map((error) =>
      syntaxProblem(error.code, lineAt(error.pos[0])),
    );
    const [first, ...rest] = syntax.length > 0 ? syntax : repeatedNames(document, lineAt);
    if (first !== undefined) return { outcome: "refused", problems: [first, ...rest.slice(0, 99)] };
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { outcome: "read", value, lineOf: lineFinder(document, lines) };
  } catch {
    // The parser gives up on what it cannot hold (too deep, too many aliases); its own words may repeat the text, so they are not passed on.
    return refused("BOUNDARY_SYNTAX", "cannot be read as YAML", "remove deep nesting and repeated aliases");
  }
}

function deepestBracket(text: string): number {
  let open = 0;
  let deepest = 0;
  for (const char of text) {
    if (char === "[" || char === "{") deepest = Math.max(deepest, (open += 1));
    else if ((char === "]" || char === "}") && open > 0) open -= 1;
  }
  return deepest;
}
