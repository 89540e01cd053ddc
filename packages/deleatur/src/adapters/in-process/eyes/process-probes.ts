// The eyes of the kind `in-process`: each look asks every live process anew, over a connection of its own, and compares what it lists here. No needle leaves this process.
import type { Artifact } from "../../../model/artifact.ts";
import type { Finding, Needle, Passage, Place, ProbeName } from "../../../model/needle.ts";
import { createExactMatcher } from "../../../probe/exact-matcher.ts";
import { createExcerptMatcher } from "../../../probe/excerpt-matcher.ts";
import type { Matcher } from "../../../probe/matcher.ts";
import type { Probe } from "../../../surface.ts";
import { refuseNeverRegistered } from "../never-registered.ts";
import type { InProcessOptions } from "../options.ts";

export function processProbes(options: InProcessOptions): readonly Probe[] {
  return [
    keyProbe(options),
    contentProbe(options, "exact", createExactMatcher),
    contentProbe(options, "excerpt", createExcerptMatcher),
  ];
}

/** @throws StoreError where a process is silent, cannot list, or lists nothing and shows no canary: then the look is blind */
async function* look({ surface, participation }: InProcessOptions, signal: AbortSignal): AsyncGenerator<Artifact> {
  const processes = participation();
  try {
    refuseNeverRegistered(surface, processes);
    for (const list of await processes.list(undefined, true, signal)) yield* list;
  } finally {
    processes.close();
  }
}

function placeOf({ surface, key }: Artifact): Place {
  return { container: surface, surface, key };
}

function keyProbe(options: InProcessOptions): Probe {
  return {
    name: "key",
    depth: "api",
    scope: `key:${options.surface}`,
    async *look(needles, signal): AsyncGenerator<Finding> {
      for await (const artifact of look(options, signal)) {
        for (const { ref, fate, index } of needles) {
          // The key of a rewritten artifact may stay.
          if (ref.surface !== options.surface || ref.key !== artifact.key || fate === "rewritten") continue;
          yield { probe: "key", depth: "api", needle: index, place: placeOf(artifact), match: { how: "key" } };
        }
      }
    },
    close: () => Promise.resolve(), // each look closes what it opened
  };
}

function contentProbe(
  options: InProcessOptions,
  name: Extract<ProbeName, "exact" | "excerpt">,
  createMatcher: (needles: readonly Needle[]) => Matcher,
): Probe {
  return {
    name,
    depth: "api",
    scope: `${name}:${options.surface}`,
    async *look(needles, signal): AsyncGenerator<Finding> {
      const matcher = createMatcher(needles);
      for await (const artifact of look(options, signal)) {
        if (needles.length === 0) return;
        for (const field of artifact.content) {
          signal.throwIfAborted();
          const passage: Passage = { place: placeOf(artifact), field };
          for (const finding of matcher.match(passage)) yield { ...finding, probe: name, depth: "api" };
        }
      }
    },
    close: () => Promise.resolve(), // each look closes what it opened
  };
}
