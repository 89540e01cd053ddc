// The agent: it hears, recalls, answers and summarises, and announces each write to Deleatur with its person or its sources.
import { randomUUID } from "node:crypto";
import { type Artifact, type Deleatur, type Held } from "deleatur";
import type { AgentStore, Episode } from "./agent-store.ts";
import { embed } from "./embed.ts";

const episodes = (ids: readonly string[]): readonly string[] => ids.map((id) => `episodes/${id}`);

/** Keeps what somebody said: the row, its embedding, its line in the transcript. */
export async function hear(memory: Deleatur, store: AgentStore, episode: Episode): Promise<Held | undefined> {
  const { id, account, text } = episode;
  const subjects = [`account:${account}`];
  const held = await memory.record("episodes", { key: id, subjects, content: { text } }, async () => {
    await store.insertEpisode(episode);
    return undefined;
  });
  if (held !== undefined) return held;
  const sources = episodes([id]);
  const embedding = embed(text);
  await memory.derive("vectors", { key: id, sources, content: { embedding } }, () => store.insertVector(id, embedding));
  const line = { key: `t-${id}`, subjects, sources, content: { text } };
  await memory.derive("transcripts", line, () => store.appendTranscript(line.key, episode));
  return undefined;
}

/** Answers from the cache, or from what the same person said, and keeps the answer with what it was made from. */
export async function answer(
  memory: Deleatur,
  store: AgentStore,
  account: string,
  prompt: string,
): Promise<{ readonly text: string; readonly isCached: boolean }> {
  const cached = await store.cachedAnswer(prompt);
  if (cached !== undefined) return { text: cached, isCached: true };
  const recalled = await store.recall(account, prompt);
  const response = `You told me: ${recalled.map(({ text }) => text).join(" ")}`;
  const key = `answer:${randomUUID()}`;
  const embedding = embed(prompt);
  const sources = recalled.map(({ id }) => id);
  await memory.derive("answers", { key, sources: episodes(sources), content: { prompt, response, embedding } }, () =>
    store.keepAnswer({ key, prompt, response, embedding, sources }),
  );
  return { text: response, isCached: false };
}

export async function summarise(
  memory: Deleatur,
  store: AgentStore,
  id: string,
  heard: readonly Episode[],
): Promise<void> {
  const sources = heard.map((episode) => episode.id);
  const text = summaryOf(heard.map((episode) => episode.text));
  await memory.derive("summaries", { key: id, sources: episodes(sources), content: { text } }, () =>
    store.insertSummary(id, sources, text),
  );
}

/** The same from what is left of the sources: Deleatur calls it when one of two people is forgotten. */
export function summariseAnew(sources: readonly Artifact[]): Promise<string> {
  const texts = sources.flatMap(({ content }) => content.flatMap((field) => ("text" in field ? [field.text] : [])));
  return Promise.resolve(summaryOf(texts));
}

/** A real agent would ask its model; nothing else would change. */
function summaryOf(texts: readonly string[]): string {
  return `In short: ${texts.join(" ")}`;
}
