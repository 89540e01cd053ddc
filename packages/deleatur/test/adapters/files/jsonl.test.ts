// Proves on real files what the kind `jsonl` promises: it reads every line or says that it cannot, erases by key alone, and leaves every other byte.
import { chmodSync, existsSync, readdirSync, statSync, symlinkSync, lstatSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonlFiles } from "../../../src/adapters/files/index.ts";
import { linesOf } from "../../../src/adapters/files/hands/jsonl-artifacts.ts";
import { BoundaryError, StoreError } from "../../../src/model/errors.ts";
import { surfaceId } from "../../../src/model/ids.ts";
import { collect, keys, makeFolder, openSurface, parseOptions, signal } from "./open-folder.ts";

function line(id: string | number, user: string, text: string, more: object = {}): string {
  return `${JSON.stringify({ id, user, text, ...more })}\n`;
}

describe("reading JSONL", () => {
  it("LINEAGE-4: reads key, subjects, sources and content of every line, in key order", async () => {
    const folder = makeFolder({
      "b.jsonl": line("t3", "42", "third", { from: { episodes: ["e1", "e2"] } }),
      "a.jsonl": line(12, "7", "second") + "\n" + line("t1", "Ann", "first", { from: { episodes: '["e9"]' } }),
      "sub/ignored.jsonl": line("x", "42", "not meant"),
    });
    const surface = await openSurface(folder, "*.jsonl", {
      derivedFrom: [{ surface: surfaceId("episodes"), field: "from.episodes", as: "json" }],
    });
    const artifacts = await collect(surface.scan(signal));
    expect(artifacts.map(({ key }) => key)).toEqual(["12", "t1", "t3"]);
    expect(artifacts[2]).toEqual({
      surface: "transcripts",
      key: "t3",
      subjects: [{ type: "account", value: "42" }],
      sources: [
        { surface: "episodes", key: "e1" },
        { surface: "episodes", key: "e2" },
      ],
      content: [{ type: "text", name: "text", text: "third" }],
    });
    expect(artifacts[1]?.sources).toEqual([{ surface: "episodes", key: "e9" }]);
    expect((await collect(surface.read(keys("t1", "absent"), signal))).map(({ key }) => key)).toEqual(["t1"]);
  });

  it("joins all lines of one key into one record, and erases all of them", async () => {
    const folder = makeFolder({
      "a.jsonl": line("t1", "42", "draft"),
      "b.jsonl": line("t1", "42", "final") + line("t2", "7", "other"),
    });
    const surface = await openSurface(folder, "*.jsonl");
    const [first] = await collect(surface.scan(signal));
    expect(first?.content.map((field) => (field.type === "text" ? field.text : ""))).toEqual(["draft", "final"]);
    expect(await surface.erase(keys("t1"), signal)).toEqual([{ surface: "transcripts", key: "t1", outcome: "erased" }]);
    expect(folder.read("a.jsonl") + folder.read("b.jsonl")).toBe(line("t2", "7", "other"));
  });

  it("VERDICT-1: a file that is gone since it was listed is an error, but for another request's canary, which is about nobody", async () => {
    const folder = makeFolder({ "a.jsonl": line("t1", "42", "first") });
    const [store] = parseOptions(folder, "*.jsonl").stores;
    const read = (path: string): Promise<readonly unknown[]> =>
      collect(linesOf({ path, absolute: join(folder.path, path), kind: "matched", isLink: false }, store, signal));
    expect(await read("a.jsonl")).toHaveLength(1);
    await expect(read("b.jsonl")).rejects.toMatchObject({ code: "STORE_MISSING" });
    expect(await read("deleatur-canary-0123456789abcdef.jsonl")).toEqual([]);
  });

  it("C14: keys that a join would make equal stay apart", async () => {
    const rows = [["a:b"], ["a", "b"], ['a","b']].map(
      (ns) => `${JSON.stringify({ a: ns[0], b: ns[1], user: "42", text: "x" })}\n`,
    );
    const folder = makeFolder({ "a.jsonl": rows.join("") });
    const surface = await openSurface(folder, "a.jsonl", { key: ["a", "b"] });
    const artifacts = await collect(surface.scan(signal));
    expect(new Set(artifacts.map(({ key }) => key)).size).toBe(3);
    await surface.erase(keys('["a:b"]'), signal);
    expect(folder.read("a.jsonl")).toBe(rows.slice(1).join(""));
  });

  it("C14: one key made of different fields is refused, not taken for one record", async () => {
    const folder = makeFolder({ "a.jsonl": '{"type":"n","name":"x"}\n{"type":"n","from":"x"}\n' });
    const surface = await openSurface(folder, "a.jsonl", { key: ["type", "name", "from"] });
    await expect(collect(surface.scan(signal))).rejects.toMatchObject({ code: "KEY_AMBIGUOUS" });
  });

  it("C16: a subject whose identifier starts like another's keeps everything, whole numbers of any size included", async () => {
    const big = "12345678901234567890";
    const others =
      line("421", "421", "keeps all") +
      `{"id":${big}1,"user":"421","text":"keeps all"}\n` +
      `{"id":${big.slice(0, -1)}1,"user":"421","text":"keeps"}\n`;
    const folder = makeFolder({
      "a.jsonl": line("42", "42", "goes") + others + `{"id":${big},"user":"42","text":"goes"}\n`,
    });
    const surface = await openSurface(folder, "a.jsonl");
    const mine = (await collect(surface.scan(signal))).filter(({ subjects }) =>
      subjects.some(({ value }) => value === "42"),
    );
    expect(mine.map(({ key }) => key)).toEqual([big, "42"]);
    const erased = await surface.erase(
      mine.map(({ key }) => key),
      signal,
    );
    expect(erased.map(({ outcome }) => outcome)).toEqual(["erased", "erased"]);
    expect(folder.read("a.jsonl")).toBe(others);
  });

  const broken: readonly (readonly [string, string, string | Uint8Array])[] = [
    ["is no JSON", "LINE_NOT_JSON", '{"id":"secret-id"'],
    ["is no object", "LINE_NOT_JSON", '["secret-id"]'],
    ["has no key", "KEY_MISSING", '{"user":"secret-id"}'],
    ["has an object for a key", "KEY_UNREADABLE", '{"id":{"secret-id":1}}'],
    ["has an object for a subject", "SUBJECT_UNREADABLE", '{"id":"x","user":{"secret-id":1}}'],
    ["is no UTF-8", "NOT_UTF8", Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d])],
  ];
  it.each(broken)(
    "VERDICT-4: a line that %s stops the scan, named by file and line, without its content",
    async (_what, code, content) => {
      const folder = makeFolder({ "a.jsonl": line("t1", "42", "first") });
      folder.write(
        "b.jsonl",
        Buffer.concat([Buffer.from(line("t2", "42", "second")), Buffer.from(content), Buffer.from("\n")]),
      );
      const surface = await openSurface(folder, "*.jsonl");
      const error: unknown = await collect(surface.scan(signal)).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ code, place: { store: "logs", file: "b.jsonl", line: 2 } });
      expect(String(error)).not.toContain("secret-id");
    },
  );

  it("CLAIM-5: beside a broken line what is known is erased, and what is not found is failed, not absent", async () => {
    const folder = makeFolder({ "a.jsonl": `${line("t1", "42", "first")}{"broken\n${line("t2", "7", "second")}` });
    const surface = await openSurface(folder, "a.jsonl");
    const outcomes = await surface.erase(keys("t1", "t9"), signal);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["erased", "failed"]);
    expect(folder.read("a.jsonl")).toBe(`{"broken\n${line("t2", "7", "second")}`);
  });

  it("a missing folder or file is a StoreError when it is opened", async () => {
    const folder = makeFolder({});
    await expect(openSurface(folder, "absent/*.jsonl")).rejects.toMatchObject({ code: "STORE_MISSING" });
    await expect(openSurface(folder, "absent.jsonl")).rejects.toMatchObject({ code: "STORE_MISSING" });
  });

  it("a locator that files cannot answer is a BoundaryError", () => {
    const folder = makeFolder({});
    const via = { type: "account", via: "threads", on: "id", column: "user" };
    expect(() => parseOptions(folder, "*.jsonl", { subject: [via] })).toThrow(BoundaryError);
    expect(() => parseOptions(folder, "*.jsonl", { key: [] })).toThrow(BoundaryError);
    expect(() => parseOptions(folder, "*.txt", { kind: "text", subject: [{ type: "account", field: "x" }] })).toThrow(
      BoundaryError,
    );
  });
});

