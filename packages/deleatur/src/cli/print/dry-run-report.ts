// Text and JSON of `forget --dry-run`: the closure as a tree of data locations with counts, what others share, what is kept, what is out of reach.
import type { DryRun, DryRunItem } from "../../forget/outcome.ts";
import type { VerbContext } from "../verb.ts";
import { bestLines } from "./best-outcome-lines.ts";
import { foresightLines } from "./foresight-lines.ts";
import { section } from "./section.ts";
import { count } from "./words.ts";

interface Node {
  readonly surface: string;
  readonly items: DryRunItem[];
  readonly below: Map<string, Node>;
}

export function dryRunText(dryRun: DryRun, context: VerbContext): string {
  const { items, surfaces, outOfReach, identifiersUnknown, withoutLineage, best } = dryRun;
  const labels = new Map(surfaces.map(({ surface, label }) => [surface, label]));
  return [
    context.paint.bold("Dry run: nothing was touched"),
    "",
    ...(items.length === 0
      ? ["  nothing is known about this person"]
      : ["person", ...treeLines(growTree(items).below, labels, "", context.areKeysShown)]),
    ...section(
      "Shared with others:",
      items.length === 0
        ? []
        : surfaces.flatMap(({ label, rewrite, lossForOthers }) => [
            ...(rewrite > 0 ? [`${label}: ${count(rewrite, "record")} rewritten, the others' part stays`] : []),
            ...(lossForOthers > 0
              ? [`${label}: ${count(lossForOthers, "record")} lost for others too (shared: destroy)`]
              : []),
          ]),
    ),
    ...section(
      "Kept by law:",
      surfaces.flatMap(({ label, keep }) => (keep > 0 ? [`${label}: ${count(keep, "record")}`] : [])),
    ),
    ...section(
      "Out of reach:",
      outOfReach.map(({ surface, why }) => `${labels.get(surface) ?? surface}: ${why}`),
    ),
    ...section(
      "Identifiers not given:",
      identifiersUnknown.map(
        ({ surface, type }) => `${labels.get(surface) ?? surface} knows people by ${type}: give it, or --none ${type}`,
      ),
    ),
    ...section(
      "Without lineage:",
      withoutLineage.map(({ surface, rows }) => `${labels.get(surface) ?? surface}: ${count(rows, "record")}`),
    ),
    ...foresightLines(dryRun.purges, dryRun.hindered),
    "",
    // What is not there is not attested, whatever the stores would allow.
    ...(items.length === 0 && best.attestation === "erasure"
      ? ["Nothing would be attested about this person: `forget` claims nothing about who was not there"]
      : bestLines(best, context.paint)),
    "",
  ].join("\n");
}

/** A record hangs below the nearest record that it is derived from; records of one data location in one place are one node. */
function growTree(items: readonly DryRunItem[]): Node {
  const root: Node = { surface: "", items: [], below: new Map() };
  const places = new Map<string, Node>();
  for (const item of items.toSorted((a, b) => a.depth - b.depth)) {
    const surface = item.artifact.slice(0, item.artifact.indexOf("/"));
    const above =
      item.depth === 0 ? root : (item.sources.map((id) => places.get(id)).find((node) => node !== undefined) ?? root);
    let node = above.surface === surface ? above : above.below.get(surface);
    if (node === undefined) {
      node = { surface, items: [], below: new Map() };
      above.below.set(surface, node);
    }
    node.items.push(item);
    places.set(item.artifact, node);
  }
  return root;
}

function treeLines(
  nodes: ReadonlyMap<string, Node>,
  labels: ReadonlyMap<string, string>,
  indent: string,
  areKeysShown: boolean,
): readonly string[] {
  return [...nodes.values()].flatMap((node, index) => {
    const isLast = index === nodes.size - 1;
    const next = `${indent}${isLast ? "   " : "│  "}`;
    const counts = (["erase", "rewrite", "keep"] as const).flatMap((action) => {
      const number = node.items.filter((item) => item.action === action).length;
      return number === 0 ? [] : [`${action} ${number}`];
    });
    return [
      `${indent}${isLast ? "└─ " : "├─ "}${labels.get(node.surface) ?? node.surface}: ${counts.join(", ")}`,
      ...(areKeysShown ? [`${next}${node.below.size > 0 ? "│" : " "}    ${keysOf(node)}`] : []),
      ...treeLines(node.below, labels, next, areKeysShown),
    ];
  });
}

const MOST_KEYS = 8;

function keysOf({ items }: Node): string {
  const keys = items.slice(0, MOST_KEYS).map(({ artifact }) => artifact.slice(artifact.indexOf("/") + 1));
  return `${keys.join(", ")}${items.length > MOST_KEYS ? ", …" : ""}`;
}

export function dryRunJson(dryRun: DryRun, { areKeysShown }: VerbContext): Readonly<Record<string, unknown>> {
  const { items, best, ...rest } = dryRun;
  return {
    ...rest,
    reasons: best.reasons,
    best,
    closure: { count: items.length, depth: Math.max(0, ...items.map(({ depth }) => depth)) },
    ...(areKeysShown ? { items } : {}),
  };
}
