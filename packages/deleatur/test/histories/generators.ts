// Generates histories: which commands, in which order, and what comes between the steps of a request. The weights are chosen so that every outcome is met.
import * as fc from "fast-check";
import type { Arbitrary, AsyncCommand } from "fast-check";
import { type Intrusion, type PauseOrder } from "./between.ts";
import { type Declared } from "./boundary.ts";
import {
  type AgainOrder,
  changeBoundary,
  changeHolders,
  crashInWrite,
  EDITS,
  foreign,
  forgetAllCommand,
  forgetCommand,
  holdRecord,
  type Known,
  lift,
  moveClock,
  reader,
  releaseAll,
  remember,
  reopen,
  replayCommand,
  restore,
  resumeCommand,
  reviewHeld,
  reviewSuspects,
  say,
  sayAgain,
  setBack,
  settle,
  snapshot,
  type Stage,
  summarise,
} from "./commands.ts";
import { FOREIGN_ACTS } from "./foreign.ts";
import type { Course } from "./run-request.ts";
import { PEOPLE } from "./truth.ts";

type Weighted = { readonly weight: number; readonly arbitrary: Arbitrary<AsyncCommand<Known, Stage>> };

/** A request of the memory that a history begins with has so many moments, roughly. */
const MOMENTS = 215;
/** Any of the texts and episodes that there are: taken modulo their number. */
const any = fc.nat({ max: 40 });
const person = fc.nat({ max: PEOPLE - 1 });
const moment = fc.noBias(fc.integer({ min: 1, max: MOMENTS }));

const pause: Arbitrary<PauseOrder | undefined> = fc.option(
  fc.record({ where: fc.constantFrom("before", "after"), moments: fc.noBias(fc.integer({ min: 1, max: MOMENTS })) }),
  { nil: undefined },
);

const foreignAct = fc.constantFrom(...FOREIGN_ACTS);
/** In the middle of a run nobody else deletes: who lost what to whom could not be told. */
const foreignWrite = fc.constantFrom(...FOREIGN_ACTS.filter((act) => act !== "naive delete"));

const intrusion: Arbitrary<Intrusion> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("say"),
      at: moment,
      text: fc.oneof(any, fc.constant("new" as const)),
      person,
      pause,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("summarise"),
      at: moment,
      episodes: fc.array(any, { minLength: 1, maxLength: 2 }),
      pause,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("past"), at: moment, act: foreignWrite, text: any, person }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget"), at: moment, person }) },
);

/** `isKilled`: whether a crash is a real one. */
const courseOf = (isKilled: Arbitrary<boolean>): Arbitrary<Course> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({ intrusions: [], crashes: [], isKilled: false, twin: false }) },
    {
      weight: 3,
      arbitrary: fc.record({
        intrusions: fc.array(intrusion, { minLength: 1, maxLength: 3 }),
        crashes: fc.constant([]),
        isKilled: fc.constant(false),
        twin: fc.constant(false),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        intrusions: fc.constant([]),
        crashes: fc.array(moment, { minLength: 1, maxLength: 2 }),
        isKilled,
        twin: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        intrusions: fc.array(intrusion, { minLength: 1, maxLength: 2 }),
        crashes: fc.array(moment, { minLength: 1, maxLength: 1 }),
        isKilled: fc.constant(false),
        twin: fc.constant(false),
      }),
    },
  );

function oftenFirst<Value>(usual: Value, rare: Value): Arbitrary<Value> {
  return fc.oneof({ weight: 11, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });
}

const declared: Arbitrary<Declared> = fc.record({
  shared: fc.constantFrom("rederive", "redact", "destroy"),
  writers: fc.constantFrom("sdk", "sdk", "sdk", "trigger"),
  notes: fc.boolean(),
  vectors: fc.boolean(),
  cache: fc.constant(false),
});

/** Mostly what can be COMPLIANT. */
export const firstDeclared: Arbitrary<Declared> = fc.record({
  shared: fc.constantFrom("rederive", "redact", "destroy"),
  writers: oftenFirst("sdk", "trigger"),
  notes: oftenFirst(true, false),
  vectors: oftenFirst(true, false),
  cache: fc.constantFrom(false, false, true),
});

const again: Arbitrary<AgainOrder> = fc.record({
  text: any,
  person: fc.oneof(fc.constant("owner" as const), fc.option(person, { nil: undefined })),
  edit: fc.constantFrom(...EDITS),
  erased: fc.constantFrom(true, true, false),
});