describe("erasing JSONL", () => {
  it("keeps every other byte: line ends, spacing, unknown fields, a missing last line end, mode and link", async () => {
    const others = [
      '{"id":"a", "user" : "7","x":1.0e2,"text":"\\u00e9" }\r\n',
      "\n",
      '{"id":"b","user":"7","text":"last"}',
    ];
    const folder = makeFolder({ "real/a.jsonl": others[0] + line("t1", "42", "goes") + others[1] + others[2] });
    chmodSync(join(folder.path, "real/a.jsonl"), 0o640);
    symlinkSync(join(folder.path, "real/a.jsonl"), join(folder.path, "link.jsonl"));
    const surface = await openSurface(folder, "*.jsonl");
    expect((await surface.erase(keys("t1", "t1x"), signal)).map(({ outcome }) => outcome)).toEqual([
      "erased",
      "absent",
    ]);
    expect(folder.read("real/a.jsonl")).toBe(others.join(""));
    expect(statSync(join(folder.path, "real/a.jsonl")).mode & 0o777).toBe(0o640);
    expect(lstatSync(join(folder.path, "link.jsonl")).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder.path)).toEqual(["link.jsonl", "real"]);
    expect(readdirSync(join(folder.path, "real"))).toEqual(["a.jsonl"]);
  });

  it("CLAIM-5: any set of keys is erased, and nothing else", async () => {
    const row = fc.record({
      id: fc.string({ minLength: 1, unit: "grapheme" }),
      user: fc.string(),
      text: fc.string({ unit: "grapheme" }),
      n: fc.double(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 12 }),
        fc.func(fc.boolean()),
        async (rows, isErased) => {
          const folder = makeFolder({ "a.jsonl": rows.map((each) => `${JSON.stringify(each)}\n`).join("") });
          const surface = await openSurface(folder, "a.jsonl");
          const gone = rows.filter(({ id }) => isErased(id));
          const outcomes = await surface.erase(keys(...gone.map(({ id }) => id)), signal);
          expect(outcomes.every(({ outcome }) => outcome === "erased")).toBe(true);
          expect(folder.read("a.jsonl")).toBe(
            rows
              .filter((each) => !gone.includes(each))
              .map((each) => `${JSON.stringify(each)}\n`)
              .join(""),
          );
        },
      ),
      { numRuns: 12 },
    );
  });

  it("clears what a crashed rewrite left when it is opened, and purges only when nothing is left", async () => {
    const folder = makeFolder({
      "a.jsonl": line("t1", "42", "first"),
      ".deleatur-99999999-abc123.tmp": "half a rewrite",
    });
    const surface = await openSurface(folder, "*.jsonl");
    expect(readdirSync(folder.path)).toEqual(["a.jsonl"]);
    folder.write(`.deleatur-${process.ppid}-abc123.tmp`, "a rewrite in the making");
    expect(await surface.purge(signal)).toMatchObject({ outcome: "pending" });
    folder.write(`.deleatur-${process.pid}-abc124.tmp`, "left by an earlier process with our id");
    await surface.purge(signal);
    expect(readdirSync(folder.path)).toEqual([`.deleatur-${process.ppid}-abc123.tmp`, "a.jsonl"]);
  });

  it("takes over the lock of a dead process, and of one that had our id", async () => {
    const folder = makeFolder({ "a.jsonl": line("t1", "42", "first") + line("t2", "42", "second") });
    const surface = await openSurface(folder, "a.jsonl");
    for (const [holder, key] of [
      [99_999_999, "t1"],
      [process.pid, "t2"],
    ] as const) {
      folder.write(".deleatur-a.jsonl.lock", `${holder} 00\n`);
      expect(await surface.erase(keys(key), signal)).toMatchObject([{ outcome: "erased" }]);
    }
    expect(readdirSync(folder.path)).toEqual(["a.jsonl"]);
  });
});

