// Reads meetings in the form of QMSum (Zhong et al., NAACL 2021) as an agent's memory: turns, and what people answered about them. Hostile input: checked here.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
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

export interface TeamMeetings {
  readonly team: string;
  readonly data: MemoryData;
}

/**
 * All files of one team: a turn becomes an episode of its speaker, a general answer a summary of the whole meeting, a specific answer an
 * answer with its spans as lineage. @throws UsageError where a file is none of QMSum's, or of another team
 */
export function readMeetings(files: readonly string[]): TeamMeetings {
  const named = files.map((file) => ({ file, name: FILE_NAME.exec(basename(file)) }));
  const team = named[0]?.name?.[1] ?? "";
  const people = new Map<string, string>();
  const episodes: Episode[] = [];
  const summaries: Summary[] = [];
  const answers: Answer[] = [];
  for (const { file, name } of named) {
    const isOfTeam = name !== null && name[1] === team;
    if (!isOfTeam) {
      throw new UsageError(
        "NOT_ONE_TEAM",
        "the meetings are not of one team, give files such as ES2002a.json to ES2002d.json",
        {
          place: { file },
        },
      );
    }
    const parsed = parseMeeting(file);
    const transcript = `${team}${name[2] ?? ""}`;
    const first = episodes.length + 1;
    const last = first + parsed.meeting_transcripts.length - 1;
    const start = Date.UTC(2005, 2, 1 + transcript.charCodeAt(transcript.length - 1) - 97, 10);
    for (const [turn, { speaker, content }] of parsed.meeting_transcripts.entries()) {
      const by = `${team}:${speaker
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, "-")}`;
      people.set(by, speaker.trim());
      const at = new Date(start + turn * SECONDS_A_TURN * 1000).toISOString().replace(".000Z", "Z");
      episodes.push({ id: first + turn, by, at, transcript, text: content });
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
      answers.push({ key: `${transcript}-${answers.length + 1}`, question: query, answer, sources: lineage });
    }
  }
  return {
    team,
    data: { people: Array.from(people, ([id, name]) => ({ id, name })), episodes, summaries, answers, payments: [] },
  };
}

function parseMeeting(file: string): z.output<typeof meeting> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error;
    throw new UsageError(
      "BAD_MEETING",
      isMissing ? "a meeting's file cannot be read" : "a meeting's file is not JSON",
      { place: { file }, cure: "give files of QMSum, such as ES2002a.json" },
    );
  }
  const parsed = meeting.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError("BAD_MEETING", "a meeting's file is not in the form of QMSum", {
    place: { file, field: parsed.error.issues[0]?.path.join(".") ?? "" },
    cure: "give files of QMSum, such as ES2002a.json",
  });
}
