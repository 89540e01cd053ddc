// Shows that a probe that cannot be shown to see is blind: one that throws, misses a control, or had none; and that findings are bounded and counted.
import { describe, expect, it } from "vitest";
import { StoreError } from "../../src/model/errors.ts";
import type { Finding, Needle } from "../../src/model/needle.ts";
import { classifyFindings, gradeFinding } from "../../src/probe/classify-findings.ts";
import { runProbes } from "../../src/probe/run-probes.ts";
import type { Probe } from "../../src/surface.ts";
import { makeNeedle } from "./make-needle.ts";

const signal = new AbortController().signal;
const needles: readonly Needle[] = [
  makeNeedle(0, "one two three four five six seven eight"),
  makeNeedle(1, "a control with enough words in it to be found", "control"),
  makeNeedle(2, "another control with enough words in it to be found", "control"),
];

function finding(needle: number, match: Finding["match"] = { how: "key" }, container = "c"): Finding {
  return { probe: "key", depth: "api", needle, place: { container }, match };
}

function run(needle: number, words: number, container: string): Finding {
  return finding(needle, { how: "run", words }, container);
}

function makeProbe(look: Probe["look"], given: Partial<Probe> = {}): Probe & { closed: number } {
  const probe = {
    name: "key" as const,
    depth: "api" as const,
    scope: "key:x",
    look,
    closed: 0,
    close: () => {
      probe.closed++;
      return Promise.resolve();
    },
    ...given,
  };
  return probe;
}

function finds(...indexes: number[]): Probe["look"] {
  return async function* () {
    for (const index of indexes) yield finding(index);
  };
}

describe("runProbes", () => {
  it("VERDICT-1: a probe that found its controls ran, and is closed", async () => {
    const probe = makeProbe(finds(1, 0, 2));
    expect(await runProbes([probe], needles, {}, signal)).toEqual([
      {
        name: "key",
        depth: "api",
        scope: "key:x",
        status: "ran",
        controlsTaken: 2,
        controlsFound: 2,
        findings: [finding(0)],
        overflow: 0,
      },
    ]);
    expect(probe.closed).toBe(1);
  });

  it("VERDICT-1: a probe whose control is silent is blind", async () => {
    const [run] = await runProbes([makeProbe(finds(1))], needles, {}, signal);
    expect(run).toMatchObject({
      status: "blind",
      controlsTaken: 2,
      controlsFound: 1,
      why: "1 of 2 controls were not found",
    });
  });

  it("VERDICT-1: a probe without any control is blind", async () => {
    const [run] = await runProbes([makeProbe(finds())], needles.slice(0, 1), {}, signal);
    expect(run).toMatchObject({ status: "blind", controlsTaken: 0 });
  });

  it("VERDICT-4: a probe that throws is blind, with a reason that quotes nothing", async () => {
    const throwing = (error: Error): Probe =>
      makeProbe(async function* () {
        yield finding(1);
        yield finding(2);
        yield finding(0);
        throw error;
      });
    const [foreign] = await runProbes([throwing(new TypeError("near 'secret words'"))], needles, {}, signal);
    expect(foreign).toMatchObject({ status: "blind", why: "TypeError", findings: [finding(0)] });
    const coded = Object.assign(new Error("secret words"), { code: "EACCES" });
    expect((await runProbes([throwing(coded)], needles, {}, signal))[0]).toMatchObject({
      status: "blind",
      why: "EACCES",
    });
    const own = new StoreError("STORE_LOCKED", "store x is locked, run again");
    expect((await runProbes([throwing(own)], needles, {}, signal))[0]).toMatchObject({
      why: "STORE_LOCKED: store x is locked, run again",
    });
  });

  it("VERDICT-4: a probe that cannot close, or names no needle that was asked for, is blind", async () => {
    const stuck = makeProbe(finds(1, 2), { close: () => Promise.reject(new Error("secret words")) });
    expect((await runProbes([stuck], needles, {}, signal))[0]).toMatchObject({ status: "blind", why: "Error" });
    expect((await runProbes([makeProbe(finds(1, 2, 9))], needles, {}, signal))[0]).toMatchObject({ status: "blind" });
  });

  it("one look serves all surfaces with the same name and scope, and must find the controls of each", async () => {
    const [first, second] = [makeProbe(finds(1)), makeProbe(finds(1, 2))];
    const controlsOf = (probe: Probe): readonly number[] => (probe === first ? [1] : [2]);
    const runs = await runProbes([first, second], needles, { controlsOf }, signal);
    expect(runs).toMatchObject([{ status: "blind", controlsTaken: 2, controlsFound: 1 }]);
    expect([first.closed, second.closed]).toEqual([1, 0]);
  });

  it("a probe that begins before its turn is waited for last, so that the others look meanwhile", async () => {
    const turns: string[] = [];
    const probe = (scope: string, given: Partial<Probe> = {}): Probe =>
      makeProbe(
        (asked, signal) => {
          turns.push(`looks ${scope}`);
          return finds(1, 2)(asked, signal);
        },
        { scope, ...given },
      );
    const early = probe("early", { begin: () => turns.push("begins early") });
    const runs = await runProbes([early, probe("first"), probe("second")], needles, {}, signal);
    expect(turns).toEqual(["begins early", "looks first", "looks second", "looks early"]);
    expect(runs.map(({ scope, status }) => `${scope} ${status}`)).toEqual(["first ran", "second ran", "early ran"]);
  });

  it.each([
    ["before a probe that has begun is waited for", true, ["looks first", "meanwhile", "looks other"]],
    ["when all have looked, where none begins", false, ["looks first", "looks other", "meanwhile"]],
  ])("does what else is to be done once, %s", async (_, isEarly, expected) => {
    const turns: string[] = [];
    const probe = (scope: string, given: Partial<Probe> = {}): Probe =>
      makeProbe(
        (asked, signal) => {
          turns.push(`looks ${scope}`);
          return finds(1, 2)(asked, signal);
        },
        { scope, ...given },
      );
    const other = probe("other", isEarly ? { begin: () => undefined } : {});
    const meanwhile = (): Promise<void> => {
      turns.push("meanwhile");
      return Promise.resolve();
    };
    await runProbes(isEarly ? [other, probe("first")] : [probe("first"), other], needles, { meanwhile }, signal);
    expect(turns).toEqual(expected);
  });

  it("closes a probe that has begun where what else is to be done fails", async () => {
    const early = makeProbe(finds(1, 2), { begin: () => undefined });
    const options = { meanwhile: () => Promise.reject(new Error("no door")) };
    await expect(runProbes([early], needles, options, signal)).rejects.toThrow("no door");
    expect(early.closed).toBe(1);
  });

  it("asks of a probe only such controls as its kind of eyes can see", async () => {
    const short = makeNeedle(1, "ok", "control");
    const probe = makeProbe(finds(2), { name: "excerpt" });
    expect(
      await runProbes(
        [probe],
        [makeNeedle(0, "x"), short, makeNeedle(2, "one two three four five", "control")],
        {},
        signal,
      ),
    ).toMatchObject([{ status: "ran", controlsTaken: 1 }]);
  });

  it("keeps a bounded number of findings and counts the others", async () => {
    const many = makeProbe(finds(1, 2, ...Array.from({ length: 500 }, () => 0)));
    const [run] = await runProbes([many], needles, { maxPerNeedle: 20 }, signal);
    expect([run?.findings.length, run?.overflow, run?.status]).toEqual([20, 480, "ran"]);
  });

  it("stops when it is told to", async () => {
    await expect(runProbes([makeProbe(finds(1))], needles, {}, AbortSignal.abort())).rejects.toThrow("aborted");
  });
});

