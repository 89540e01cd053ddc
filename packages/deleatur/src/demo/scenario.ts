// The demo's scenario: a household agent, four people who share a house, and what the agent made of their words. Fictional throughout.
import { createHash } from "node:crypto";
import type { Answer, MemoryData, Person, Summary } from "./memory-data.ts";
import { SAID } from "./scenario-episodes.ts";

const PEOPLE: readonly Person[] = [
  {
    id: "u-4b81",
    name: "Marta",
    profile: {
      email: "marta.okafor@lindenhof.example",
      about:
        "Night nurse on the cardiac ward, room facing the courtyard, keeps a tortoise named Odysseus, moved in after Easter.",
    },
  },
  {
    id: "u-9c20",
    name: "Jonas",
    profile: {
      email: "jonas.brandvold@lindenhof.example",
      about:
        "Baker with early shifts, sings bass in the parish choir, severe nut allergy, has the key to the cellar workshop.",
    },
  },
  {
    id: "u-e7f3",
    name: "Priya",
    profile: {
      email: "priya.raghunathan@lindenhof.example",
      about:
        "Doctoral student of hydrology, plays the cello most evenings, looks after the allotment plot and the bean seeds.",
    },
  },
  {
    id: "u-1d6a",
    name: "Teo",
    profile: {
      email: "teo.almeida@lindenhof.example",
      about:
        "Bicycle mechanic and father of Lotte, treasurer of the residents' association, drives the volunteer night bus.",
    },
  },
];

/** The row that the naive tool deletes: Marta's words about her operation. */
export const FORGOTTEN_EPISODE = 5;
/** Who asks to be forgotten altogether. */
export const FORGOTTEN_PERSON = "u-4b81";
/** New words of somebody who stays: they must get in. */
export const UNRELATED_WORDS =
  "From next week the paper bins are emptied on Tuesdays, so the crates have to stand at the gate by Monday night.";

/** Written by the agent's model in earlier weeks; like all such summaries they quote. */
const SUMMARIES: readonly Omit<Summary, "id">[] = [
  {
    sources: [1, 22, 31],
    text: "Quiet hours. One of you said: please keep the hallway lights off until two in the afternoon. Another eats supper at breakfast time: my shift at the ovens begins at three in the morning all week. The cello goes on past ten now and then, and a quiet knock on the wall is quite enough.",
  },
  {
    sources: [5, 17, 21, 29],
    text: "Marta's autumn. Her knee operation is on the nineteenth at the Sankt Vinzenz clinic, her sister Adaeze flies in from Lagos on the twenty-first, and physiotherapy begins on the twenty-fifth, each Wednesday at eleven. She should practise stairs with a stick.",
  },
  {
    sources: [5, 7, 28],
    text: "Busy weeks ahead. Marta will be on crutches for about six weeks afterwards, Priya will defend her thesis on glacier meltwater chemistry on the second of December, and the landlord offered to insulate the attic if we empty it ourselves.",
  },
  {
    sources: [6, 13, 15],
    text: "Health and food. The spare adrenaline pen hangs behind the spice rack, Marta is allergic to penicillin and the pharmacy on Gertrudenplatz keeps her tablets, and two visiting hydrologists from Ladakh are vegetarian.",
  },
  {
    sources: [9, 36],
    text: "Doors and keys. After a burglary one of you feels safer when the garden door is double locked by ten, and the cellar key is back on the hook with the green ribbon.",
  },
  {
    sources: [2, 14, 34],
    text: "The kitchen according to Jonas. Brunhilde wants two spoons of rye flour every evening at nine, the proofing cabinet has to stand level on the cellar floor, and roast nothing above two hundred and thirty in that oven.",
  },
  {
    sources: [8, 20, 32],
    text: "Lotte. She sleeps badly unless the small amber lamp is left on, the tooth fairy owes her a coin and a note written in mirror letters, and she may walk to the library alone from December.",
  },
  {
    sources: [37, 11, 2],
    text: "Who needs feeding. The tortoise gets two leaves of dandelion and never any lettuce, the allotment by the railway needs its winter fleece, and the starter in the blue crock is called Brunhilde.",
  },
  {
    sources: [4, 18, 33],
    text: "Money. A ten-speed chain goes on the shared account, forty euros are owed to the repair café for the toaster, and one of you would like to pay the rent on the fifth from now on, because the hospital transfers night bonuses only on the third.",
  },
  {
    sources: [26, 35],
    text: "Music in December. The choir needs somebody to turn pages on the sixth, and its director asked whether our living room could seat twenty for an evening of chamber music.",
  },
];

