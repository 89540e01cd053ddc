// The program of the thread that looks at what a survey lays. It opens no store and no ledger.
import { parentPort, workerData } from "node:worker_threads";
import { digesterUnder } from "../examine/artifact-digests.ts";
import { openDigestTable } from "../examine/digest-table.ts";
import { createWordRuns } from "../ledger/word-runs.ts";
import type { ContentField } from "../model/artifact.ts";
import { type LaidArtifacts, openLaid } from "./laid-artifacts.ts";
import { openSight } from "./survey-sight.ts";
import type { SurveyOnThread, ToldOfSurvey } from "./survey-thread.ts";
import { openComparison, openWanted } from "./wanted-content.ts";

// Written by `openSurveyThread`, which takes this type.
const { secrets, roles, closures, marks, runs } = workerData as SurveyOnThread;
const digests = { keyedDigest: (domain: string): Uint8Array => of(secrets, domain) };
const met: ContentField[] = [];
// Whom a survey is for is named by nothing that it hands to a thread.
const wanted = openWanted(() => false, new Set(), marks, runs);
const compare = openComparison(
  { ...createWordRuns(digests), roleOf: (surface) => of(roles, surface), met: (_, field) => met.push(field) },
  [wanted],
  wanted,
);
const sight = openSight(digesterUnder(digests), openDigestTable(closures), compare);

const tell = (told: ToldOfSurvey): void => parentPort?.postMessage(told, []);

parentPort?.on("message", (part: LaidArtifacts | undefined) => {
  if (part === undefined) {
    const { baseline, isChanged } = sight;
    tell({ baseline: baseline.bytes(), isChanged, sharedRuns: wanted.sharedRuns, met });
    parentPort?.close();
    return;
  }
  for (const artifact of openLaid(part)) sight.see(artifact);
  tell("taken");
});

function of<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new RangeError("a survey hands over what it has said nothing of");
  return value;
}
