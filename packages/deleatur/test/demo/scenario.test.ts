// The demo's own data: it must be what the demo says of it, or the demo would show something else.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { DIMENSIONS, embedText } from "../../src/demo/embed-text.ts";
import { readMeetings } from "../../src/demo/read-meetings.ts";
import { FORGOTTEN_EPISODE, FORGOTTEN_PERSON, scenario } from "../../src/demo/scenario.ts";
import { summarise } from "../../src/demo/summarise.ts";
import type { Artifact } from "../../src/model/artifact.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";
import { normaliseWords } from "../../src/probe/normalise-words.ts";

const runsOf = (text: string, length: number): readonly string[] => {
  const words = normaliseWords(text);
  return words.slice(0, Math.max(0, words.length - length + 1)).map((_, at) => words.slice(at, at + length).join(" "));
};

describe("the household scenario", () => {
  const data = scenario();
  const by = new Map(data.episodes.map((episode) => [episode.id, episode]));

  it("has at least three people, thirty episodes, and summaries that several people share", () => {
    expect(data.people.length).toBeGreaterThanOrEqual(3);
    expect(data.episodes.length).toBeGreaterThanOrEqual(30);
    const shared = data.summaries.filter(({ sources }) => new Set(sources.map((id) => by.get(id)?.by)).size > 1);
    expect(shared.length).toBeGreaterThanOrEqual(4);
    expect(by.get(FORGOTTEN_EPISODE)?.by).toBe(FORGOTTEN_PERSON);
  });

  it("quotes each of its sources in most summaries, so that a forgotten row has survivors to be found", () => {
    const quotes = data.summaries.map(({ text, sources }) => {
      const runs = new Set(runsOf(text, 5));
      return sources.filter((id) => runsOf(by.get(id)?.text ?? "", 5).some((run) => runs.has(run))).length;
    });
    expect(quotes.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20);
    for (const count of quotes) expect(count).toBeGreaterThan(0);
  });

  it("gives no two people five words in a row that are the same, so that nobody's words are another's", () => {
    const owners = new Map<string, Set<string>>();
    const own = (person: string, text: string): void => {
      for (const run of runsOf(text, 5)) owners.set(run, (owners.get(run) ?? new Set()).add(person));
    };
    for (const { by: person, text } of data.episodes) own(person, text);
    for (const { id, profile } of data.people) own(id, profile?.about ?? "");
    expect([...owners].filter(([, people]) => people.size > 1)).toEqual([]);
  });

  it("lets nobody speak of the forgotten person by name in words of their own", () => {
    const name = data.people.find(({ id }) => id === FORGOTTEN_PERSON)?.name ?? "?";
    expect(data.episodes.filter(({ by: person, text }) => person !== FORGOTTEN_PERSON && text.includes(name))).toEqual(
      [],
    );
  });
});

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return a === undefined || b === undefined ? Number.NaN : a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

describe("embedText", () => {
  it("is deterministic, of length 1, and nearer for texts that share words", () => {
    const [oven, ovens, bus] = ["the oven is hot today", "the oven was hot yesterday", "a night bus on Fridays"].map(
      embedText,
    );
    expect(embedText("the oven is hot today")).toEqual(oven);
    expect(oven).toHaveLength(DIMENSIONS);
    expect(dot(oven, oven)).toBeCloseTo(1, 5);
    expect(dot(oven, ovens)).toBeGreaterThan(dot(oven, bus));
  });

  it("gives the same words in another number or order the very same vector, never one that is merely near", () => {
    expect(embedText("Okay okay . Yeah")).toEqual(embedText("yeah, OKAY"));
  });
});

function artifact(key: string, speaker: string, text: string): Artifact {
  return {
    surface: surfaceId("episodes"),
    key: artifactKey(key),
    subjects: [{ type: "speaker", value: `T:${speaker}` }],
    sources: [],
    content: [{ type: "text", name: "text", text }],
  };
}

describe("summarise", () => {
  it("LINEAGE-5: holds nothing but sentences of the sources that it was given, each with who said it", () => {
    const sources = [
      artifact("1", "marketing", "The remote should look like a lemon. Fruit is the fashion in Milan this year."),
      artifact(
        "2",
        "user-interface",
        "Okay. A lemon remote needs big yellow buttons, and the lemon skin must be soft.",
      ),
    ];
    const text = summarise(sources, 20);
    for (const quoted of text.matchAll(/“([^”]+)”/g)) {
      expect(
        sources.some(({ content }) =>
          content.some((field) => field.type === "text" && field.text.includes(quoted[1] ?? "?")),
        ),
      ).toBe(true);
    }
    expect(text).toMatch(/^(marketing|user interface): “/);
  });

  it("is that source where there is only one short one", () => {
    expect(summarise([{ ...artifact("1", "x", "Five jars are ours."), subjects: [] }])).toBe("Five jars are ours.");
  });
});

const QMSUM = fileURLToPath(new URL("../../../../../shared/data/qmsum/", import.meta.url));
const isThere = existsSync(QMSUM);
if (!isThere) console.warn(`skipped: no shared data at ${QMSUM}`);

describe("readMeetings", () => {
  it("has the shared data where a skip would be a failure", () => {
    expect(isThere || process.env["CI"] === undefined).toBe(true);
  });

  it.skipIf(!isThere)(
    "reads the four meetings of a team as episodes of four people, every lineage within the turns",
    () => {
      const { teams, data } = readMeetings(["a", "b", "c", "d"].map((letter) => `${QMSUM}ES2002${letter}.json`));
      expect(teams).toEqual(["ES2002"]);
      expect(data.people.map(({ id }) => id).toSorted()).toEqual([
        "ES2002:industrial-designer",
        "ES2002:marketing",
        "ES2002:project-manager",
        "ES2002:user-interface",
      ]);
      expect(data.episodes).toHaveLength(287 + 621 + 640 + 950);
      const ids = new Set(data.episodes.map(({ id }) => id));
      for (const { sources } of [...data.summaries, ...data.answers]) {
        expect(sources.length).toBeGreaterThan(0);
        expect(sources.every((id) => ids.has(id))).toBe(true);
      }
    },
  );

  it.skipIf(!isThere)("reads a folder of many teams: a role is a person of its team", () => {
    const { teams, names, data } = readMeetings([QMSUM]);
    expect([teams.length, names.length, data.people.length, data.episodes.length]).toEqual([9, 36, 36, 16_066]);
    expect(new Set(data.answers.map(({ key }) => key)).size).toBe(data.answers.length);
  });

  it.skipIf(!isThere)("refuses a meeting that is given twice, and a folder without one", () => {
    const one = `${QMSUM}ES2002a.json`;
    for (const paths of [[one, one], [`${QMSUM}..`]])
      expect(() => readMeetings(paths)).toThrow(expect.objectContaining({ code: "BAD_MEETING" }));
  });

  it("refuses a file that is missing, without a stack of another's words", () => {
    expect(() => readMeetings(["/nowhere/ES2002a.json"])).toThrow(expect.objectContaining({ code: "BAD_MEETING" }));
  });
});
