// Shows that controls are chosen by chance and repeatably, fit each kind of eyes, and that a surface without any is named.
import { describe, expect, it } from "vitest";
import type { Artifact, ContentField } from "../../src/model/artifact.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";
import { createControlChooser } from "../../src/probe/choose-controls.ts";
import { textField, vectorField } from "./make-needle.ts";

const episodes = surfaceId("episodes");
const cache = surfaceId("cache");

function artifact(key: string, content: readonly ContentField[]): Artifact {
  return { surface: episodes, key: artifactKey(key), subjects: [], sources: [], content };
}

function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

function choose(seed: number): readonly string[] {
  const chooser = createControlChooser([episodes], numbers(seed));
  for (let i = 0; i < 200; i++) chooser.offer(artifact(`k${i}`, [textField(`this is entry number ${i} of the log`)]));
  return chooser.choose().controls.map(({ key }) => key);
}

describe("createControlChooser", () => {
  it("chooses the same for the same numbers, and others for others", () => {
    expect(choose(7)).toEqual(choose(7));
    expect(choose(7)).not.toEqual(choose(8));
    expect(choose(7).length).toBeGreaterThan(2);
  });

  it("VERDICT-1: chooses for each kind of eyes what it can see", () => {
    const chooser = createControlChooser([episodes], numbers(1));
    for (let i = 0; i < 50; i++) chooser.offer(artifact(`short${i}`, [textField("ok")]));
    chooser.offer(artifact("long", [textField("five words and some more of them")]));
    chooser.offer(artifact("vector", [vectorField(Array.from({ length: 16 }, (_, i) => i + 1))]));
    const { controls, lacking } = chooser.choose();
    expect(controls.map(({ key }) => key)).toEqual(expect.arrayContaining(["long", "vector"]));
    expect(lacking).toEqual([]);
  });

  it("VERDICT-1: names the surfaces where a canary must be planted", () => {
    const chooser = createControlChooser([episodes, cache], numbers(1));
    chooser.offer(artifact("short", [textField("ok")]));
    const { lacking } = chooser.choose();
    expect(lacking.filter(({ surface }) => surface === episodes).map(({ probe }) => probe)).toEqual([
      "exact",
      "excerpt",
      "neighbour",
      "bytes",
    ]);
    expect(lacking.filter(({ surface }) => surface === cache)).toHaveLength(5);
  });
});