const commandsOf = (course: Arbitrary<Course>): readonly Weighted[] => [
  {
    weight: 5,
    arbitrary: fc
      .record({
        person: fc.option(person, { nil: undefined, freq: 8 }),
        index: fc.boolean(),
        vector: fc.boolean(),
        line: fc.boolean(),
      })
      .map(say),
  },
  {
    weight: 6,
    arbitrary: again.map(sayAgain),
  },
  { weight: 4, arbitrary: fc.array(any, { minLength: 1, maxLength: 3 }).map(summarise) },
  { weight: 5, arbitrary: fc.record({ act: foreignAct, text: any, person }).map(foreign) },
  {
    weight: 9,
    arbitrary: fc
      .record({
        target: fc.oneof(
          { weight: 3, arbitrary: fc.record({ person }) },
          { weight: 1, arbitrary: fc.record({ episode: any }) },
        ),
        allowTombstone: fc.boolean(),
        now: fc.constantFrom(true, true, true, true, false),
        course,
        silent: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: any }),
        offer: fc.option(again, { nil: undefined, freq: 2 }),
      })
      .map(forgetCommand),
  },
  {
    weight: 4,
    arbitrary: fc.record({ request: fc.nat({ max: 5 }), allowTombstone: fc.boolean(), course }).map(resumeCommand),
  },
  { weight: 3, arbitrary: fc.constant(null).map(snapshot) },
  {
    weight: 4,
    arbitrary: fc
      .record({ snapshot: fc.nat({ max: 4 }), which: fc.constantFrom("all", "memory", "transcripts") })
      .map(restore),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(fc.record({ person }), fc.record({ request: any }), fc.record({ text: any })).map(lift),
  },
  { weight: 2, arbitrary: any.map(holdRecord) },
  { weight: 1, arbitrary: fc.constant(null).map(releaseAll) },
  { weight: 2, arbitrary: fc.constantFrom("released", "discarded").map(reviewHeld) },
  {
    weight: 2,
    arbitrary: fc
      .record({ request: fc.nat({ max: 5 }), decision: fc.constantFrom("kept", "erased", "erased") })
      .map(reviewSuspects),
  },
  { weight: 4, arbitrary: fc.record({ episode: any, holder: any }).map(remember) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        change: fc.constantFrom("join", "join", "leave", "wake"),
        holder: any,
        episodes: fc.array(any, { minLength: 1, maxLength: 3 }),
      })
      .map(changeHolders),
  },
  { weight: 2, arbitrary: declared.map(changeBoundary) },
  { weight: 2, arbitrary: fc.constantFrom(-48, -1, 1, 26, 24 * 40).map(moveClock) },
  { weight: 1, arbitrary: fc.constant(null).map(reopen) },
  { weight: 1, arbitrary: fc.boolean().map(reader) },
  {
    weight: 1,
    arbitrary: fc
      .record({ where: fc.constantFrom("before", "after"), text: fc.oneof(any, fc.constant("new" as const)), person })
      .map(crashInWrite),
  },
  { weight: 1, arbitrary: fc.constant(null).map(settle) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        persons: fc.array(person, { minLength: 2, maxLength: 3 }),
        allowTombstone: fc.boolean(),
        offer: fc.option(again, { nil: undefined, freq: 2 }),
      })
      .map(forgetAllCommand),
  },
  { weight: 3, arbitrary: fc.constant(null).map(replayCommand) },
  { weight: 3, arbitrary: fc.record({ snapshot: fc.nat({ max: 4 }), memory: fc.boolean() }).map(setBack) },
];

/** fast-check's `commands` chooses evenly, so each stands there as often as its weight says. */
export function history(
  replayPath: string | undefined,
  kills: boolean,
): Arbitrary<Iterable<AsyncCommand<Known, Stage>>> {
  // A process of its own takes its second or two: only long runs have some.
  const commands = commandsOf(courseOf(kills ? fc.constantFrom(false, false, true) : fc.constant(false)));
  const all = commands.flatMap(({ weight, arbitrary }) => Array.from({ length: weight }, () => arbitrary));
  return fc.commands(all, { maxCommands: 12, size: "max", ...(replayPath === undefined ? {} : { replayPath }) });
}
