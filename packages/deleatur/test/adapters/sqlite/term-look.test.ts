// What the search for index terms in raw bytes leaves out: forms in which terms of the living may stand just as well (decision 0011).
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { rawPatterns } from "../../../src/adapters/sqlite/eyes/term-look.ts";
import { createPatternScanner } from "../../../src/adapters/sqlite/eyes/term-patterns.ts";

const LOST = ["whate", "umbrella", "hat"];

function scan(bytes: Uint8Array): readonly string[] {
  const db = new Database(":memory:");
  onTestFinished(() => {
    db.close();
  });
  db.exec("CREATE VIRTUAL TABLE notes USING fts5(text); INSERT INTO notes VALUES ('what whatever penumbrella')");
  const found: string[] = [];
  const patterns = rawPatterns(db, [{ table: "notes", isTrigram: false, byNeedle: new Map([[0, LOST]]) }]);
  createPatternScanner(patterns).scan(bytes, ({ term }) => found.push(LOST[term - 1] ?? ""));
  return found;
}

const stored = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part, "utf8"))));

it("C04: finds a lost term as the first of a leaf, and behind another", () => {
  expect(scan(stored(9, "0umbrella"))).toEqual(["umbrella"]);
  expect(scan(stored(3, 6, "brella"))).toEqual(["umbrella"]);
});

it("C04: a term with which a living one begins may be that one's separator in the index's own b-tree, and says nothing", () => {
  expect(scan(stored(12, 4, 1, 24, 1, 6, "0whate", 26))).toEqual([]);
  // Behind another term it would be whole: `whatever` never stands so.
  expect(scan(stored(2, 4, "hate"))).toEqual(["whate"]);
});