interface Asked {
  readonly by: string;
  readonly question: string;
  readonly answer: string;
  readonly sources: readonly number[];
}

/** The response cache: the agent answers a repeated question without asking its model again. */
const ASKED: readonly Asked[] = [
  {
    by: "u-9c20",
    question: "Who needs help in the house in the second half of November?",
    answer:
      "Marta does: my knee operation is on the nineteenth at the Sankt Vinzenz clinic, she said, and somebody else has to feed the tortoise.",
    sources: [5, 37],
  },
  {
    by: "u-4b81",
    question: "When is my first physiotherapy and how do I get there?",
    answer:
      "It begins on the twenty-fifth, each Wednesday at eleven, and the taxi voucher lies in the drawer with the candles.",
    sources: [29],
  },
  {
    by: "u-1d6a",
    question: "Which rooms are taken by guests this month?",
    answer: "The study from the tenth to the thirteenth, and from the twenty-first the room that faces the pear tree.",
    sources: [15, 17],
  },
  {
    by: "u-e7f3",
    question: "What should I not put into the oven or the dough?",
    answer:
      "No hazelnuts without a warning, since his throat swells within minutes, and nothing above two hundred and thirty in that oven.",
    sources: [6, 34],
  },
  {
    by: "u-1d6a",
    question: "When can the boiler man come?",
    answer: "Only on Wednesday between seven and nine; someone must show him the rusty valve behind the coal bunker.",
    sources: [16],
  },
  {
    by: "u-9c20",
    question: "How much jam is really ours?",
    answer: "Five jars, for I counted nine jars of plum jam in the cellar and four belong to the bakery.",
    sources: [30],
  },
];

const PAYMENTS: readonly (readonly [by: string, cents: number, day: number])[] = [
  ["u-1d6a", 3_490, 3],
  ["u-4b81", 61_500, 5],
  ["u-9c20", 58_000, 5],
  ["u-e7f3", 54_250, 5],
  ["u-9c20", 4_000, 9],
];

/** The whole scenario as an agent's memory holds it. */
export function scenario(): MemoryData {
  return {
    people: PEOPLE,
    episodes: SAID.map(([by, day, time, text], index) => ({
      id: index + 1,
      by,
      at: `${dayOfNovember(day)}T${time}:00Z`,
      transcript: dayOfNovember(day) < "2026-11-09" ? "2026-w45" : "2026-w46",
      text,
    })),
    summaries: SUMMARIES.map((summary, index) => ({ id: index + 1, ...summary })),
    answers: ASKED.map(cachedAnswer),
    payments: PAYMENTS.map(([by, cents, day], index) => ({ id: index + 1, by, cents, at: dayOfNovember(day) })),
  };
}

function cachedAnswer({ by, question, answer, sources }: Asked): Answer {
  const askedBy = PEOPLE.find(({ id }) => id === by)?.profile?.email;
  const key = createHash("sha256").update(question).digest("hex").slice(0, 32);
  return { key, question, answer, sources, ...(askedBy === undefined ? {} : { askedBy }) };
}

function dayOfNovember(day: number): string {
  return `2026-11-${String(day).padStart(2, "0")}`;
}
