// Writes the demo's boundary file: the declaration that a newcomer reads first, with its comments.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Which memory it declares: the household scenario, or a team's meetings. */
export type DemoKind = "household" | "meetings";

const HEAD = `# Every place in which this agent keeps something about a person. What is not here is found by the census and reported.
deleatur: 1
`;

const EPISODES = (type: string): string =>
  `  episodes:       { kind: sqlite, role: primary, label: "conversation memory", store: memory, table: episodes, key: id,
                    subject: { column: account, type: ${type} }, content: [text] }
  transcripts:    { kind: jsonl, role: transcript, label: "transcripts", store: transcripts, key: id,
                    subject: { field: user, type: ${type} }, content: [text], derivedFrom: { surface: episodes, field: episode } }
  vectors:        { kind: sqlite-vec, role: index, label: "embeddings", store: memory, table: episode_vec, key: episode_id, keys: reusable,
                    vector: embedding, derivedFrom: { surface: episodes, column: episode_id } }
  search:         { kind: sqlite-fts, role: index, label: "search index", store: memory, table: episodes_fts, content: [text],
                    derivedFrom: { surface: episodes, column: rowid } }
  # A summary that several people went into is written anew from the words of those who stay.
  summaries:      { kind: sqlite, role: derived, label: "summaries", store: memory, table: summaries, key: id, content: [text],
                    derivedFrom: { surface: episodes, column: source_ids, as: json }, shared: rederive, rederive: summarise }
  summary-search: { kind: sqlite-fts, role: index, label: "search index of summaries", store: memory, table: summaries_fts, content: [text],
                    derivedFrom: { surface: summaries, column: rowid } }
`;

const TAIL = `census: { include: ["memory.*", "transcripts.*"] }
connect:
  ledger: sqlite:./deleatur.db
  memory: { file: ./memory.db }
  transcripts: { path: "./transcripts/*.jsonl" }
`;

const HOUSEHOLD = `${HEAD}boundary: demo/household-agent
identifiers: [account, email]
writers: sdk
surfaces:
  people:         { kind: sqlite, role: primary, label: "profiles", store: memory, table: people, key: id,
                    subject: { column: account, type: account }, content: [about],
                    maps: { from: { column: account, type: account }, to: { column: email, type: email } } }
${EPISODES("account")}  # A cached answer is dropped when it used the words of somebody who leaves; the agent answers anew.
  answers:        { kind: sqlite, role: cache, label: "cached answers", store: memory, table: answers, key: id, content: [question, answer],
                    subject: { column: asked_by, type: email },
                    derivedFrom: { surface: episodes, column: source_ids, as: json }, shared: destroy }
exempt:
  - { name: payments-log, kind: audit-log, store: memory, table: payment_log, ground: "bookkeeping law; append-only, ids and amounts" }
${TAIL}`;

const MEETINGS = `${HEAD}boundary: demo/meetings
identifiers: [speaker]
writers: sdk
surfaces:
${EPISODES("speaker")}  # What an answer quotes from somebody who leaves is struck out of it.
  answers:        { kind: sqlite, role: derived, label: "answers to questions", store: memory, table: answers, key: id, content: [question, answer],
                    derivedFrom: { surface: episodes, column: source_ids, as: json }, shared: redact }
${TAIL}`;

/** Writes `deleatur.yaml` into a directory and answers its path. */
export function writeBoundary(directory: string, kind: DemoKind): string {
  const file = join(directory, "deleatur.yaml");
  writeFileSync(file, kind === "household" ? HOUSEHOLD : MEETINGS);
  return file;
}
