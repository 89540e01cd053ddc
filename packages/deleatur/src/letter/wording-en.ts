// The letter in English. Wording only.
import type { Wording } from "./wording.ts";

export const ENGLISH: Wording = {
  language: "en",
  locale: "en-GB",
  mark: "let it be deleted",
  colon: ":",
  from: "From",
  dateLabel: "Date",
  requestLabel: "Request",
  receivedLabel: "Received",
  dueLabel: "Answer due by",
  statusLabel: "Status",

  asked: {
    person: "You asked us to erase the data that we hold about you.",
    records: "You asked us to erase certain records.",
  },
  erasure: ({ locations, target }) => ({
    title: target === "person" ? "Your data has been erased" : "The records that you named have been erased",
    status: `Complete: nothing found in the ${locations} declared data locations`,
    opening:
      target === "person"
        ? "We have done so, together with everything derived from it, and then looked for what might be left by means independent of those that erased it. Nothing was found."
        : "We have done so, together with everything derived from them, and then looked for what might be left by means independent of those that erased them. Nothing was found. Other data about you, if we hold any, was not part of this request.",
    doneHeading: "What was erased",
  }),
  expiring: ({ locations, until }) => ({
    title: `Your request takes full effect on ${until}`,
    status: `Waiting: last copy gone by ${until}`,
    opening: `Within our reach this is done, and nothing was found in the ${locations} declared data locations. Copies that nobody can reach expire by themselves; only on the date above is the last of them gone.`,
    doneHeading: "What was erased within our reach",
  }),
  tombstone: ({ open, all }) => ({
    title: "Your request has been carried out only in part",
    status: `Partly complete: ${open} of ${all} data locations ${open === 1 ? "remains" : "remain"} open`,
    opening:
      "We have removed what we could reach. This letter does not confirm that all of it is gone: the data locations listed under “What could not be shown” are still open, each with the reason.",
    doneHeading: "What has been done so far",
  }),
  withheld: () => ({
    title: "Your request is not complete",
    status: "Not confirmed",
    opening:
      "We have begun, but we cannot show that it is done. This letter does not confirm that the data is gone. We keep your request open; what is missing stands under “What could not be shown”.",
    doneHeading: "What has been done so far",
  }),

  location: "Data location",
  erased: "Records erased",
  rewritten: "Records rewritten",
  open: "Still open",
  total: "Total",
  scopeNote: "Listed is every data location of our inventory; a dash means that it held no record of this request.",
  rewrittenNote:
    "Records that also held other people’s data were not destroyed: they were rewritten so that nothing of yours is left in them.",
  openNote: "“Still open” counts records for which it is not shown that they are gone.",

  keptHeading: "What is kept, and why",
  keptNote: "The law allows or requires us to keep the following (GDPR Art. 17(3)). It is used for nothing else.",
  keptUntil: (date) => `until ${date}`,
  exemptNote: "The following are not part of the erasure; each holds no content of yours, for the reason given.",

  goneByHeading: "Copies that expire by themselves",
  goneByNote: "These copies cannot be reached from outside. They expire at the latest on the date given.",
  goneBy: (date) => `last copy gone by ${date}`,

  openHeading: "What could not be shown",
  openIntro: "For the following it is not shown that nothing of yours is left:",
  everywhere: "The request as a whole",
  reasons: {
    "still-there": "data of yours was found there after the erasing.",
    "came-back": "data that had been erased was stored there again.",
    traces: "the records are deleted, but traces of them remain in the files for now.",
    "door-open": "it is not shown that the same data is kept from being stored again.",
    "origin-unknown": "it is not recorded what some of the records were made from; yours may have gone into them.",
    likeness: "some records resemble yours, and one of us has yet to look at them.",
    "not-seen": "we could not check it by independent means.",
    undeclared: "it is not properly part of our inventory, so it could not be counted in.",
    identifier: "it names people by a kind of identifier that we do not know of you.",
    "under-way": "a write that had begun earlier is not settled yet.",
    unreachable: "it could not be reached.",
    unsupported: "its technology does not let us erase in a way that we could show.",
    unbounded: "copies there have no date by which they expire for certain.",
    kept: "records there are kept on a legal ground (see above, or ask us for it).",
    other: "the evidence is not complete.",
  },
  deadline: (date) => `We will have dealt with this by ${date}.`,

  guardHeading: "New writes",
  guardNote: (entries) =>
    `So that the same data is not stored again, ${entries === 1 ? "one do-not-store entry has" : `${entries} do-not-store entries have`} been made. They are keyed digests: nobody can read your data from them. They end when you ask us to store data about you again.`,

  limitsHeading: "What was not looked for",
  limits: [
    "The weights of AI models and the collections they were trained on are outside of this request.",
    "Text that says the same in other words, and mentions of your name in other people’s words, cannot be found with certainty.",
    "“Erased” means that no recoverable trace is left in our files. Below the file system, on the medium itself, traces may last until it is overwritten.",
  ],

  checkHeading: "How to check this",
  checkNote:
    "With this letter comes a receipt: a signed file that anybody can check without us and without a network. You need the receipt, our published inventory, our public key, and the program “deleatur”:",
  codeLabel: "Your person code",
  codeNote:
    "This code stands in this letter only. It shows that the receipt is about you. Keep it to yourself: whoever has it and knows your identifiers can tell that you asked.",
  identifiersNote:
    "IDENTIFIERS.txt is a text file of yours with what we knew you by, one a line: its kind, a colon, and the value, for example email:you@example.org. Ask us which kinds we use.",
  noCodeNote: "This copy carries no person code: the receipt can be checked without it, but not that it is about you.",

  rightsHeading: "Your rights",
  refusal:
    "Where we have not done what you asked, we tell you the reasons here, as GDPR Art. 12(4) requires, together with the possibilities that you have:",
  complaint:
    "You may lodge a complaint with a supervisory authority, in particular where you live, where you work, or where you think that your rights were infringed (GDPR Art. 77).",
  remedy:
    "You may also go to court: where we have an establishment, or where you live (GDPR Art. 79). Neither excludes the other.",
  footer: "This letter was composed from a signed receipt. Where the two differ, the receipt holds.",
};
