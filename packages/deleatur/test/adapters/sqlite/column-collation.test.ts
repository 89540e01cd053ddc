// Whether a store itself tells cases apart in a person's column: asked of the store, in every place that a column can stand, and followed by the fence (C16).
import { describe, expect, test } from "vitest";
import { declare, newStore, openSurface, REQUEST, scan, signal } from "./sqlite-fixture.ts";

const subjects = [
  { type: "account", column: "user_id" },
  { type: "member", via: "threads", on: "thread_id", column: "owner" },
] as const;

async function open(first: string, second: string) {
  const { file, app } = newStore(`
    CREATE TABLE notes (id INTEGER PRIMARY KEY, user_id ${first}, thread_id INTEGER);
    CREATE TABLE threads (thread_id INTEGER PRIMARY KEY, owner ${second});
    INSERT INTO threads VALUES (1, 'Owner'), (2, '7');
    INSERT INTO notes VALUES (1, '42', 2), (2, 'Some-Body', 1), (3, NULL, 1);`);
  const opened = await openSurface(declare("sqlite", { table: "notes", subject: subjects }), file);
  return { app, opened };
}

describe.each([
  ["TEXT COLLATE NOCASE", "TEXT", ["account"]],
  ["TEXT", "TEXT COLLATE NOCASE", ["member"]],
  ["TEXT COLLATE NOCASE", "VARCHAR(20) COLLATE NOCASE", ["account", "member"]],
  ["TEXT", "TEXT", []],
  ["TEXT COLLATE BINARY", "TEXT COLLATE RTRIM", []],
] as const)("columns of %s and %s", (first, second, caseless) => {
  test("C16: a scan says of which persons the store takes another spelling for the same", async () => {
    const { opened } = await open(first, second);
    const told = (await scan(opened)).map((one) => one.caseless?.map(({ type, value }) => `${type}:${value}`));
    const named = [["account:42", "member:7"], ["account:Some-Body", "member:Owner"], ["member:Owner"]];
    const expected = named.map((names) => names.filter((name) => caseless.some((type) => name.startsWith(type))));
    expect(told).toEqual(caseless.length === 0 ? named.map(() => undefined) : expected);
  });

  test("C16: the fence refuses every spelling where the store does not tell them apart, and the given one alone where it does", async () => {
    const { app, opened } = await open(first, second);
    const identifiers = [
      { type: "account", value: "some-body" },
      { type: "member", value: "OWNER" },
    ];
    await opened.surface.fence({ request: REQUEST, identifiers, keys: [], sources: new Map() }, signal);
    const isRefused = (sql: string): boolean => {
      try {
        app.exec(sql);
        return false;
      } catch (cause) {
        return cause instanceof Error && cause.message.includes("deleatur: FENCED");
      }
    };
    const [isFirst, isSecond] = ["account", "member"].map((type) => caseless.some((one) => one === type));
    expect(isRefused("INSERT INTO notes VALUES (10, 'some-body', NULL)")).toBe(true);
    expect(isRefused("INSERT INTO notes VALUES (11, 'SOME-BODY', NULL)")).toBe(isFirst);
    expect(isRefused("INSERT INTO notes VALUES (12, 'some-bodY ', NULL)")).toBe(false);
    expect(isRefused("INSERT INTO notes VALUES (13, NULL, 1)")).toBe(isSecond);
    expect(isRefused("INSERT INTO threads VALUES (5, 'oWNER')")).toBe(isSecond);
    expect(isRefused("INSERT INTO threads VALUES (6, 'OWNER')")).toBe(true);
  });
});
