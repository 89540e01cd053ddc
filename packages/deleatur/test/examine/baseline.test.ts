// The baseline against plain maps: what was there is known again, whatever was dropped, sealed and opened between; and a digest that misses no difference.
import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import { artifactDigester, type ArtifactDigests } from "../../src/examine/artifact-digests.ts";
import { openBaseline } from "../../src/examine/baseline.ts";
import type { Artifact, ContentField } from "../../src/model/artifact.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";
import { temporaryLedger } from "../ledger/temporary-ledger.ts";

const text = (name: string, said: string): ContentField => ({ type: "text", name, text: said });

function artifact(surface: string, key: string, content: readonly ContentField[]): Artifact {
  return { surface: surfaceId(surface), key: artifactKey(key), subjects: [], sources: [], content };
}

function make(surface: string, key: number, content: number): Artifact {
  return artifact(surface, `${key}`, [text("text", `said ${content}`)]);
}

/** A copy: the digester writes over its last answer. */
function kept({ surface, words }: ArtifactDigests): ArtifactDigests {
  return { surface, words: words.slice() };
}

const act = record({
  act: constantFrom("add" as const, "drop" as const, "reopen" as const, "replace" as const),
  surface: constantFrom("episodes", "search"),
  key: integer({ min: 0, max: 40 }),
  content: integer({ min: 0, max: 2 }),
});

test("C07: what was there is known again, after any drops, replacements and openings", () => {
  const { ledger } = temporaryLedger();
  const digester = artifactDigester(ledger);
  assert(
    property(array(act, { maxLength: 120 }), (acts) => {
      let baseline = openBaseline();
      const model = new Map<string, number>();
      for (const { act: what, surface, key, content } of acts) {
        const made = make(surface, key, content);
        if (what === "add") {
          baseline.add(digester.digest(made));
          model.set(`${surface}/${key}`, content);
        } else if (what === "drop") {
          baseline.drop(made.surface, digester.idOf(made));
          model.delete(`${surface}/${key}`);
        } else if (what === "reopen") baseline = openBaseline(baseline.bytes());
        else {
          const other = openBaseline();
          other.replace(made.surface, baseline);
          baseline.replace(made.surface, other);
        }
      }
      for (const surface of ["episodes", "search"]) {
        const own = [...model.keys()].filter((id) => id.startsWith(surface));
        expect(baseline.sizeOf(surfaceId(surface))).toBe(own.length);
        for (let key = 0; key <= 40; key += 1) {
          const before = model.get(`${surface}/${key}`);
          for (let content = 0; content <= 2; content += 1)
            expect(baseline.compare(digester.digest(make(surface, key, content)))).toBe(
              before === undefined ? "new" : before === content ? "unchanged" : "changed",
            );
        }
      }
    }),
  );
});

test("C07: no two artifacts that differ have the same digests, wherever the difference is", () => {
  const { ledger } = temporaryLedger();
  const digester = artifactDigester(ledger);
  const list = [
    artifact("a", "1", []),
    artifact("a", "11", []),
    artifact("a", "1/1", []),
    artifact("a.1", "1", []),
    artifact("a", "é", []),
    artifact("a", "\u00e90", []),
    artifact("a", "x".repeat(5_000), []),
    artifact("a", "x".repeat(5_001), []),
  ];
  const contents: readonly (readonly ContentField[])[] = [
    [],
    [text("text", "")],
    [text("text", "one")],
    [text("note", "one")],
    [text("text", "one"), text("note", "")],
    [text("text", ""), text("note", "one")],
    [text("note", "one"), text("text", "")],
    [{ type: "bytes", name: "text", bytes: Buffer.from("one") }],
    [{ type: "vector", name: "text", vector: Float32Array.of(1) }],
    [{ type: "bytes", name: "text", bytes: new Uint8Array(Float32Array.of(1).buffer) }],
  ];
  const refs = list.map((one) => digester.idOf(one));
  expect(new Set(refs).size).toBe(list.length);
  const said = contents.map((content) =>
    kept(digester.digest(artifact("a", "1", content)))
      .words.slice(4)
      .join(),
  );
  expect(new Set(said).size).toBe(contents.length);
});

test("GUARD-1: another ledger's digests are others, and an artifact's stand for themselves", () => {
  const [one, other] = [temporaryLedger(), temporaryLedger()];
  const made = artifact("a", "1", [text("text", "one")]);
  const first = kept(artifactDigester(one.ledger).digest(made));
  const second = kept(artifactDigester(other.ledger).digest(made));
  for (let word = 0; word < first.words.length; word += 1) expect(first.words[word]).not.toBe(second.words[word]);
});