describe("rewriting JSONL", () => {
  it("LINEAGE-5: changes only the declared values, and removes subjects and sources that are not kept", async () => {
    const before =
      '{"id":"s1" , "users":["42","7"],"src":["e1","e2"],"srcText":"[\\"e1\\",\\"e2\\"]","text":"both","n":1.0,"tags":["x"]}\r\n';
    const folder = makeFolder({ "a.jsonl": before + line("s2", "7", "other") });
    const surface = await openSurface(folder, "a.jsonl", {
      subject: [{ field: "users", type: "account" }],
      derivedFrom: [
        { surface: surfaceId("episodes"), field: "src", as: "json" },
        { surface: surfaceId("notes"), field: "srcText", as: "json" },
      ],
    });
    const [artifact] = await collect(surface.read(keys("s1"), signal));
    if (artifact === undefined) throw new Error("not read");
    const next = {
      ...artifact,
      subjects: artifact.subjects.filter(({ value }) => value === "7"),
      sources: artifact.sources.filter(({ key }) => key === "e2"),
      content: [{ type: "text", name: "text", text: 'only "7"\n' } as const],
    };
    expect(await surface.rewrite([next], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(folder.read("a.jsonl").split("\r\n")[0]).toBe(
      '{"id":"s1" , "users":["7"],"src":["e2"],"srcText":"[\\"e2\\"]","text":"only \\"7\\"\\n","n":1.0,"tags":["x"]}',
    );
    expect(folder.read("a.jsonl").split("\r\n")[1]).toBe(line("s2", "7", "other"));
    expect((await collect(surface.read(keys("s1"), signal)))[0]).toEqual(next);
    expect(await surface.rewrite([next], signal)).toMatchObject([{ outcome: "rewritten" }]);
  });

  it("nulls a declared field that the new content has no value for", async () => {
    const folder = makeFolder({ "a.jsonl": '{"id":"s1","text":"old","v":[0.5,1,2,3]}\n' });
    const surface = await openSurface(folder, "a.jsonl", { vector: "v" });
    const [artifact] = await collect(surface.scan(signal));
    if (artifact === undefined) throw new Error("not read");
    expect(artifact.content).toHaveLength(2);
    await surface.rewrite([{ ...artifact, content: [{ type: "text", name: "text", text: "new" }] }], signal);
    expect(folder.read("a.jsonl")).toBe('{"id":"s1","text":"new","v":null}\n');
  });

  it("refuses what would keep a removed subject, or lose content, and changes nothing then", async () => {
    const text = '{"id":"s1","user":"42","text":"one"}\n{"name":"42","id":"s3","text":"x"}\n';
    const folder = makeFolder({ "a.jsonl": text });
    const surface = await openSurface(folder, "a.jsonl", {
      key: ["id", "name"],
      subject: [{ field: "name", type: "account" }],
    });
    const artifacts = await collect(surface.scan(signal));
    const [first] = artifacts.filter(({ subjects }) => subjects.length === 0);
    const [named] = artifacts.filter(({ subjects }) => subjects.length > 0);
    if (first === undefined || named === undefined) throw new Error("not read");
    const more = { ...first, content: [...first.content, { type: "text", name: "text", text: "two" } as const] };
    expect(await surface.rewrite([more, { ...named, subjects: [] }], signal)).toMatchObject([
      { outcome: "failed" },
      { outcome: "failed" },
    ]);
    expect(folder.read("a.jsonl")).toBe(text);
  });

  it("absent records are absent", async () => {
    const folder = makeFolder({ "a.jsonl": line("t1", "42", "first") });
    const surface = await openSurface(folder, "a.jsonl");
    const [artifact] = await collect(surface.scan(signal));
    if (artifact === undefined) throw new Error("not read");
    expect(await surface.rewrite([{ ...artifact, key: keys("t9")[0] ?? artifact.key }], signal)).toMatchObject([
      { outcome: "absent" },
    ]);
  });
});

describe("a JSONL surface as a whole", () => {
  it("C08: census reports every file beside the declared ones, and none of ours or of another store", async () => {
    const folder = makeFolder({
      "a.jsonl": line("t1", "42", "first"),
      "a.jsonl.bak": "copy",
      "a.jsonl~": "editor",
      "a.jsonl.1": "rotated",
      "old/b.jsonl.gz": "\0packed",
      "empty.txt": "",
      "deleatur.db-wal": "ours",
      "deleatur.yaml": "ours",
      ".deleatur-a.jsonl.lock": "1",
    });
    const surface = await openSurface(folder, "*.jsonl");
    const containers = await surface.census(signal);
    expect(containers.map(({ name, holds }) => [name, ...holds].join(" "))).toEqual([
      "logs.* text",
      "logs.a.jsonl.1 text",
      "logs.a.jsonl.bak text",
      "logs.a.jsonl~ text",
      "logs.empty.txt",
      "logs.old/b.jsonl.gz blob",
    ]);
    const single = await openSurface(
      makeFolder({ "m.jsonl": "", "m.jsonl.bak": "x", "package.json": "{}", "d/m.jsonl": "" }),
      "m.jsonl",
    );
    expect((await single.census(signal)).map(({ name }) => name)).toEqual(["logs.*", "logs.m.jsonl.bak"]);
  });

  it("plants a canary that its eyes can find, and takes it out without a trace", async () => {
    for (const pattern of ["*.jsonl", "a.jsonl", "**/*.jsonl"]) {
      const before = '{"id":"t1","user":"42","text":"no line end"}';
      const folder = makeFolder({ "a.jsonl": before });
      const surface = await openSurface(folder, pattern);
      const [key] = keys("deleatur-canary-1");
      if (key === undefined) throw new Error("no key");
      const canary = {
        surface: surfaceId("transcripts"),
        key,
        subjects: [],
        sources: [],
        content: [{ type: "text", name: "text", text: "canary" } as const],
      };
      expect(await surface.plant(canary, signal)).toEqual({ key, outcome: "planted" });
      expect(await collect(surface.read([key], signal))).toEqual([canary]);
      expect(await surface.erase([key], signal)).toMatchObject([{ outcome: "erased" }]);
      expect(readdirSync(folder.path)).toEqual(["a.jsonl"]);
      expect(folder.read("a.jsonl")).toBe(before);
    }
  });

  it("says that no door of its own stands before an insert, and that its fence is leased", async () => {
    const folder = makeFolder({ "a.jsonl": line("t1", "42", "first") });
    const surface = await openSurface(folder, "a.jsonl");
    const [artifact] = await collect(surface.scan(signal));
    if (artifact === undefined) throw new Error("not read");
    expect(await surface.offer(artifact, signal)).toEqual({ outcome: "accepted" });
    expect(folder.read("a.jsonl")).toBe(line("t1", "42", "first"));
    expect(jsonlFiles.guarantees).toMatchObject({ fence: "leased", deletion: "file-level" });
  });

  it("CLAIM-6: erases in every replica, and has eyes for each", async () => {
    const folder = makeFolder({
      "a.jsonl": line("t1", "42", "first"),
      "copy/a.jsonl": line("t1", "42", "first") + line("t2", "42", "copy alone"),
    });
    const replica = { type: "files", name: "mirror", glob: join(folder.path, "copy/*.jsonl") } as const;
    const options = parseOptions(folder, "*.jsonl", { replicas: ["mirror"] }, [replica]);
    const surface = await jsonlFiles.open(options);
    expect((await collect(surface.scan(signal))).map(({ key }) => key)).toEqual(["t1", "t2"]);
    expect((await surface.erase(keys("t1", "t2"), signal)).map(({ outcome }) => outcome)).toEqual(["erased", "erased"]);
    expect(folder.read("a.jsonl") + folder.read("copy/a.jsonl")).toBe("");
    expect(existsSync(join(folder.path, "copy"))).toBe(true);
    expect(new Set(jsonlFiles.probes(options).map(({ scope }) => scope)).size).toBe(8);
  });
});
