// Proves on real files what the kind `text` promises: a file is a record, its path the key, and erased means gone with the folders it leaves empty.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseFileGlob } from "../../../src/adapters/files/file-glob.ts";
import type { SurfaceDeclaration } from "../../../src/model/declaration.ts";
import { surfaceId } from "../../../src/model/ids.ts";
import { collect, keys, makeFolder, openSurface, signal } from "./open-folder.ts";

const notes: Partial<SurfaceDeclaration> = {
  id: surfaceId("notes"),
  kind: "text",
  key: [],
  content: [],
  subject: [{ type: "account", segment: 1, of: "key", sep: "/" }],
};

describe("text files", () => {
  it("reads each file under its path, with the person that a part of the path names", async () => {
    const folder = makeFolder({ "users/42/a.md": "first", "users/421/a.md": "second", "users/42/a.md~": "copy" });
    const surface = await openSurface(folder, "users/**/*.md", {
      ...notes,
      subject: [{ type: "account", segment: 0, of: "key", sep: "/" }],
    });
    expect(await collect(surface.scan(signal))).toEqual([
      {
        surface: "notes",
        key: "42/a.md",
        subjects: [{ type: "account", value: "42" }],
        sources: [],
        content: [{ type: "text", name: "text", text: "first" }],
      },
      {
        surface: "notes",
        key: "421/a.md",
        subjects: [{ type: "account", value: "421" }],
        sources: [],
        content: [{ type: "text", name: "text", text: "second" }],
      },
    ]);
    expect((await surface.census(signal)).map(({ name }) => name)).toEqual(["logs.*", "logs.42/a.md~"]);
  });

  it("C16: erases the file of the key alone, and the folder that it leaves empty", async () => {
    const folder = makeFolder({ "users/42/deep/a.md": "first", "users/421/a.md": "second" });
    const surface = await openSurface(folder, "**/*.md", notes);
    const erased = await surface.erase(keys("users/42/deep/a.md", "users/42/b.md", "../etc/x.md"), signal);
    expect(erased.map(({ outcome }) => outcome)).toEqual(["erased", "absent", "absent"]);
    expect(readdirSync(join(folder.path, "users"))).toEqual(["421"]);
    expect(await surface.purge(signal)).toMatchObject({ outcome: "purged" });
    const all = await surface.erase(keys("users/421/a.md"), signal);
    expect(all).toMatchObject([{ outcome: "erased" }]);
    expect(existsSync(folder.path)).toBe(true);
  });

  it("FORGET-1: the folder of a person goes with the last file in it, empty folders in it too; one that is not theirs, or holds something, stays", async () => {
    const folder = makeFolder({ "users/42/deep/a.md": "first", "users/43/b.md": "second", "users/43/image.png": "x" });
    for (const empty of ["users/42/drafts/old", "users/44/drafts", "users/43/drafts", "other"])
      mkdirSync(join(folder.path, empty), { recursive: true });
    const surface = await openSurface(folder, "**/*.md", notes);
    const erased = await surface.erase(keys("users/42/deep/a.md", "users/43/b.md"), signal);
    expect(erased.map(({ outcome }) => outcome)).toEqual(["erased", "erased"]);
    expect(readdirSync(join(folder.path, "users")).toSorted()).toEqual(["43", "44"]);
    expect(readdirSync(join(folder.path, "users", "43"))).toContain("image.png");
    expect(readdirSync(folder.path).toSorted()).toEqual(["other", "users"]);
  });

  it("FORGET-1: of two parts of a path that name persons the higher one's folder goes", async () => {
    const folder = makeFolder({ "users/42/t1/a.md": "first", "users/43/t2/a.md": "second" });
    for (const empty of ["users/42/drafts", "users/43/drafts"])
      mkdirSync(join(folder.path, empty), { recursive: true });
    const subject = [
      { type: "thread", segment: 2, of: "key", sep: "/" },
      { type: "account", segment: 1, of: "key", sep: "/" },
    ] as const;
    const surface = await openSurface(folder, "**/*.md", { ...notes, subject });
    expect(await surface.erase(keys("users/42/t1/a.md"), signal)).toMatchObject([{ outcome: "erased" }]);
    expect(readdirSync(join(folder.path, "users"))).toEqual(["43"]);
  });

  it("FORGET-1: folders that a killed run left behind go when it is run again", async () => {
    const folder = makeFolder({ "users/42/deep/a.md": "first", "users/43/b.md": "second" });
    rmSync(join(folder.path, "users/42/deep/a.md"));
    const surface = await openSurface(folder, "**/*.md", notes);
    expect(await surface.erase(keys("users/42/deep/a.md", "users/43/b.md/c.md"), signal)).toMatchObject([
      { outcome: "absent" },
      { outcome: "absent" },
    ]);
    expect(readdirSync(join(folder.path, "users"))).toEqual(["43"]);
  });

  it("CLAIM-5: a folder that goes away while it is scanned is an error, not the end of what there was", async () => {
    const folder = makeFolder({ "users/42/a.md": "first", "users/43/a.md": "second", "users/44/a.md": "third" });
    const surface = await openSurface(folder, "users/**/*.md", notes);
    const scanned: string[] = [];
    const scanning = async (): Promise<void> => {
      for await (const { key } of surface.scan(signal)) {
        scanned.push(key);
        if (scanned.length === 1) renameSync(join(folder.path, "users"), join(folder.path, "away"));
      }
    };
    await expect(scanning()).rejects.toMatchObject({ code: "STORE_MISSING" });
    renameSync(join(folder.path, "away"), join(folder.path, "users"));
    expect(await collect(surface.scan(signal))).toHaveLength(3);
    // One file that somebody removes meanwhile is no trouble.
    const left: string[] = [];
    for await (const { key } of surface.scan(signal)) {
      if (left.length === 0) rmSync(join(folder.path, "users/43/a.md"));
      left.push(key);
    }
    expect(left).toEqual(["42/a.md", "44/a.md"]);
  });

  it("rewrites a file as a whole, and refuses to take away a person that the path names", async () => {
    const folder = makeFolder({ "users/42/a.md": "first" });
    const surface = await openSurface(folder, "**/*.md", notes);
    const [artifact] = await collect(surface.scan(signal));
    if (artifact === undefined) throw new Error("not read");
    const next = { ...artifact, content: [{ type: "text", name: "text", text: "rewritten" } as const] };
    expect(await surface.rewrite([{ ...next, subjects: [] }], signal)).toMatchObject([{ outcome: "failed" }]);
    expect(folder.read("users/42/a.md")).toBe("first");
    expect(await surface.rewrite([next], signal)).toMatchObject([{ outcome: "rewritten" }]);
    expect(folder.read("users/42/a.md")).toBe("rewritten");
    expect(readdirSync(join(folder.path, "users/42"))).toEqual(["a.md"]);
  });

  it("VERDICT-4: a file that is no text stops the scan", async () => {
    const folder = makeFolder({});
    folder.write("a.md", Uint8Array.from([0xff, 0xfe, 0]));
    await expect(collect((await openSurface(folder, "*.md", notes)).scan(signal))).rejects.toMatchObject({
      code: "NOT_UTF8",
      place: { file: "a.md" },
    });
  });

  it("plants a canary in a file of its own and takes it out", async () => {
    const folder = makeFolder({ "users/42/a.md": "first" });
    const surface = await openSurface(folder, "users/*/*.md", notes);
    const content = [{ type: "text", name: "text", text: "canary" } as const];
    const planted = await surface.plant(
      {
        surface: surfaceId("notes"),
        key: keys("deleatur-canary-1")[0] ?? planted0(),
        subjects: [],
        sources: [],
        content,
      },
      signal,
    );
    expect(planted).toEqual({ key: "deleatur-canary-1/deleatur-canary-1.md", outcome: "planted" });
    await surface.erase([planted.key], signal);
    expect(readdirSync(join(folder.path, "users"))).toEqual(["42"]);
  });
});

function planted0(): never {
  throw new Error("no key");
}

describe("parseFileGlob", () => {
  const cases: readonly (readonly [glob: string, path: string, matches: boolean])[] = [
    ["/d/*.jsonl", "a.jsonl", true],
    ["/d/*.jsonl", "a.jsonl.bak", false],
    ["/d/*.jsonl", "sub/a.jsonl", false],
    ["/d/*.jsonl", ".a.jsonl", false],
    ["/d/**/*.md", "a.md", true],
    ["/d/**/*.md", "x/y/a.md", true],
    ["/d/**/*.md", "x/.git/a.md", false],
    ["/d/**", "x/y", true],
    ["/d/a?c*e", "abcde", true],
    ["/d/a?c*e", "acde", false],
    ["/d/[a].txt", "[a].txt", true],
    ["/d/[a].txt", "a.txt", false],
    ["/d/*a*a*a*a*b", "a".repeat(2000), false],
    ["/d/x/only.jsonl", "only.jsonl", true],
  ];
  it.each(cases)("%s on a path", (glob, path, matches) => {
    const parsed = parseFileGlob(glob);
    expect(parsed.matches(path)).toBe(matches);
    expect(parsed.directory).toBe(glob.includes("only") ? "/d/x" : "/d");
  });
});
