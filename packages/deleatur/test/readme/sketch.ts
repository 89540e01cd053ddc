// The sketch in the package's README, type-checked here; tutorial.test.ts holds the two together. It is never run: the tutorial is.
import { openDeleatur } from "deleatur";

declare const text: string;
declare const summary: string;
declare function insertEpisode(text: string): void;
declare function insertSummary(text: string): void;

// the sketch begins
const memory = await openDeleatur("deleatur.yaml");
await memory.record("episodes", { key: "e1", subjects: ["account:42"], content: { text } }, () => insertEpisode(text));
await memory.derive("summaries", { key: "s1", sources: ["episodes/e1"], content: { text: summary } }, () =>
  insertSummary(summary),
);

const outcome = await memory.forget({ subject: ["account:42"], now: true });
console.log(outcome.verdict, outcome.reasons, outcome.receipt); // values, never a bare success
