// The main job, end to end on real stores: what the demo says happened, happened.
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoResult } from "../../src/demo/demo-result.ts";
import { type DemoOptions, runDemo } from "../../src/demo/run-demo.ts";
import { scenario } from "../../src/demo/scenario.ts";

const NEVER = new AbortController().signal;
const folders: string[] = [];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "deleatur-demo-test-"));
  folders.push(made);
  return made;
}

function options(lines: string[], more: Partial<DemoOptions>): DemoOptions {
  return {
    json: false,
    isColoured: false,
    print: (line) => void lines.push(line),
    clock: () => new Date(),
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    ...more,
  };
}

afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

describe("the household demo", () => {
  const lines: string[] = [];
  const out = folder();
  let result: DemoResult;
  beforeAll(async () => {
    result = await runDemo(options(lines, { out }), NEVER);
  }, 300_000);

  it("CLAIM-1, REPLAY-1: the naive tool says deleted, the audit says PARTIAL and names what is left", () => {
    expect(result.naive?.said).toBe("deleted");
    expect(result.audit?.verdict).toBe("PARTIAL");
    expect(result.audit?.survivors.map(({ label }) => label)).toEqual(
      expect.arrayContaining(["summaries", "cached answers", "embeddings", "transcripts", "search index"]),
    );
  });

  it("VERDICT-1: our forget is COMPLIANT, and its receipt verifies as an erasure", () => {
    expect(result.checks.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(result.forgotten).toMatchObject([{ verdict: "COMPLIANT", attestation: "erasure", verified: "erasure" }]);
    expect(result.exitCode).toBe(0);
  });

  it("GUARD-1 GUARD-2: refuses the words when they are offered again, holds them for anybody else, and still takes new words of others", () => {
    expect(result.offered.map(({ answer }) => answer)).toEqual(["DENYLISTED", "held", "stored"]);
  });

  it("LINEAGE-5: shared summaries are written anew, and nobody else loses a row", () => {
    expect(result.forgotten[0]?.surfaces.find(({ surface }) => surface === "summaries")?.rewritten).toBeGreaterThan(3);
    expect(result.forgotten[0]?.others.isUnchanged).toBe(true);
  });

  it("leaves none of the person's words in any file of the memory, by a search of our own", () => {
    const work = join(out, "work");
    const words = scenario()
      .episodes.filter(({ by }) => by === "u-4b81")
      .map(({ text }) => Buffer.from(text.slice(2, 42)));
    for (const file of readdirSync(work, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const [index, word] of words.entries())
        expect(bytes.includes(word), `words ${index} in ${file.name}`).toBe(false);
    }
  });

  it("writes receipt, inventory, key and the letter in three languages, and tells its story in the order of the flow", () => {
    expect(readdirSync(out).toSorted()).toEqual([
      "boundary.public.json",
      "letter.de.html",
      "letter.en.html",
      "letter.fr.html",
      "public-key.pem",
      "receipt.deleatur.json",
      "work",
    ]);
    expect(readFileSync(join(out, "letter.de.html"), "utf8")).toContain("Ihre Daten sind gelöscht");
    const steps = lines.flatMap((line) => /^\d {2}(\w+( \w+)*)/.exec(line)?.[1] ?? []);
    expect(steps).toEqual(["Declare", "Record", "A naive forget", "Audit", "Forget", "Verify", "Offer again", "So"]);
    expect(lines.every((line) => line.length <= 90)).toBe(true);
  });
});

describe("runDemo", () => {
  it("refuses a work folder that holds something, and leaves that alone", async () => {
    const directory = folder();
    writeFileSync(join(directory, "mine.txt"), "mine");
    await expect(runDemo(options([], { directory }), NEVER)).rejects.toMatchObject({ code: "DEMO_FOLDER_USED" });
    expect(readdirSync(directory)).toEqual(["mine.txt"]);
  });

  it("leaves nothing behind unless asked to, also when its data is none", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("deleatur-demo-")).length;
    const data = [join(folder(), "ES0000a.json")];
    await expect(runDemo(options([], { data }), NEVER)).rejects.toMatchObject({ code: "BAD_MEETING" });
    expect(existsSync(data[0] ?? "")).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("deleatur-demo-")).length).toBe(before + 1);
  });
});
