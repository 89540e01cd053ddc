// Builds the agent's memory the way an application with our SDK does: every write is recorded with its person or its sources as it is made.
import { mkdirSync } from "node:fs";
import { type Deleatur, openDeleatur, type OpenOptions } from "../open-deleatur.ts";
import { type AgentStore, createAgentStore } from "./agent-store.ts";
import { embedText } from "./embed-text.ts";
import type { Episode, MemoryData } from "./memory-data.ts";
import { summarise } from "./summarise.ts";
import { type DemoKind, writeBoundary } from "./write-boundary.ts";

export interface BuiltMemory {
  readonly directory: string;
  readonly boundaryFile: string;
  readonly databaseFile: string;
  /** The application's side. */
  readonly store: AgentStore;
  /** Deleatur's side, with `summarise` registered. */
  readonly memory: Deleatur;
}

const BATCH = 500;

/** Makes the files, the boundary and the ledger in `directory` and records all data. */
export async function buildMemory(
  directory: string,
  kind: DemoKind,
  data: MemoryData,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<BuiltMemory> {
  mkdirSync(directory, { recursive: true });
  const store = createAgentStore(directory, data);
  const boundaryFile = writeBoundary(directory, kind);
  const memory = await openDeleatur(boundaryFile, options);
  memory.registerRederive("summarise", (sources) => Promise.resolve(summarise(sources)));
  await recordData(memory, store, kind, data, signal);
  return { directory, boundaryFile, databaseFile: `${directory}/memory.db`, store, memory };
}

async function recordData(
  memory: Deleatur,
  store: AgentStore,
  kind: DemoKind,
  data: MemoryData,
  signal: AbortSignal,
): Promise<void> {
  const person = kind === "household" ? "account" : "speaker";
  const profiled = data.people.filter(({ profile }) => profile !== undefined);
  if (profiled.length > 0) {
    await memory.recordBatch(
      "people",
      profiled.map(({ id, profile }, index) => ({
        key: String(index + 1),
        subjects: [`${person}:${id}`, `email:${profile?.email ?? ""}`],
        content: { about: profile?.about ?? "" },
      })),
      () => store.insertPeople(profiled),
      signal,
    );
  }
  for (let from = 0; from < data.episodes.length; from += BATCH) {
    await recordEpisodes(memory, store, person, data.episodes.slice(from, from + BATCH), signal);
  }
  await memory.deriveBatch(
    "summaries",
    data.summaries.map(({ id, sources, text }) => ({
      key: String(id),
      sources: fromEpisodes(sources),
      content: { text },
    })),
    () => store.insertSummaries(data.summaries),
    signal,
  );
  await memory.deriveBatch(
    "summary-search",
    data.summaries.map(({ id, text }) => ({ key: String(id), sources: [`summaries/${id}`], content: { text } })),
    () => store.indexSummaries(data.summaries),
    signal,
  );
  await memory.deriveBatch(
    "answers",
    data.answers.map(({ key, askedBy, question, answer, sources }) => ({
      key,
      sources: fromEpisodes(sources),
      content: { question, answer },
      ...(askedBy === undefined ? {} : { subjects: [`email:${askedBy}`] }),
    })),
    () => store.insertAnswers(data.answers),
    signal,
  );
  // The bookkeeping log holds no content and is exempt: nothing about it is recorded.
  if (data.payments.length > 0) store.insertPayments(data.payments);
}

function fromEpisodes(ids: readonly number[]): readonly string[] {
  return ids.map((id) => `episodes/${id}`);
}

async function recordEpisodes(
  memory: Deleatur,
  store: AgentStore,
  person: string,
  episodes: readonly Episode[],
  signal: AbortSignal,
): Promise<void> {
  await memory.recordBatch(
    "episodes",
    episodes.map(({ id, by, text }) => ({ key: String(id), subjects: [`${person}:${by}`], content: { text } })),
    () => store.insertEpisodes(episodes),
    signal,
  );
  await memory.deriveBatch(
    "transcripts",
    episodes.map(({ id, by, text }) => ({
      key: `t${id}`,
      subjects: [`${person}:${by}`],
      sources: fromEpisodes([id]),
      content: { text },
    })),
    () => store.appendTranscripts(episodes),
    signal,
  );
  const vectors = episodes.map(({ id, text }) => ({ id, embedding: embedText(text) }));
  await memory.deriveBatch(
    "vectors",
    vectors.map(({ id, embedding }) => ({ key: String(id), sources: fromEpisodes([id]), content: { embedding } })),
    () => store.insertVectors(vectors),
    signal,
  );
  await memory.deriveBatch(
    "search",
    episodes.map(({ id, text }) => ({ key: String(id), sources: fromEpisodes([id]), content: { text } })),
    () => store.indexEpisodes(episodes),
    signal,
  );
}
