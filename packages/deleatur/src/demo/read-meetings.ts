// Reads meetings in the form of QMSum (Zhong et al., NAACL 2021) as an agent's memory: turns, and what people answered about them. Hostile input: checked here.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { UsageError } from "../model/errors.ts";
import type { Answer, Episode, MemoryData, Summary } from "./memory-data.ts";

const span = z.tuple([z.coerce.number().int().min(0), z.coerce.number().int().min(0)]);
const meeting = z.object({
  general_query_list: z.array(z.object({ query: z.string(), answer: z.string() })),
  specific_query_list: z.array(z.object({ query: z.string(), answer: z.string(), relevant_text_span: z.array(span) })),
  meeting_transcripts: z.array(z.object({ speaker: z.string(), content: z.string() })).min(1),
});

/** ES2002a is the first meeting of team ES2002. */
const FILE_NAME = /^(.+)([a-z])\.json$/;
/** Turns carry no time: each is taken to last five seconds, from ten o'clock on. */
const SECONDS_A_TURN = 5;

export interface Meetings {
  readonly teams: readonly string[];
  /** Name of each meeting, which is its transcript's name, in the order read. */
  readonly names: readonly string[];
  readonly data: MemoryData;
}

interface Collected {
  readonly people: Map<string, string>;
  readonly episodes: Episode[];
  readonly summaries: Summary[];
  readonly answers: Answer[];
}

/**
 * Files of QMSum, or folders of them: a turn becomes an episode of its speaker (a role in a team), a general answer a summary of the whole
 * meeting, a specific answer an answer with its spans as lineage. @throws UsageError BAD_MEETING where a file is none of QMSum's
 */
export function readMeetings(paths: readonly string[]): Meetings {
  const collected: Collected = { people: new Map(), episodes: [], summaries: [], answers: [] };
  const teams: string[] = [];
  const names: string[] = [];
  for (const file of paths.flatMap(meetingFiles)) {
    const [, team, letter] = FILE_NAME.exec(basename(file)) ?? [];
    if (team === undefined || letter === undefined) throw badMeeting(file, "is not named as QMSum names a meeting");
    const name = `${team}${letter}`;
    if (names.includes(name)) throw badMeeting(file, "is given twice");
    names.push(name);
    if (!teams.includes(team)) teams.push(team);
    const day = teams.indexOf(team) * 7 + letter.charCodeAt(0) - 97;
    collectMeeting(file, { team, name, start: Date.UTC(2005, 2, 1 + day, 10) }, collected);
  }
  const { people, ...rest } = collected;
  return { teams, names, data: { ...rest, people: Array.from(people, ([id, name]) => ({ id, name })), payments: [] } };
}

/** A folder stands for the meetings in it, whatever else lies there. */
function meetingFiles(path: string): readonly string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const files = readdirSync(path).filter((name) => FILE_NAME.test(name));
  if (files.length === 0) throw badMeeting(path, "holds no meeting");
  return files.toSorted().map((name) => join(path, name));
}

function collectMeeting(
  file: string,
  { team, name, start }: { readonly team: string; readonly name: string; readonly start: number },
  { people, episodes, summaries, answers }: Collected,
): void {
  const parsed = parseMeeting(file);
  const first = episodes.length + 1;
  const last = first + parsed.meeting_transcripts.length - 1;
  for (const [turn, { speaker, content }] of parsed.meeting_transcripts.entries()) {
    const by = `${team}:${speaker
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")}`;
    people.set(by, speaker.trim());
    const at = new Date(start + turn * SECONDS_A_TURN * 1000).toISOString().replace(".000Z", "Z");
    episodes.push({ id: first + turn, by, at, transcript: name, text: content });
  }
  const turns = (from: number, to: number): readonly number[] => {
    // Spans of the data sometimes end behind the last turn.
    const begin = Math.min(first + Math.min(from, to), last);
    const end = Math.min(first + Math.max(from, to), last);
    return Array.from({ length: end - begin + 1 }, (_, at) => begin + at);
  };
  for (const { answer } of parsed.general_query_list) {
    summaries.push({ id: summaries.length + 1, sources: turns(0, last - first), text: answer });
  }
  for (const { query, answer, relevant_text_span } of parsed.specific_query_list) {
    const sources = [...new Set(relevant_text_span.flatMap(([from, to]) => turns(from, to)))];
    // An answer without a span is about the whole meeting, as the general ones are.
    const lineage = sources.length > 0 ? sources : turns(0, last - first);
    answers.push({ key: `${name}-${answers.length + 1}`, question: query, answer, sources: lineage });
  }
}

function badMeeting(file: string, what: string): UsageError {
  return new UsageError("BAD_MEETING", `a meeting's file ${what}`, {
    place: { file },
    cure: "give files of QMSum, such as ES2002a.json, or a folder of them",
  });
}

function parseMeeting(file: string): z.output<typeof meeting> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw badMeeting(file, error instanceof Error && "code" in error ? "cannot be read" : "is not JSON");
  }
  const parsed = meeting.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badMeeting(file, `is not in the form of QMSum, see ${parsed.error.issues[0]?.path.join(".") ?? "the whole"}`);
}