describe("classifyFindings", () => {
  const erased = makeNeedle(0, "x");
  const rewritten = makeNeedle(0, "x", "rewritten");
  const grades: readonly (readonly [string, Finding["match"], Needle, string])[] = [
    ["an erased key", { how: "key" }, erased, "survivor"],
    ["a rewritten key", { how: "key" }, rewritten, "none"],
    ["a whole text", { how: "exact", encoding: "plain" }, erased, "survivor"],
    ["the old text of a rewritten record", { how: "exact", encoding: "plain" }, rewritten, "survivor"],
    ["a run of eight words", { how: "run", words: 8 }, erased, "survivor"],
    ["a run of seven words", { how: "run", words: 7 }, erased, "suspect"],
    ["an identical vector", { how: "vector", distance: 0, identical: true }, erased, "survivor"],
    ["a near vector", { how: "vector", distance: 0.1, identical: false }, erased, "suspect"],
    ["bytes", { how: "bytes", bytes: 23 }, erased, "survivor"],
    ["index terms", { how: "term", terms: 2 }, erased, "survivor"],
    ["whatever of a control", { how: "run", words: 20 }, makeNeedle(0, "x", "control"), "control"],
  ];
  it.each(grades)("VERDICT-1: %s", (_what, match, needle, grade) => {
    expect(gradeFinding(finding(0, match), needle)).toBe(grade);
  });

  it("parts survivors, suspects by likeness, and controls; a place with a survivor is no suspect as well", () => {
    const { survivors, suspects, controls } = classifyFindings(
      [run(0, 5, "a"), run(0, 9, "b"), run(0, 6, "b"), run(0, 7, "c"), run(1, 9, "d")],
      needles,
    );
    expect(survivors).toEqual([run(0, 9, "b")]);
    expect(suspects).toEqual([run(0, 7, "c"), run(0, 5, "a")]);
    expect([...controls]).toEqual([1]);
  });
});
