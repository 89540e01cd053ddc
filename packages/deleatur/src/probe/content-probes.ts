// Makes the exact and the excerpt probe of one place, such as a table, over one reading of it. It opens no store: whoever reads hands it passages.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Finding, Needle, Passage } from "../model/needle.ts";
import type { Probe } from "../surface.ts";
import { createExactMatcher } from "./exact-matcher.ts";
import { createExcerptMatcher } from "./excerpt-matcher.ts";
import type { Matcher, MatcherFinding } from "./matcher.ts";
import { oncePerNeedles } from "./once-per-needles.ts";
import { unfoldContent } from "./unfold-content.ts";

const PASSAGES_A_TURN = 2_000;

/** The names of the two. `excerpt` asks for no vectors: there are no words in them. */
export type ContentProbeName = "exact" | "excerpt";

/**
 * Reads the place anew, through a connection of its own that ends with the reading: as many passages at once as are there without waiting. The first of them comes when it is open. A passage's vector holds until the next.
 */
export type ReadPassages = (probe: ContentProbeName, signal: AbortSignal) => AsyncIterable<Iterable<Passage>>;

const excerptMatcher = oncePerNeedles((needles) => createExcerptMatcher(needles));
const exactMatcher = oncePerNeedles((needles) => createExactMatcher(needles, excerptMatcher(needles)));

/** So many findings of the excerpt matcher are kept for its own probe; where there are more, that reads the place itself. */
const MAX_KEPT = 100_000;

interface Kept {
  readonly needles: readonly Needle[];
  readonly findings: readonly Finding[];
}

/** Asked for the same needles one after the other they share one reading, by the first. */
export function contentProbes(scope: string, read: ReadPassages, maxKept: number = MAX_KEPT): readonly Probe[] {
  let kept: Kept | undefined;
  const common = { depth: "api", close: (): Promise<void> => Promise.resolve() } as const; // each look closes its own connection
  return [
    {
      ...common,
      name: "exact",
      scope: `exact:${scope}`,
      async *look(needles, signal): AsyncGenerator<Finding> {
        const [exact, excerpt] = [exactMatcher(needles), excerptMatcher(needles)];
        kept = undefined;
        let beside: Finding[] | undefined = [];
        yield* lookThrough("exact", read, needles, signal, (passage, views) => {
          for (const found of excerpt.match(passage, views)) beside?.push(findingOf("excerpt", found));
          if (beside !== undefined && beside.length > maxKept) beside = undefined;
          return exact.match(passage, views);
        });
        if (beside !== undefined) kept = { needles, findings: beside };
      },
    },
    {
      ...common,
      name: "excerpt",
      scope: `excerpt:${scope}`,
      async *look(needles, signal): AsyncGenerator<Finding> {
        const known = kept?.needles === needles ? kept.findings : undefined;
        kept = undefined;
        if (known !== undefined && needles.length > 0) {
          yield* inTurns(known, signal);
          return;
        }
        const excerpt = excerptMatcher(needles);
        yield* lookThrough("excerpt", read, needles, signal, (passage, views) => excerpt.match(passage, views));
      },
    },
  ];
}

async function* lookThrough(
  probe: ContentProbeName,
  read: ReadPassages,
  needles: readonly Needle[],
  signal: AbortSignal,
  match: Matcher["match"],
): AsyncGenerator<Finding> {
  let count = 0;
  for await (const passages of read(probe, signal)) {
    if (needles.length === 0) return;
    for (const passage of passages) {
      signal.throwIfAborted();
      for (const found of match(passage, unfoldContent(passage.field))) yield findingOf(probe, found);
      count += 1;
      if (count % PASSAGES_A_TURN === 0) await nextTurn();
    }
  }
}

function findingOf(probe: ContentProbeName, found: MatcherFinding): Finding {
  return { ...found, probe, depth: "api" };
}

async function* inTurns(findings: readonly Finding[], signal: AbortSignal): AsyncGenerator<Finding> {
  for (const [at, finding] of findings.entries()) {
    signal.throwIfAborted();
    if (at % PASSAGES_A_TURN === PASSAGES_A_TURN - 1) await nextTurn();
    yield finding;
  }
}
