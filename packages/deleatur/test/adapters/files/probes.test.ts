// Shows that the eyes of the file kinds see what hands leave behind: in lines, beside them, in backups, compressed and encoded; and nothing where nothing is left.
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { jsonlFiles, textFiles } from "../../../src/adapters/files/index.ts";
import type { FilesOptions } from "../../../src/adapters/files/options.ts";
import { surfaceId } from "../../../src/model/ids.ts";
import type { Needle } from "../../../src/model/needle.ts";
import { runProbes } from "../../../src/probe/run-probes.ts";
import {
  asNeedles,
  collect,
  type Folder,
  keys,
  makeFolder,
  openSurface,
  parseOptions,
  probe,
  seen,
  signal,
} from "./open-folder.ts";

const TEXT = "Ada keeps the second key under the blue stone behind the old mill";

function line(id: string, user: string, text: string): string {
  return `${JSON.stringify({ id, user, text })}\n`;
}

const others = Array.from({ length: 5 }, (_, i) =>
  line(`t${i}`, "7", `entry ${i} talks about the weather in town number ${i} and nothing else`),
).join("");

async function needlesOf(folder: Folder, options: FilesOptions, key: string): Promise<Needle[]> {
  const surface = await jsonlFiles.open(options);
  const all = await collect(surface.scan(signal));
  const mine = asNeedles(all.filter((artifact) => artifact.key === key));
  const controls = asNeedles(
    all.filter((artifact) => artifact.key === "t3"),
    "control",
  );
  return [...mine, ...controls].map((needle, index) => ({ ...needle, index }));
}

describe("the eyes of JSONL", () => {
  it("VERDICT-1: find a line that a sabotaged eraser left, by key, text, excerpt and bytes; after ours they find the control alone", async () => {
    const folder = makeFolder({ "a.jsonl": others + line("mine", "42", TEXT) });
    const options = parseOptions(folder, "*.jsonl");
    const needles = await needlesOf(folder, options, "mine");
    for (const name of ["key", "exact", "excerpt", "bytes"] as const) {
      // The sabotage: erase said so and did nothing.
      const found = await collect(probe(jsonlFiles.probes(options), name).look(needles, signal));
      expect(found.filter(({ needle }) => needle === 0).map((finding) => finding.probe)).toContain(name);
    }
    await (await jsonlFiles.open(options)).erase(keys("mine"), signal);
    const runs = await runProbes(jsonlFiles.probes(options), needles, {}, signal);
    expect(runs.map(({ name, status, findings }) => [name, status, findings.length])).toEqual([
      ["key", "ran", 0],
      ["exact", "ran", 0],
      ["excerpt", "ran", 0],
      ["bytes", "ran", 0],
    ]);
  });

  it("REPLAY-1: find an excerpt that another record quotes, in a field that nobody declared", async () => {
    const quote = `${JSON.stringify({ id: "s1", user: "7", text: "short", notes: [{ said: `"under the blue stone behind the old mill", she said` }] })}\n`;
    const folder = makeFolder({ "a.jsonl": others + line("mine", "42", TEXT) + quote });
    const options = parseOptions(folder, "*.jsonl");
    const needles = await needlesOf(folder, options, "mine");
    await (await jsonlFiles.open(options)).erase(keys("mine"), signal);
    const found = await collect(probe(jsonlFiles.probes(options), "excerpt").look(needles, signal));
    expect(found.filter(({ needle }) => needle === 0)).toMatchObject([
      {
        place: { container: "logs.*", surface: "transcripts", key: "s1", file: "a.jsonl" },
        match: { how: "run", words: 8 },
      },
    ]);
  });

  const backups: readonly (readonly [string, (text: string) => Uint8Array])[] = [
    ["a copy", (text) => Buffer.from(text)],
    ["a compressed copy", (text) => gzipSync(text)],
    ["a UTF-16 copy", (text) => Buffer.from(text, "utf16le")],
    ["a base64 copy", (text) => Buffer.from(Buffer.from(text).toString("base64"))],
  ];
  it.each(backups)("C08: find %s in a file beside the declared ones", async (_what, encode) => {
    const folder = makeFolder({ "a.jsonl": others + line("mine", "42", TEXT) });
    folder.write("a.jsonl.bak", encode(others + line("mine", "42", TEXT)));
    const options = parseOptions(folder, "*.jsonl");
    const needles = await needlesOf(folder, options, "mine");
    const surface = await jsonlFiles.open(options);
    await surface.erase(keys("mine"), signal);
    const [, container] = await surface.census(signal);
    if (container === undefined) throw new Error("not in the census");
    const found = await seen(jsonlFiles.containerProbes(options, container), needles.slice(0, 1));
    for (const name of ["exact", "excerpt", "bytes"]) expect(found).toContain(`${name} logs.a.jsonl.bak`);
    expect(await seen(jsonlFiles.probes(options), needles.slice(0, 1))).toEqual([]);
  });

  it("VERDICT-4: are blind where a compressed file is too large to be unpacked", async () => {
    const folder = makeFolder({ "a.jsonl": others + line("mine", "42", TEXT) });
    const options = parseOptions(folder, "*.jsonl");
    const needles = await needlesOf(folder, options, "mine");
    folder.write("a.jsonl.1.gz", gzipSync(TEXT).subarray(0, 20));
    truncateSync(join(folder.path, "a.jsonl.1.gz"), 513 * 1024 * 1024);
    const [, container] = await (await jsonlFiles.open(options)).census(signal);
    if (container === undefined) throw new Error("not in the census");
    const bytes = jsonlFiles.containerProbes(options, container).find(({ name }) => name === "bytes");
    if (bytes === undefined) throw new Error("no byte probe");
    await expect(collect(bytes.look(needles.slice(0, 1), signal))).rejects.toMatchObject({
      code: "FILE_NOT_INFLATED",
    });
  });

  it("find what a crashed rewrite left", async () => {
    const folder = makeFolder({ "a.jsonl": others + line("mine", "42", TEXT) });
    const options = parseOptions(folder, "*.jsonl");
    const needles = await needlesOf(folder, options, "mine");
    await (await jsonlFiles.open(options)).erase(keys("mine"), signal);
    folder.write(".deleatur-99999999-aa.tmp", line("mine", "42", TEXT).slice(0, 60));
    const found = await seen(jsonlFiles.probes(options), needles.slice(0, 1));
    expect(found).toContain("excerpt logs..deleatur-99999999-aa.tmp");
    expect(found).toContain("bytes logs..deleatur-99999999-aa.tmp");
  });

  it("VERDICT-4: the key probe is blind where a line shows no key; the others look at that line all the same", async () => {
    const folder = makeFolder({ "a.jsonl": others + line("mine", "42", TEXT) });
    const options = parseOptions(folder, "*.jsonl");
    const needles = await needlesOf(folder, options, "mine");
    folder.write("a.jsonl", `${others}{"torn": "${TEXT}\n`);
    const runs = await runProbes(jsonlFiles.probes(options), needles, {}, signal);
    expect(runs.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "key blind",
      "exact ran",
      "excerpt ran",
      "bytes ran",
    ]);
    expect(runs[0]?.why).toContain("KEY_NOT_SEEN");
    expect(runs[0]?.why).not.toContain("Ada");
    expect(runs[1]?.findings.length).toBe(1);
    expect(runs[2]?.findings.length).toBe(1);
    expect(runs[3]?.findings.length).toBe(1);
  });

  it("C14: tell keys apart that only a rounding of numbers would make equal", async () => {
    const folder = makeFolder({
      "a.jsonl": '{"id":12345678901234567890,"user":"7","text":"x"}\n',
    });
    const options = parseOptions(folder, "*.jsonl");
    const look = (key: string): Promise<string[]> => seen([probe(jsonlFiles.probes(options), "key")], [keyNeedle(key)]);
    expect(await look("12345678901234567890")).toHaveLength(1);
    expect(await look("12345678901234567000")).toEqual([]);
  });

  it("see a very short text only where it is a declared field of its own", async () => {
    const folder = makeFolder({
      "a.jsonl":
        line("mine", "42", "likes tea") + line("t1", "7", "likes tea") + line("t2", "7", "she likes tea a lot"),
    });
    const options = parseOptions(folder, "*.jsonl");
    const needles = (await needlesOf(folder, options, "mine")).slice(0, 1);
    await (await jsonlFiles.open(options)).erase(keys("mine"), signal);
    expect(await seen(jsonlFiles.probes(options), needles)).toEqual(["exact logs.* t1"]);
  });
});

describe("the eyes of text files", () => {
  it("find a file that stays, a copy in another, and nothing after both are gone", async () => {
    const folder = makeFolder({
      "a.md": TEXT,
      "b.md": `Summary: ${TEXT.slice(15)}`,
      "c.md": "the weather in town is fine and so are we all",
    });
    const given = { id: surfaceId("notes"), kind: "text", key: [], content: [], subject: [] } as const;
    const surface = await openSurface(folder, "*.md", given);
    const options = parseOptions(folder, "*.md", given);
    const all = await collect(surface.scan(signal));
    const needles = [
      ...asNeedles(all.slice(0, 1)),
      ...asNeedles(all.slice(2), "control").map((needle) => ({ ...needle, index: 1 })),
    ];
    expect(await seen(textFiles.probes(options), needles.slice(0, 1))).toEqual([
      "key logs.* a.md",
      "exact logs.* a.md",
      "excerpt logs.* a.md",
      "excerpt logs.* b.md",
      "bytes logs.*",
    ]);
    await surface.erase(keys("a.md"), signal);
    expect(await seen(textFiles.probes(options), needles.slice(0, 1))).toEqual(["excerpt logs.* b.md"]);
    await surface.erase(keys("b.md"), signal);
    const runs = await runProbes(textFiles.probes(options), needles, {}, signal);
    expect(runs.map(({ status, findings }) => `${status} ${findings.length}`)).toEqual([
      "ran 0",
      "ran 0",
      "ran 0",
      "ran 0",
    ]);
  });
});

function keyNeedle(key: string): Needle {
  const ref = { surface: surfaceId("transcripts"), key: keys(key)[0] ?? fail() };
  return { index: 0, ref, subjects: [], content: [], fate: "erased" };
}

function fail(): never {
  throw new Error("no key");
}
